"""What the HTTP API answers, as types. Times are UTC, ids are strings, trace and span ids 32 and 16 hex digits."""

from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, Field

from ragvigil_monitor.guardrails.models import AlarmBudget as AlarmBudget
from ragvigil_monitor.guardrails.models import Alert as Alert
from ragvigil_monitor.guardrails.models import AlertState as AlertState
from ragvigil_monitor.guardrails.models import ApiModel as ApiModel
from ragvigil_monitor.guardrails.models import Candidate as Candidate
from ragvigil_monitor.guardrails.models import ChangeSplit as ChangeSplit
from ragvigil_monitor.guardrails.models import Evidence as Evidence
from ragvigil_monitor.guardrails.models import GuardrailState as GuardrailState
from ragvigil_monitor.guardrails.models import SliceShare as SliceShare
from ragvigil_monitor.guardrails.models import State as State
from ragvigil_monitor.guardrails.models import Triage as Triage
from ragvigil_monitor.guardrails.models import TriageNote as TriageNote
from ragvigil_monitor.guardrails.models import TriageVerdict as TriageVerdict


class Acknowledgement(ApiModel):
    """Body of acknowledge: who, and what they know."""

    by: str = Field(min_length=1, max_length=200)
    note: str = Field("", max_length=2000)


class Silence(ApiModel):
    """Body of silence: until when no notification goes out."""

    by: str = Field(min_length=1, max_length=200)
    until: AwareDatetime


class Completeness(ApiModel):
    """Of what one process began, how much is in the store.

    The counters are the newest that the process reported, at `reported_at`; all None where a sender reports none.
    `exported` spans were acknowledged, `spooled` ones written to disk instead and delivered from there by anybody.
    `stored` are its spans that started up to then (all of them without a report); `share` is stored / started.
    """

    service: str
    instance_id: str | None
    reported_at: datetime | None
    started: int | None
    exported: int | None
    spooled: int | None
    dropped: int | None
    stored: int
    share: float | None


class CompletenessHour(ApiModel):
    """Of what a service began in one hour, how much is in the store; what comes late corrects it.

    An hour of a process ends with its last report in it, within a minute of the full hour. started, exported, spooled,
    dropped: what `processes` reported, None where none did. stored: spans that these reports cover; share is stored /
    started. uncounted: spans that no report covers, so that nobody knows how many there should be.
    """

    service: str
    hour: datetime
    processes: int
    started: int | None
    exported: int | None
    spooled: int | None
    dropped: int | None
    stored: int
    uncounted: int
    share: float | None


class IngestCount(ApiModel):
    """What became of received items since the store was made."""

    service: str
    outcome: str
    items: int


class PhoenixAnnotations(ApiModel):
    """What became of the first labels of answers and of thumbs in the last 30 days.

    not_forwarded: the trace is not in Phoenix. given_up: Phoenix never took it. unreached_since: None while it answers.
    """

    delivered: int
    waiting: int
    given_up: int
    not_forwarded: int
    unreached_since: datetime | None
    last_error: str | None


class PhoenixState(ApiModel):
    """What became of the spans that were picked for Phoenix, over all runs of the service, and what is wrong with it.

    forwarded: Phoenix has taken them. dropped: there was no room or no time for them. refused: it does not want them.
    failing_since and error are None while Phoenix takes what it is sent.
    """

    url: str
    share: float
    forwarded: int
    waiting: int
    dropped: int
    refused: int
    failing_since: datetime | None
    error: str | None
    annotations: PhoenixAnnotations


class MonitorProblem(ApiModel):
    """Something of the monitor itself that does not work: a job that fails, a notification that was given up."""

    part: str
    since: datetime
    detail: str


class Status(ApiModel):
    """The on-call page's first look.

    phoenix_urls: where those traces of the alerts that were sent to Phoenix are, by trace id.
    """

    now: datetime
    last_answer_at: datetime | None
    answers_last_24h: int
    budget: AlarmBudget
    guardrails: list[GuardrailState]
    alerts: list[Alert]
    problems: list[MonitorProblem]
    phoenix_urls: dict[str, str]


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
    """One answer in a list; the stage fields are of the stage that was asked for, None without one.

    phoenix_url: where its trace is in Phoenix; None where it was not sent there.
    """

    trace_id: str
    span_id: str
    answer_id: str
    started_at: datetime
    duration_ms: float | None
    cost_usd: float | None
    service: str
    service_version: str | None
    intent: str | None
    status: str
    question: str | None
    stage_duration_ms: float | None
    stage_cost_usd: float | None
    phoenix_url: str | None


class Document(ApiModel):
    """One document in a stage's list, best first."""

    id: str
    score: float | None


class StageSpan(ApiModel):
    """One span of an answer's waterfall. A list of documents is None where the span did not record it."""

    span_id: str
    parent_span_id: str | None
    name: str
    kind: str | None
    stage: str | None
    offset_ms: float
    duration_ms: float | None
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
    input_documents: list[Document] | None
    output_documents: list[Document] | None
    context_tokens: int | None
    context_truncated: bool | None
    attributes: dict[str, Any]
    dropped_attributes: int


class Answer(ApiModel):
    """Everything about one answer.

    citations: ids of the cited documents; None where the application did not record them. phoenix_share: the share of
    the traces that goes to Phoenix; None where there is none. phoenix_url: where this one is; None outside the share.
    """

    trace_id: str
    span_id: str
    answer_id: str
    started_at: datetime
    duration_ms: float | None
    cost_usd: float | None
    service: str
    service_version: str | None
    status: str
    session_id: str | None
    intent: str | None
    slices: dict[str, str]
    question: str | None
    answer: str | None
    citations: list[str] | None
    refusal: bool | None
    confidence: float | None
    phoenix_share: float | None
    phoenix_url: str | None
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
