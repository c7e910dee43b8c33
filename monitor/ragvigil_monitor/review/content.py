"""What a reviewer sees of an item: the question, and its documents in shuffled order; of an answer its text too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from ragvigil import attributes as names
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.passages import MOST_DOCUMENTS, Passage, Span, attributes_of, cut, ids, passages
from ragvigil_monitor.review.searches import found_documents, searches_of
from ragvigil_monitor.store import Store

_MOST_SPANS: Final = 500
_LASTS_AT_MOST: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Content:
    """question, answer: None where the application did not record them; no answer for a relevance item."""

    question: str | None
    answer: str | None
    evidence: list[Passage]


def content_of(store: Store, item: Mapping[str, Any]) -> Content:
    """Read what is behind an item of `review_item_by_id`; what is no longer stored has no content."""
    where = {"trace_id": item["trace_id"], "span_id": item["span_id"]}
    rows = store.rows("answer_to_review", **where, started_at=item["started_at"])
    question = cut(rows[0]["question"]) if rows else None
    if item["kind"] == Kind.RELEVANCE:
        searches = searches_of(store.rows, item)
        return Content(question, None, passages(found_documents(searches), searches, item["seed"]))
    spans = store.rows(
        "documents_of_answer",
        **where,
        start=item["started_at"],
        end=item["started_at"] + _LASTS_AT_MOST,
        limit=_MOST_SPANS,
    )
    return Content(question, cut(rows[0]["answer"]) if rows else None, evidence(spans, item["seed"]))


def evidence(spans: Sequence[Span], seed: bytes) -> list[Passage]:
    """The documents that the generator saw, each once, in an order that depends on the seed alone."""
    return passages((seen_by_generator(spans) or [])[:MOST_DOCUMENTS], spans, seed)


def seen_by_generator(spans: Sequence[Span]) -> list[str] | None:
    """The ids of the assembled context, or of what the last stage returned, each once; None where none was recorded.

    A stage may run several times, and what it found once is not undone by a run that found nothing.
    """
    for span in reversed(spans):
        in_context = attributes_of(span).get(names.CONTEXT_DOC_IDS)
        if isinstance(in_context, list):
            return list(dict.fromkeys(str(id_) for id_ in in_context))
    returned = [span for span in reversed(spans) if span["output_documents"] is not None]
    if not returned:
        return None
    of_last_stage = (ids(span["output_documents"]) for span in returned if span["stage"] == returned[0]["stage"])
    return list(dict.fromkeys(next(filter(None, of_last_stage), [])))
