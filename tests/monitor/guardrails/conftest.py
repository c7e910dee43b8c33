"""Looks of the guardrails, hour by hour, over synthetic traffic; and a real HTTP receiver of notifications."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ragvigil_monitor.api.models import Alert, AlertState, Evidence
from ragvigil_monitor.guardrails.registry import GUARDRAILS
from ragvigil_monitor.job import Job
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.judges.judging import JUDGE
from ragvigil_monitor.review.drawing import DRAW, DRAW_RELEVANCE
from ragvigil_monitor.review.label_reading import READ_LABELS
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.rates import RATES
from ragvigil_monitor.store import Store

REVIEWING = (DRAW, DRAW_RELEVANCE, READ_LABELS, JUDGE)
_PARTS_OF_RATE = ("", "_history", "_counts")


@pytest.fixture
def hourly_settings() -> dict[str, Any]:
    """An SLO for the answer and one stage, a budget for the mean cost; hourly looks over 1 h and 24 h."""
    return {
        "schedule": {"tick_s": 0, "lateness_s": 0},
        "guardrails": {
            "latency_p95": {"slo_ms": {"answer": 1500, "rerank": 300}, "every_s": 3600, "windows_h": [1, 24]},
            "cost_per_query": {"budget_usd": {"mean": 0.01}, "every_s": 3600, "windows_h": [24]},
            "regeneration_rate": {"enabled": False},
            "query_drift": {"enabled": False},
            "false_exclusion": {"enabled": False},
            "faithfulness": {"enabled": False},
        },
    }


def _running(monday: datetime, is_listed: Callable[[Job], bool]) -> Callable[[Service, float], dict[str, int]]:
    def listed(settings: Settings) -> list[Job]:
        return [job for job in jobs(settings) if is_listed(job)]

    return lambda service, after_h: run_due(service, monday + timedelta(hours=after_h), listed=listed)


@pytest.fixture
def judge_until(monday: datetime) -> Callable[[Service, float], dict[str, int]]:
    """Runs what latency and cost need of what is due so many hours after Monday."""
    others = {*_names_of_rates(), *(guardrail.name for guardrail in GUARDRAILS)} - {"latency_p95", "cost_per_query"}
    return _running(monday, lambda job: job not in REVIEWING and job.name not in others and "drift" not in job.name)


@pytest.fixture
def watch_until(monday: datetime) -> Callable[[Service, float], dict[str, int]]:
    """Runs what is due but drawing and judging answers, which take most of the time of weeks of traffic."""
    return _running(monday, lambda job: job not in REVIEWING)


@pytest.fixture
def watch_regenerations_until(monday: datetime) -> Callable[[Service, float], dict[str, int]]:
    """Runs what the regeneration rate needs of what is due."""
    needed = {"join_feedback", "hour_sums", "settle", *(f"regeneration_rate{part}" for part in _PARTS_OF_RATE)}
    return _running(monday, lambda job: job.name in needed)


def _names_of_rates() -> set[str]:
    return {rate.name + part for rate in RATES for part in _PARTS_OF_RATE}


@pytest.fixture
def alerts(memory_store: Store) -> Callable[[], list[Alert]]:
    """Reads all alerts, the first one first."""

    def read() -> list[Alert]:
        rows = memory_store.rows("alerts_newest", states=list(AlertState), limit=500)
        found = [Alert(**{**row, "evidence": Evidence.model_validate_json(row["evidence"])}) for row in rows]
        return sorted(found, key=lambda alert: (alert.opened_at, alert.series))

    return read


@dataclass
class Receiver:
    """Answers POST requests with the next of `statuses` (the last one for ever), and keeps what it got.

    headers: sent with every answer. silent: while set, requests get no answer at all.
    """

    url: str = ""
    statuses: list[int] = field(default_factory=lambda: [200])
    headers: dict[str, str] = field(default_factory=dict)
    silent: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver of webhooks on an ephemeral loopback port."""
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            if state.silent.is_set():
                state.released.wait(30)
                return
            self.send_response(state.statuses.pop(0) if len(state.statuses) > 1 else state.statuses[0])
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            state.requests.append(("GET " + self.path, {}, b""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the base class uses
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    yield state
    state.released.set()
    server.shutdown()
    thread.join()
    server.server_close()
