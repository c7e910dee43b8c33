"""What the pages read of the API's answers: only the fields that they use; unknown ones are ignored."""

from datetime import datetime

from pydantic import Field

from ragvigil_dashboards.answer_models import Answer as Answer
from ragvigil_dashboards.answer_models import AnswerRow as AnswerRow
from ragvigil_dashboards.answer_models import Document as Document
from ragvigil_dashboards.answer_models import StageSpan as StageSpan
from ragvigil_dashboards.read import Read as Read


class GuardrailState(Read):
    """What a guardrail says of one series now."""

    guardrail: str
    series: str
    state: str
    since: datetime
    evaluated_at: datetime
    sentence: str


class SliceShare(Read):
    """How one slice did in the window of an alert."""

    name: str
    value: str
    n: int
    estimate: float


class Candidate(Read):
    """Something new that was first seen near the onset, such as a release."""

    kind: str
    service: str
    value: str
    first_seen_at: datetime
    bayes_factor: float | None


class Triage(Read):
    """What the times let suspect, and between which times something new would have been a candidate."""

    verdict: str
    sentence: str
    searched_from: datetime
    searched_until: datetime


class TriageNote(Read):
    """A verdict and the look that first gave it."""

    judged_at: datetime
    verdict: str


class ChangeSplit(Read):
    """What a change is made of: mix + rate = after - before."""

    name: str
    before: float
    after: float
    mix: float
    rate: float


class Evidence(Read):
    """What stands behind an alert."""

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
    also_in_breach: list[str] = Field(default_factory=list)
    slices_among: str | None = None
    triage: Triage | None = None
    triages: list[TriageNote] = Field(default_factory=list)
    split: ChangeSplit | None = None


class Alert(Read):
    """One incident of one guardrail on one series."""

    alert_id: str
    guardrail: str
    series: str
    state: str
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
    cross_check: str | None


class AlarmBudget(Read):
    """How many false alarms a week may be expected."""

    per_week: float
    looks_per_week: int


class MonitorProblem(Read):
    """Something of the monitor itself that does not work."""

    part: str
    since: datetime
    detail: str


class Status(Read):
    """The first look."""

    now: datetime
    last_answer_at: datetime | None
    answers_last_24h: int
    budget: AlarmBudget
    guardrails: list[GuardrailState]
    alerts: list[Alert]
    problems: list[MonitorProblem]
    phoenix_urls: dict[str, str] = Field(default_factory=dict)


class Completeness(Read):
    """Of what one process began, how much is stored."""

    service: str
    instance_id: str | None
    reported_at: datetime | None
    started: int | None
    exported: int | None
    spooled: int | None
    dropped: int | None
    stored: int
    share: float | None


class CompletenessHour(Read):
    """Of what a service began in one hour, how much is stored."""

    service: str
    hour: datetime
    processes: int
    started: int | None
    dropped: int | None
    stored: int
    uncounted: int
    share: float | None


class IngestCount(Read):
    """What became of received items."""

    service: str
    outcome: str
    items: int


class PhoenixAnnotations(Read):
    """What became of what people said of answers."""

    delivered: int
    waiting: int
    given_up: int
    not_forwarded: int
    unreached_since: datetime | None
    last_error: str | None


class PhoenixState(Read):
    """What became of the spans and annotations for Phoenix, and what is wrong with it."""

    url: str
    share: float
    forwarded: int
    waiting: int
    dropped: int
    refused: int
    failing_since: datetime | None
    error: str | None
    annotations: PhoenixAnnotations


class SeriesPoint(Read):
    """One look of a signal at one series."""

    window_end: datetime
    value: float | None
    lower: float | None
    upper: float | None
    limit: float | None
    n: int
    state: str


class Series(Read):
    """One line of a chart."""

    signal: str
    series: str
    unit: str
    points: list[SeriesPoint]


class SignalInfo(Read):
    """A signal, its series and its windows."""

    signal: str
    unit: str
    series: list[str]
    windows_s: list[int]


class Release(Read):
    """A version of a service and when it was first seen."""

    service: str
    service_version: str
    first_seen_at: datetime
