"""The types of guardrails and alerts, as they are stored, sent and served."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class ApiModel(BaseModel):
    """Base: immutable, nothing unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class State(StrEnum):
    """State of a guardrail on one series.

    `unguarded` is a series without a limit, which is shown and never judged; `insufficient_baseline` one whose usual
    level is not known, because too much of its history is excluded.
    """

    OK = "ok"
    WARMING_UP = "warming_up"
    NO_DATA = "no_data"
    NO_POWER = "no_power"
    INSUFFICIENT_BASELINE = "insufficient_baseline"
    INCONCLUSIVE = "inconclusive"
    BREACH = "breach"
    UNGUARDED = "unguarded"


class AlertState(StrEnum):
    """State of an alert."""

    FIRING = "firing"
    ACKNOWLEDGED = "acknowledged"
    SILENCED = "silenced"
    RESOLVED = "resolved"


class GuardrailState(ApiModel):
    """What a guardrail says of one series now, in a sentence with numbers."""

    guardrail: str
    series: str
    state: State
    since: datetime
    evaluated_at: datetime
    sentence: str


class SliceShare(ApiModel):
    """How one slice did in the window of an alert, worst first.

    estimate: the signal in this slice, in the unit of the evidence; for drift, what the slice adds to MMD². excess: for
    a quantile, answers (or calls of the stage) above the limit beyond the share that may be; for a mean, the number of
    budgets overspent; for a rate, events beyond those that the history of the slice leads to expect (or, where the
    rate fell, that are missing); for drift, queries beyond those that the season leads to expect.
    """

    name: str
    value: str
    n: int
    estimate: float
    excess: float


class Candidate(ApiModel):
    """A release first seen near the onset; a candidate, not a cause."""

    service: str
    service_version: str
    first_seen_at: datetime


class Evidence(ApiModel):
    """What stands behind an alert. limit: the one that was crossed. expected: the usual value, if one is known."""

    window_start: datetime
    window_end: datetime
    value: float | None
    lower: float | None
    upper: float | None
    alarm_lower: float | None
    limit: float | None
    unit: str
    n: int
    missing: int
    slices: list[SliceShare]
    trace_ids: list[str]
    releases: list[Candidate]
    also_in_breach: list[str] = []
    expected: float | None = None


class Alert(ApiModel):
    """One incident of one guardrail on one series.

    cross_check: what another implementation says of the evidence of query drift; None where none was asked.
    """

    alert_id: str
    guardrail: str
    series: str
    state: AlertState
    opened_at: datetime
    onset_at: datetime | None
    onset_earliest: datetime | None
    onset_latest: datetime | None
    last_breach_at: datetime
    resolved_at: datetime | None
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    acknowledged_note: str | None
    silenced_until: datetime | None
    sentence: str
    evidence: Evidence
    cross_check: str | None = None


class AlarmBudget(ApiModel):
    """How many false alarms a week the guardrails may raise together, and what that leaves to one look."""

    per_week: float
    looks_per_week: int
    alpha_per_look: float
