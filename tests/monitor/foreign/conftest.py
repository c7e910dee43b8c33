"""A monitor that has received a recording over HTTP and had time to settle it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import httpx
import orjson
import pytest
from tests.samples.foreign.recordings import Request, after, one_span_each, recorded
from tests.samples.otlp import PROTOBUF
from tests.samples.servers import running_api

from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.store import Store

Row = dict[str, Any]
Received = Callable[..., "Seen"]


class Seen:
    """What the store says."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def answers(self) -> list[Row]:
        return self._all("SELECT * FROM answers ORDER BY started_at")

    def spans(self, stage: str | None = None) -> list[Row]:
        found = self._all("SELECT * FROM spans ORDER BY started_at, duration_ms DESC")
        return [row for row in found if stage is None or row["stage"] == stage]

    def of(self, answer: Row, stage: str) -> list[Row]:
        """The stages of one answer."""
        return [
            row
            for row in self.spans(stage)
            if (row["trace_id"], row["answer_span_id"]) == (answer["trace_id"], answer["span_id"])
        ]

    def _all(self, sql: str) -> list[Row]:
        cursor = self.store._cursor().execute(sql)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def ids(row: Row) -> list[str]:
    """Ids of what a search returned."""
    return [each["id"] for each in orjson.loads(row["output_documents"] or "[]")]


@pytest.fixture
def give(make_service: Any, memory_store: Store) -> Callable[..., Seen]:
    """Posts requests to a monitor and runs its jobs `later` after the last span ended; then what its store says."""

    def post(requests: list[Request], later: timedelta = timedelta(minutes=5), runs: int = 2) -> Seen:
        now: datetime = after(requests, later)
        service = make_service(now)
        with running_api(service) as url, httpx.Client(base_url=url, headers=PROTOBUF, timeout=30) as client:
            for request in requests:
                client.post(request.path, content=request.body).raise_for_status()
        for _ in range(runs):
            run_due(service, now)
        return Seen(memory_store)

    return post


@pytest.fixture(params=["as sent", "one span a request", "last first"])
def received(request: Any, give: Callable[..., Seen]) -> Received:
    """Gives a recording by its name: in the requests that were recorded, span by span, or that from the end."""

    def receive(name: str) -> Seen:
        requests = recorded(name)
        if request.param != "as sent":
            requests = one_span_each(requests)
        return give(requests[::-1] if request.param == "last first" else requests)

    return receive
