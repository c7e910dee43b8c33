"""The searches behind a relevance item, the retrieval and its probe, and the documents that they found together."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final

from ragvigil_monitor.review.passages import MOST_DOCUMENTS, Span, ids
from ragvigil_monitor.store.database import Row

_NAMES: Final = (
    *("trace_id", "retrieval_span_id", "started_at"),
    *("probe_trace_id", "probe_span_id", "probe_started_at"),
)

Ask = Callable[..., list[Row]]
"""`Store.rows`, or `Writer.execute` inside a transaction."""


def searches_of(ask: Ask, item: Mapping[str, Any]) -> list[Span]:
    """The span of the retrieval and, where there is one, of its probe; empty unless all are still stored."""
    found: list[Span] = [*ask("documents_of_searches", **{name: item[name] for name in _NAMES})]
    return found if len(found) == (1 if item["probe_span_id"] is None else 2) else []


def found_documents(searches: Sequence[Span]) -> list[str]:
    """Each document once. Of more than can be shown the best of every search, so that none looks shallower."""
    ranks = zip_longest(*(ids(search["output_documents"]) for search in searches))
    alternating = (id_ for id_ in chain.from_iterable(ranks) if id_ is not None)
    return list(dict.fromkeys(alternating))[:MOST_DOCUMENTS]
