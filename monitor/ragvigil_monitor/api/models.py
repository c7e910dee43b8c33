"""What the HTTP API answers, as types. Times are UTC, ids are strings, trace and span ids 32 and 16 hex digits."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict


class ApiModel(BaseModel):
    """Base: immutable, nothing unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class State(StrEnum):
    """State of a guardrail on one series."""

    OK = "ok"
    WARMING_UP = "warming_up"
    NO_DATA = "no_data"
    NO_POWER = "no_power"
    INCONCLUSIVE = "inconclusive"
    BREACH = "breach"


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
    """How one slice did in the window of an alert, worst first."""

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
    """What stands behind an alert."""

    window_start: datetime
    window_end: datetime
    value: float | None
    lower: float | None
    upper: float | None
    alarm_lower: float | None
    limit: float
    unit: str
    n: int
    missing: int
    slices: list[SliceShare]
    trace_ids: list[str]
    releases: list[Candidate]


class Alert(ApiModel):
    """One incident of one guardrail on one series."""

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


class Acknowledgement(ApiModel):
    """Body of acknowledge: who, and what they know."""

    by: str
    note: str = ""


class Silence(ApiModel):
    """Body of silence: until when no notification goes out."""

    by: str
    until: datetime


class AlarmBudget(ApiModel):
    """How many false alarms a week the guardrails may raise together, and what that leaves to one look."""

    per_week: float
    looks_per_week: int
    alpha_per_look: float


class Completeness(ApiModel):
    """Of what the applications began, how much is in the store; None where nothing was reported."""

    service: str
    instance_id: str
    reported_at: datetime
    started: int
    exported: int
    dropped: int
    stored: int
    share: float | None


class IngestCount(ApiModel):
    """What became of received items since the store was made."""

    service: str
    outcome: str
    items: int


class Status(ApiModel):
    """The on-call page's first look."""

    now: datetime
    last_answer_at: datetime | None
    answers_last_24h: int
    budget: AlarmBudget
    guardrails: list[GuardrailState]
    alerts: list[Alert]


class SeriesPoint(ApiModel):
    """One look of a signal at one series."""

    window_end: datetime
    value: float | None
    lower: float | None
    upper: float | None
    limit: float | None
    n: int
    missing: int
    state: State


class Series(ApiModel):
    """One line of a chart."""

    signal: str
    series: str
    window_s: int
    unit: str
    points: list[SeriesPoint]


class SignalInfo(ApiModel):
    """A signal that has estimates, its series and the windows they are computed over."""

    signal: str
    unit: str
    series: list[str]
    windows_s: list[int]


class AnswerRow(ApiModel):
    """One answer in a list."""

    trace_id: str
    span_id: str
    answer_id: str
    started_at: datetime
    duration_ms: float
    cost_usd: float | None
    service: str
    service_version: str | None
    intent: str | None
    status: str
    question: str | None


class Document(ApiModel):
    """One document in a stage's list, best first."""

    id: str
    score: float | None


class StageSpan(ApiModel):
    """One span of an answer's waterfall."""

    span_id: str
    parent_span_id: str | None
    name: str
    kind: str | None
    stage: str | None
    offset_ms: float
    duration_ms: float
    status: str
    status_message: str | None
    service: str
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    time_to_first_token_ms: float | None
    top_k: int | None
    query_text: str | None
    filter_state: str | None
    filter_in_words: list[str]
    input_documents: list[Document]
    output_documents: list[Document]
    attributes: dict[str, Any]
    dropped_attributes: int


class Answer(ApiModel):
    """Everything about one answer."""

    trace_id: str
    span_id: str
    answer_id: str
    started_at: datetime
    duration_ms: float
    cost_usd: float | None
    service: str
    service_version: str | None
    status: str
    session_id: str | None
    intent: str | None
    slices: dict[str, str]
    question: str | None
    answer: str | None
    citations: list[str]
    refusal: bool | None
    confidence: float | None
    spans: list[StageSpan]


class Release(ApiModel):
    """A version of a service and when its first span arrived."""

    service: str
    service_version: str
    first_seen_at: datetime


class Ran(ApiModel):
    """What `run_due` did: how many looks each job took."""

    now: datetime
    jobs: dict[str, int]


class WhoAmI(ApiModel):
    """The role behind the key."""

    role: str


class Problem(ApiModel):
    """Every error answer: what was wrong and what would be right."""

    error: str
    detail: str
