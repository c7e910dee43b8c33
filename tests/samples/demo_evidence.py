"""What a run of the demo says of evidence, ready-made."""

from datetime import UTC, datetime
from typing import Any

from ragvigil_monitor.api.exclusion_models import ExclusionSeries, Losses, StageLoss
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
        "limit": None,
        "limit_is_starting_value": False,
        "verdict": "unguarded",
        "more_reviews": None,
    }
    return ExclusionSeries(**{**said, **changed})


def evidence(*, n: int = 400, true: TrueRate = TRUE, lower: float | None = 0.05, upper: float = 0.2) -> EvidenceReport:
    """A report without failures; lower, upper: of the 99.9 % interval."""
    return EvidenceReport(Reviews(700, 699), true, series(n=n), series(n=n, lower=lower, upper=upper), LOSSES)
