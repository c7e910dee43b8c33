"""Answers: lists of them, and everything about the ones of a trace."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query

from ragvigil_monitor.api.answer_details import read_answers
from ragvigil_monitor.api.answer_lists import Order, listed_answers
from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.exclusion_models import RelevantDocument, ReviewedRetrieval
from ragvigil_monitor.api.models import Answer, AnswerRow
from ragvigil_monitor.api.windows import Moment, TimeRange, time_range
from ragvigil_monitor.phoenix.links import trace_url
from ragvigil_monitor.review.reviewed_evidence import ReviewedRetrieval as Reviewed
from ragvigil_monitor.review.reviewed_evidence import reviewed_evidence
from ragvigil_monitor.settings import Phoenix
from ragvigil_monitor.store.database import Row

router = APIRouter(prefix="/answers")

_COPIED = ("is_filtered", "depth", "has_evidence", "is_excluded", "lost_at", "unknown_because")
_ListRange = Annotated[TimeRange, Depends(time_range(timedelta(hours=24), timedelta(days=31)))]


@router.get("")
def list_answers(
    service: ServiceDep,
    within: _ListRange,
    order: Order = "newest",
    stage: Annotated[str | None, Query(max_length=200)] = None,
    intent: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> list[AnswerRow]:
    """Answers of the last 24 hours or another range: the newest, or the slowest or costliest (in one stage)."""
    rows = listed_answers(service.store, within, order, stage=stage, intent=intent, limit=limit)
    return [_answer_row(row, service.settings.phoenix) for row in rows]


@router.get("/{trace_id}")
def read_answer(service: ServiceDep, trace_id: str, started_at: Moment | None = None) -> list[Answer]:
    """The answers of a trace, earliest first; 404 if there is none.

    `started_at` (when the answer started, give or take an hour) makes the search short and may lie any time back;
    without it the last 90 days are searched, newest first.
    """
    phoenix = service.settings.phoenix
    answers = read_answers(service.store, phoenix, trace_bytes(trace_id), service.clock(), started_at)
    if not answers:
        raise HTTPException(
            404,
            f"There is no answer with trace id {trace_id} "
            f"{'in the last 90 days' if started_at is None else 'within an hour of started_at'}.",
        )
    return answers


@router.get("/{trace_id}/evidence")
def read_evidence(service: ServiceDep, trace_id: str) -> list[ReviewedRetrieval]:
    """What reviewers found of the evidence behind the answers of a trace; empty where none was reviewed."""
    return [_reviewed(each) for each in reviewed_evidence(service.store, trace_bytes(trace_id))]


def _reviewed(found: Reviewed) -> ReviewedRetrieval:
    outcome = found.outcome
    return ReviewedRetrieval(
        **{name: outcome[name] for name in _COPIED},
        span_id=outcome["answer_span_id"].hex(),
        retrieval_span_id=outcome["retrieval_span_id"].hex(),
        shown=outcome["documents"],
        documents=[RelevantDocument(id=each.id, last_seen=each.last_seen) for each in found.documents],
    )


def trace_bytes(trace_id: str) -> bytes:
    """The trace id in a path; 422 for one that is none."""
    try:
        found = bytes.fromhex(trace_id)
    except ValueError:
        found = b""
    if len(trace_id) != 32 or len(found) != 16:
        raise HTTPException(422, f"A trace id is 32 hex digits; got {trace_id[:80]!r}.")
    return found


def _answer_row(row: Row, phoenix: Phoenix) -> AnswerRow:
    ids = {"trace_id": row["trace_id"].hex(), "span_id": row["span_id"].hex()}
    return AnswerRow(**{**row, **ids, "phoenix_url": trace_url(phoenix, row["trace_id"])})
