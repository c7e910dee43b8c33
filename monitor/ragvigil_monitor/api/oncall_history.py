"""Which spans of time belong to the history that a rate is judged against: read it, decide it."""

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, HTTPException

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.feedback_models import HistoryDecision, HistorySpan
from ragvigil_monitor.guardrails.history import decide_history
from ragvigil_monitor.service import Service
from ragvigil_monitor.signals.rate import LOOKED_BACK
from ragvigil_monitor.signals.rates import RATES

router = APIRouter(prefix="/guardrails")

_NAMES: Final = [rate.name for rate in RATES]
_BACK: Final = LOOKED_BACK + timedelta(days=1)


@router.get("/{guardrail}/history")
def history(service: ServiceDep, guardrail: str) -> list[HistorySpan]:
    """The spans within reach of today's band; 404 for a guardrail that is not judged by its history."""
    _must_have_history(guardrail)
    return _spans(service, guardrail)


@router.post("/{guardrail}/history")
def decide(service: ServiceDep, guardrail: str, body: HistoryDecision) -> list[HistorySpan]:
    """Let a span count or not; the latest decision wins. 422 unless it ends after it starts. The spans afterwards."""
    _must_have_history(guardrail)
    if body.starts_at >= body.ends_at:
        raise HTTPException(422, f"ends_at must come after starts_at; got {body.starts_at} to {body.ends_at}.")
    decide_history(
        service.store,
        guardrail,
        body.series,
        start=body.starts_at,
        end=body.ends_at,
        counts=body.counts,
        reason=body.reason,
        by=body.by,
        now=service.clock(),
    )
    return _spans(service, guardrail)


def _spans(service: Service, guardrail: str) -> list[HistorySpan]:
    now = service.clock()
    rows = service.store.rows("history_decisions", guardrail=guardrail, known_at=now, window_start=now - _BACK)
    return [HistorySpan(**row) for row in rows]


def _must_have_history(guardrail: str) -> None:
    if guardrail not in _NAMES:
        raise HTTPException(
            404, f"{guardrail[:80]!r} is not judged by its own history. These are: {', '.join(_NAMES)}."
        )
