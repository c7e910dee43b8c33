"""The searches behind a relevance item, the retrieval and its probe, and the documents that they found together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain, zip_longest
from typing import Any, Final

from ragvigil_monitor.review.passages import MOST_DOCUMENTS, Span, ids
from ragvigil_monitor.store.database import Row

_STARTS_WITHIN: Final = timedelta(hours=1)
_MOMENT: Final = timedelta(microseconds=1)

Ask = Callable[..., list[Row]]
"""`Store.rows`, or `Writer.execute` inside a transaction."""


def searches_of(ask: Ask, item: Mapping[str, Any]) -> list[Span]:
    """The span of the retrieval and, where there is one, of its probe; empty unless all are still stored."""
    wanted = list(_wanted(item))
    found = [
        span
        for trace_id, span_id, start, end in wanted
        for span in ask("documents_of_search", trace_id=trace_id, span_id=span_id, start=start, end=end)
    ]
    return list(found) if len(found) == len(wanted) else []


def found_documents(searches: Sequence[Span]) -> list[str]:
    """Each document once. Of more than can be shown the best of every search, so that none looks shallower."""
    ranks = zip_longest(*(ids(search["output_documents"]) for search in searches))
    alternating = (id_ for id_ in chain.from_iterable(ranks) if id_ is not None)
    return list(dict.fromkeys(alternating))[:MOST_DOCUMENTS]


def _wanted(item: Mapping[str, Any]) -> Iterator[tuple[bytes, bytes, datetime, datetime]]:
    started_at = item["started_at"]
    yield item["trace_id"], item["retrieval_span_id"], started_at, started_at + _STARTS_WITHIN
    if item["probe_span_id"] is not None:
        probed_at = item["probe_started_at"]
        yield item["probe_trace_id"], item["probe_span_id"], probed_at, probed_at + _MOMENT
