"""What reviewers found of the evidence of one answer: which documents are relevant, and how far each of them came."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from ragvigil_monitor.review.evidence_path import RETRIEVE, Recorded, last_seen
from ragvigil_monitor.review.recorded_stages import search_of, stages_after
from ragvigil_monitor.store import Store

_AROUND: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RelevantDocument:
    """last_seen: the last stage that let it through; None where only the search without relevance clauses found it."""

    id: str
    last_seen: str | None


@dataclass(frozen=True, slots=True)
class ReviewedRetrieval:
    """One retrieval of an answer, as a row of `relevance_outcomes_of_trace`, with its relevant documents."""

    outcome: Mapping[str, Any]
    documents: list[RelevantDocument]


def reviewed_evidence(store: Store, trace_id: bytes) -> list[ReviewedRetrieval]:
    """The reviewed retrievals of a trace, earliest first; empty where none was reviewed."""
    return [
        ReviewedRetrieval(row, list(_documents(store, row)))
        for row in store.rows("relevance_outcomes_of_trace", trace_id=trace_id)
    ]


def _documents(store: Store, row: Mapping[str, Any]) -> Iterator[RelevantDocument]:
    recorded = _recorded(store, row)
    for document in row["relevant"]:
        yield RelevantDocument(document, last_seen(document, recorded))


def _recorded(store: Store, row: Mapping[str, Any]) -> Recorded:
    around = {"trace_ids": [row["trace_id"]], "start": row["started_at"] - _AROUND, "end": row["started_at"] + _AROUND}
    spans = store.rows("searches_of_traces", **around)
    answers = store.rows("citations_of_answers", **around)
    citations = next((each["citations"] for each in answers if each["span_id"] == row["answer_span_id"]), None)
    retrieval = search_of(spans, row["retrieval_span_id"])
    found = frozenset() if retrieval is None else retrieval.documents
    return {**stages_after(spans, row, citations), RETRIEVE: found}
