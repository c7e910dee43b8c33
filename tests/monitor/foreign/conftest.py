"""A monitor that has received what other instrumentations sent, and had time to settle it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import httpx
import orjson
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.samples.foreign.recordings import Request, after
from tests.samples.otlp import NOW, PROTOBUF, traces
from tests.samples.servers import running_api

from ragvigil_monitor.foreign.job import settle_foreign
from ragvigil_monitor.job import Turn
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.store import Store
from ragvigil_monitor.upkeep import link_stages

Row = dict[str, Any]
SCOPE = {"name": "openinference.instrumentation.langchain", "version": "0.1.80"}


class Seen:
    """What the store says."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def answers(self) -> list[Row]:
        """Every answer, the earliest first."""
        return self._all("SELECT * FROM answers ORDER BY started_at, span_id")

    def spans(self, stage: str | None = None) -> list[Row]:
        """Every span, or those of a stage, the earliest first."""
        found = self._all("SELECT * FROM spans ORDER BY started_at, duration_ms DESC")
        return [row for row in found if stage is None or row["stage"] == stage]

    def of(self, answer: Row, stage: str) -> list[Row]:
        """The stages of one answer."""
        key = (answer["trace_id"], answer["span_id"])
        return [row for row in self.spans(stage) if (row["trace_id"], row["answer_span_id"]) == key]

    def cost_usd(self) -> float | None:
        """What the only answer cost."""
        day = timedelta(days=1)
        (row,) = self.store.rows("costs_of_answers", window_start=NOW - day, window_end=NOW + day)
        cost: float | None = row["value"]
        return cost

    def _all(self, sql: str) -> list[Row]:
        cursor = self.store._cursor().execute(sql)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@pytest.fixture
def post(make_service: Any, memory_store: Store) -> Callable[..., Seen]:
    """Posts requests over HTTP and runs all jobs `later` after the last span ended; then what the store says."""

    def give(requests: list[Request], later: timedelta = timedelta(minutes=5)) -> Seen:
        now: datetime = after(requests, later)
        service = make_service(now)
        with running_api(service) as url, httpx.Client(base_url=url, headers=PROTOBUF, timeout=30) as client:
            for request in requests:
                client.post(request.path, content=request.body).raise_for_status()
        run_due(service, now)
        return Seen(memory_store)

    return give


@pytest.fixture
def store_spans(memory_store: Store) -> Callable[..., None]:
    """Stores spans of one request."""

    def put(*spans: Span, scope: Any = SCOPE, now: datetime = NOW) -> None:
        batch = decode_traces(traces(*spans, scope=scope).SerializeToString(), microseconds(now))
        with memory_store.transaction() as writer:
            write(writer, batch, now)

    return put


@pytest.fixture
def settle(make_service: Any, memory_store: Store) -> Callable[..., Seen]:
    """Settles `after_s` seconds after NOW and links what is left, as the jobs do; then what the store says."""

    def run(after_s: float = 60, **options: Any) -> Seen:
        now = NOW + timedelta(seconds=after_s)
        service = make_service(now)
        jobs: list[Callable[..., Any]] = [partial(settle_foreign, **options), link_stages]
        for job in jobs:
            write = job(service, Turn(now, [now], now))
            with memory_store.transaction() as writer:
                write(writer)
        return Seen(memory_store)

    return run


@pytest.fixture
def settled(store_spans: Callable[..., None], settle: Callable[..., Seen]) -> Callable[..., Seen]:
    """Stores spans of one request and settles them a minute later."""

    def give(*spans: Span, **given: Any) -> Seen:
        store_spans(*spans, **given)
        return settle()

    return give


def documents(row: Row) -> list[tuple[str, float | None]]:
    """Ids and scores that a search returned."""
    return [(each["id"], each["score"]) for each in orjson.loads(row["output_documents"] or "[]")]
