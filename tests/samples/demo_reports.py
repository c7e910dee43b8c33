"""What a run of the demo says of evidence, and an alert of it, ready-made."""

from datetime import UTC, datetime, timedelta
from typing import Any

from ragvigil_monitor.api.exclusion_models import ExclusionSeries, Losses, StageLoss
from ragvigil_monitor.api.models import Alert, AlertState, Evidence
from ragvigil_monitor.demo.evidence_report import EvidenceReport
from ragvigil_monitor.demo.reviewer import Reviews
from ragvigil_monitor.demo.truth import TrueRate

_NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
NO_LOSSES = Losses(start=_NOON, end=_NOON, n=0, unknown=0, stages=[], slices=[])
LOSSES = NO_LOSSES.model_copy(
    update={"n": 340, "stages": [StageLoss(stage="filter", n=40), StageLoss(stage="kept", n=300)]}
)


TRUE = TrueRate(1000, 100)


def series(**changed: Any) -> ExclusionSeries:
    """The rate among filtered queries."""
    said: dict[str, Any] = {
        "series": "filtered",
        "state": "ok",
        "value": 0.11,
        "lower": 0.07,
        "upper": 0.15,
        "alarm_lower": 0.04,
        "n": 400,
        "events": 44,
        "n_eff": 400.0,
        "missing": 0,
        "drawn": 400,
        "waiting": 0,
        "unknown": {},
        "unrepresented": None,
        "limit": None,
        "limit_is_starting_value": False,
        "verdict": "unguarded",
        "more_reviews": None,
        "held_up_by_unknown": False,
    }
    return ExclusionSeries(**{**said, **changed})


def evidence(*, n: int = 400, true: TrueRate = TRUE, lower: float | None = 0.05, upper: float = 0.2) -> EvidenceReport:
    """A report without failures; lower, upper: of the 99.9 % interval."""
    return EvidenceReport(Reviews(700, 699), true, series(n=n), series(n=n, lower=lower, upper=upper), LOSSES)


def an_alert(
    guardrail: str, opened_at: datetime, resolved_at: datetime | None = None, *, series: str = "answer"
) -> Alert:
    """An alert whose numbers do not matter."""
    numbers = Evidence(
        window_start=opened_at - timedelta(hours=24),
        window_end=opened_at,
        value=1.0,
        lower=1.0,
        upper=1.0,
        alarm_lower=1.0,
        limit=0.5,
        unit="ms",
        n=100,
        missing=0,
        slices=[],
        trace_ids=[],
        releases=[],
    )
    return Alert(
        alert_id="a1",
        guardrail=guardrail,
        series=series,
        state=AlertState.FIRING if resolved_at is None else AlertState.RESOLVED,
        opened_at=opened_at,
        onset_at=None,
        onset_earliest=None,
        onset_latest=None,
        last_breach_at=opened_at,
        resolved_at=resolved_at,
        acknowledged_at=None,
        acknowledged_by=None,
        acknowledged_note=None,
        silenced_until=None,
        sentence="p95 is above.",
        evidence=numbers,
    )
