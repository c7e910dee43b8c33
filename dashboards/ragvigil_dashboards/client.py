"""The API as typed calls; every failure is one sentence that a person can act on."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter, ValidationError

from ragvigil_dashboards.exclusion_models import FalseExclusionRates, Losses, ReviewedRetrieval
from ragvigil_dashboards.feedback_models import FeedbackTotal
from ragvigil_dashboards.instrumentation_models import Instrumentation
from ragvigil_dashboards.judge_models import JudgeInfo
from ragvigil_dashboards.models import (
    Alert,
    Answer,
    AnswerRow,
    Completeness,
    CompletenessHour,
    IngestCount,
    PhoenixState,
    Release,
    Series,
    SignalInfo,
    Status,
)

T = TypeVar("T")
Parameters = Mapping[str, str | int]
Body = Mapping[str, str | bool | Sequence[str]]


class ClientError(Exception):
    """The API gave no usable answer; its text says why and what to do, `status` is the HTTP status if there was one."""

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status


class Api(Protocol):
    """Something that asks the service and returns the bytes of its answer, or raises ClientError."""

    def get(self, path: str, parameters: Parameters) -> bytes:
        """Ask."""

    def post(self, path: str, body: Body) -> bytes:
        """Do."""


class HttpApi:
    """The service at `url`, asked with `key`; one attempt takes at most `timeout_s`."""

    def __init__(self, url: str, key: str, *, timeout_s: float = 10.0) -> None:
        self.url = url.rstrip("/")
        # No idle connections: the service may have closed them by the time that a page asks again.
        self._http = httpx.Client(
            headers={"Authorization": f"Bearer {key}"},
            timeout=timeout_s,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def get(self, path: str, parameters: Parameters) -> bytes:
        """GET below /api/v1."""
        return self._ask(lambda: self._http.get(f"{self.url}/api/v1{path}", params=dict(parameters)))

    def post(self, path: str, body: Body) -> bytes:
        """POST JSON below /api/v1."""
        return self._ask(lambda: self._http.post(f"{self.url}/api/v1{path}", json=dict(body)))

    def _ask(self, send: Callable[[], httpx.Response]) -> bytes:
        try:
            response = send()
        except httpx.TimeoutException as failure:
            raise ClientError(f"The service at {self.url} did not answer in time. It may be overloaded.") from failure
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as failure:
            raise ClientError(
                f"Nothing answers at {self.url}. Start `ragvigil serve`, or give its address with --api."
            ) from failure
        if response.is_success:
            return response.content
        raise ClientError(_refusal(self.url, response), response.status_code)


class Client:
    """The questions that pages ask."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def status(self) -> Status:
        """The first look."""
        return self._read(Status, "/status")

    def alerts(self, *, state: str, limit: int) -> list[Alert]:
        """The newest alerts in one state."""
        return self._read(list[Alert], "/alerts", state=state, limit=limit)

    def acknowledge(self, alert_id: str, *, by: str, note: str) -> None:
        """Note who is on it."""
        self._api.post(f"/alerts/{segment(alert_id)}/acknowledge", {"by": by, "note": note})

    def silence(self, alert_id: str, *, by: str, until: datetime) -> None:
        """Keep an alert quiet until a time."""
        self._api.post(f"/alerts/{segment(alert_id)}/silence", {"by": by, "until": until.isoformat()})

    def signals(self) -> list[SignalInfo]:
        """What can be drawn."""
        return self._read(list[SignalInfo], "/signals")

    def points(self, signal: str, *, window_s: int, start: datetime, end: datetime) -> list[Series]:
        """The looks of a signal."""
        path = f"/signals/{segment(signal)}/points"
        return self._read(list[Series], path, window_s=window_s, start=start.isoformat(), end=end.isoformat())

    def releases(self) -> list[Release]:
        """The newest releases."""
        return self._read(list[Release], "/releases")

    def judges(self) -> list[JudgeInfo]:
        """The judge in use and those that it replaced in the last 28 days."""
        return self._read(list[JudgeInfo], "/judges", days=28)

    def answers(self, **wanted: str | int | None) -> list[AnswerRow]:
        """Answers by `start`, `end`, `order`, `stage`, `intent`, `limit`; None is left out."""
        given = {name: value for name, value in wanted.items() if value is not None}
        return self._read(list[AnswerRow], "/answers", **given)

    def answer(self, trace_id: str) -> list[Answer]:
        """The answers of a trace."""
        return self._read(list[Answer], f"/answers/{segment(trace_id)}")

    def evidence(self, trace_id: str) -> list[ReviewedRetrieval]:
        """What reviewers found of the evidence behind the answers of a trace."""
        return self._read(list[ReviewedRetrieval], f"/answers/{segment(trace_id)}/evidence")

    def false_exclusion(self, *, days: int) -> FalseExclusionRates:
        """How often filters keep the evidence out."""
        return self._read(FalseExclusionRates, "/review/false-exclusion", days=days)

    def losses(self, *, days: int) -> Losses:
        """At which stages evidence is lost."""
        return self._read(Losses, "/review/losses", days=days)

    def completeness(self) -> list[Completeness]:
        """Every process and what is stored of it."""
        return self._read(list[Completeness], "/completeness")

    def completeness_hours(self, *, hours: int) -> list[CompletenessHour]:
        """Every service by hour."""
        return self._read(list[CompletenessHour], "/completeness/hours", hours=hours)

    def ingest(self) -> list[IngestCount]:
        """What became of received items."""
        return self._read(list[IngestCount], "/ingest")

    def instrumentation(self, *, hours: int) -> list[Instrumentation]:
        """What each service told about itself in the last hours."""
        return self._read(list[Instrumentation], "/instrumentation", hours=hours)

    def feedback(self, *, days: int) -> list[FeedbackTotal]:
        """What became of the feedback of the last days."""
        return self._read(list[FeedbackTotal], "/feedback", days=days)

    def phoenix(self) -> PhoenixState | None:
        """What became of the spans for Phoenix; None where there is none."""
        return self._read(PhoenixState | None, "/phoenix")  # type: ignore[arg-type]

    def _read(self, kind: type[T], path: str, **parameters: str | int) -> T:
        return parsed(kind, path, self._api.get(path, parameters))


def parsed(kind: type[T], path: str, body: bytes) -> T:
    """An answer as its type; ClientError where it has another form."""
    try:
        return TypeAdapter[T](kind).validate_json(body)
    except ValidationError as mismatch:
        raise ClientError(_mismatch(path, mismatch)) from mismatch


def segment(text: str) -> str:
    """Any text as one part of a path."""
    return quote(text, safe="")


def _refusal(url: str, response: httpx.Response) -> str:
    detail = _detail(response)
    if response.status_code in {401, 403}:
        return f"The service at {url} refused the key. Give the right key with --key-file. {detail}".strip()
    if response.status_code >= 500:
        return f"The service at {url} failed ({response.status_code}). {detail or 'Its log says why.'}"
    return detail or f"The service at {url} answered {response.status_code}; is it Ragvigil?"


def _detail(response: httpx.Response) -> str:
    try:
        body: Any = response.json()
    except ValueError:
        return ""
    return str(body.get("detail", "")) if isinstance(body, dict) else ""


def _mismatch(path: str, mismatch: ValidationError) -> str:
    first = mismatch.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the whole"
    return (
        f"The service answers {path} in a form that this page does not know ({place}: {first['msg']}). "
        "Install the same version of Ragvigil on both sides."
    )
