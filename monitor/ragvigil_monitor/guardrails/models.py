"""The types of guardrails and alerts, as they are stored, sent and served."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from ragvigil_monitor.marker_kinds import RELEASE


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
    budgets overspent, or of limits that it lacks; for a rate, events beyond those that the history of the slice leads
    to expect (or, where the rate fell, that are missing); for drift, queries beyond those that the season leads to
    expect; for false exclusion, exclusions among the reviewed filtered retrievals beyond those that
    the limit allows, without weights.
    """

    name: str
    value: str
    n: int
    estimate: float
    excess: float


class Candidate(ApiModel):
    """Something new that was first seen near the onset, such as a release; a candidate, not a cause.

    kind: `release`, `model`, … bayes_factor: how much the counts speak for an onset at this time rather than at
    another; None without an onset.
    """

    kind: str = RELEASE
    service: str
    value: str
    first_seen_at: datetime
    bayes_factor: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _named_as_before(cls, given: Any) -> Any:
        """Alerts that were stored while only releases were candidates call the value `service_version`."""
        if isinstance(given, Mapping) and "service_version" in given:
            return {("value" if name == "service_version" else name): each for name, each in given.items()}
        return given


class TriageVerdict(StrEnum):
    """What the times say about where a change comes from; a suspicion, never a cause.

    `measurement-change`: what measures changed near the onset. `regression-suspected`: something new lies at the onset.
    `drift-suspected`: nothing new lies near it. `undetermined`: something does, but the onset is not sure to.
    """

    MEASUREMENT_CHANGE = "measurement-change"
    REGRESSION_SUSPECTED = "regression-suspected"
    DRIFT_SUSPECTED = "drift-suspected"
    UNDETERMINED = "undetermined"


class Triage(ApiModel):
    """The verdict, in words with times in UTC, and between which times something new would have been a candidate."""

    verdict: TriageVerdict
    sentence: str
    searched_from: datetime
    searched_until: datetime


class TriageNote(ApiModel):
    """A verdict and the look that first gave it; it held until the next one."""

    judged_at: datetime
    verdict: TriageVerdict
    sentence: str


class ChangeSplit(ApiModel):
    """What a change is made of, in the unit of the evidence: mix + rate = after - before.

    name: of the slices. before: in the same hours of the week before. mix: other slices than usual. rate: other values
    within them.
    """

    name: str
    before: float
    after: float
    mix: float
    rate: float


class Evidence(ApiModel):
    """What stands behind an alert. limit: the one that was crossed. expected: the usual value, if one is known.

    alarm_lower, alarm_upper: the bound at the alarm level, from below where the value is too high, else from above.
    triage: None while the onset is not known. triages: each verdict so far, oldest first.
    slices_among: which part of what `value` counts the slices count, and how; None: all of it.
    """

    window_start: datetime
    window_end: datetime
    value: float | None
    lower: float | None
    upper: float | None
    alarm_lower: float | None
    alarm_upper: float | None = None
    limit: float | None
    unit: str
    n: int
    missing: int
    slices: list[SliceShare]
    trace_ids: list[str]
    releases: list[Candidate]
    also_in_breach: list[str] = []
    expected: float | None = None
    triage: Triage | None = None
    triages: list[TriageNote] = []
    split: ChangeSplit | None = None
    slices_among: str | None = None


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
