"""Whatever the order and however often requests come, the tables are the same in the end."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from tests.samples.collector_files import json_line
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import NOW, PROTOBUF, logs, rag_trace, record, span_id, trace_id, traces
from tests.samples.servers import running_api

from ragvigil import attributes as names
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import LatestTime, Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

TABLES = {
    "spans": "span_id",
    "answers": "span_id",
    "query_vectors": "span_id",
    "log_events": "event_id",
    "process_counts": "instance_id",
    "process_counts_by_hour": "hour",
    "feedback": "feedback_id",
}
NOT_COMPARED = {"number", "event_number", "arrived_at", "joined_at"}
"""What says in which order something came, and when."""
TRACES_SENT = 3


def feedback(number: int) -> LogRecord:
    """Thumbs down for an answer, given a minute after it."""
    said = {names.FEEDBACK_ID: f"f-{number}", names.FEEDBACK_KIND: "thumbs_down"}
    answer = {"trace_id": trace_id(number + 1), "span_id": span_id(number * 6 + 1)}
    return record(names.EVENT_FEEDBACK, said, occurred_at=NOW + timedelta(minutes=1), **answer)


def counters(started: int, minutes: int) -> LogRecord:
    values = dict.fromkeys((names.SPANS_EXPORTED, names.SPANS_SPOOLED, names.SPANS_DROPPED), 0)
    at = NOW + timedelta(minutes=minutes)
    return record(names.EVENT_PROCESS_COUNTS, {names.SPANS_STARTED: started, **values}, occurred_at=at)


def requests() -> list[tuple[str, bytes]]:
    """Three answers, each root and its stages apart and one stage alone; their feedback, and counters of a process."""
    sent: list[tuple[str, bytes]] = []
    for number in range(TRACES_SENT):
        root, first, *stages = rag_trace(number)
        parts = [traces(root), traces(first), traces(*stages)]
        sent += [("/v1/traces", part.SerializeToString()) for part in parts]
        sent.append(("/v1/logs", logs(feedback(number)).SerializeToString()))
    sent += [("/v1/logs", logs(counters(number, 10 * number)).SerializeToString()) for number in (1, 3, 6)]
    return sent


SENT = requests()


@dataclass
class Clock:
    """A clock that is set from outside."""

    now: datetime = NOW + timedelta(hours=1)
    jumps: list[timedelta] = field(default_factory=list)

    def __call__(self) -> datetime:
        """The present, after the next of the jumps if there is one."""
        if self.jumps:
            self.now = NOW + timedelta(hours=1) + self.jumps.pop()
        return self.now


def tables_after(
    sending: Sequence[int], send: Callable[[str, Sequence[int]], None], clock: Clock | None = None
) -> dict[str, list[dict[str, Any]]]:
    """What a new store holds when these requests were sent, and all jobs that link and join have run."""
    store, clock = fresh_store(), clock or Clock()
    with Committer(store, clock=clock) as committer:
        service = Service(store, Settings.load(), Keys.generate(), committer, clock)
        with running_api(service) as url:
            send(url, sending)
        clock.now, clock.jumps = NOW + timedelta(hours=2), []
        assert run_due(service, clock.now)
        assert store.rows("job_problems_now") == []
    found = {table: contents(store, table, key) for table, key in TABLES.items()}
    store.close()
    return found


def contents(store: Store, table: str, key: str) -> list[dict[str, Any]]:
    cursor = store._connection.execute(f"SELECT * FROM {table} ORDER BY {key}")  # noqa: S608 - names from above
    columns = [column[0] for column in cursor.description or []]
    rows = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    return [{name: value for name, value in row.items() if name not in NOT_COMPARED} for row in rows]


def one_after_the_other(url: str, sending: Sequence[int]) -> None:
    with httpx.Client(base_url=url, headers=PROTOBUF, timeout=30) as client:
        for number in sending:
            path, body = SENT[number]
            assert client.post(path, content=body).status_code == 200


def several_at_once(url: str, sending: Sequence[int]) -> None:
    """So that copies fall into the same group and into different ones."""
    with httpx.Client(base_url=url, headers=PROTOBUF, timeout=30) as client, ThreadPoolExecutor(8) as pool:
        for answer in pool.map(lambda number: client.post(SENT[number][0], content=SENT[number][1]), sending):
            assert answer.status_code == 200


@pytest.fixture(scope="module")
def expected() -> dict[str, list[dict[str, Any]]]:
    """The tables after every request once, in the order of the events."""
    return tables_after(range(len(SENT)), one_after_the_other)


def test_the_expected_tables_are_complete(expected: dict[str, list[dict[str, Any]]]) -> None:
    sizes = {table: len(rows) for table, rows in expected.items()}
    assert sizes == {
        "spans": 6 * TRACES_SENT,
        "answers": TRACES_SENT,
        "query_vectors": TRACES_SENT,
        "log_events": TRACES_SENT,
        "process_counts": 1,
        "process_counts_by_hour": 2,
        "feedback": TRACES_SENT,
    }
    assert {row["answer_started_at"] is not None for row in expected["feedback"]} == {True}


again = st.lists(st.integers(0, len(SENT) - 1), max_size=20)
orders = again.flatmap(lambda repeated: st.permutations([*range(len(SENT)), *repeated]))
"""Every request once or more, in any order."""


@given(orders, st.booleans())
@settings(max_examples=10, deadline=None, derandomize=True)
def test_any_order_and_repetition_ends_in_the_same_tables(
    expected: dict[str, list[dict[str, Any]]], order: Any, at_once: bool
) -> None:
    send = several_at_once if at_once else one_after_the_other
    assert tables_after(order, send) == expected


@pytest.mark.parametrize("sending", [range(len(SENT)), range(len(SENT) - 1, -1, -1)], ids=["in order", "reversed"])
def test_everything_three_times_is_stored_once(expected: dict[str, Any], sending: Sequence[int]) -> None:
    assert tables_after([*sending] * 3, several_at_once) == expected


jumps = st.lists(st.integers(-50, 50).map(lambda hours: timedelta(hours=hours)), min_size=4, max_size=60)


@given(orders, jumps)
@settings(max_examples=8, deadline=None, derandomize=True)
def test_a_clock_that_jumps_after_it_was_right_loses_and_doubles_nothing(
    expected: dict[str, Any], order: Sequence[int], jumps: Sequence[timedelta]
) -> None:
    found = tables_after(order, one_after_the_other, Clock(jumps=[*jumps, timedelta(0)]))
    assert keys_of(found) == keys_of(expected)


@pytest.mark.parametrize("hours", [-100, -10, -2, 2, 10, 1000])
def test_after_a_restart_with_another_clock_copies_are_recognised(memory_store: Store, totals: Any, hours: int) -> None:
    for clock in (Clock(), Clock(NOW + timedelta(hours=hours))):
        with Committer(memory_store, clock=clock) as committer:
            parts = (memory_store, Settings.load(), Keys.generate(), committer, clock)
            with running_api(Service(*parts, latest=LatestTime.stored(memory_store))) as url:
                one_after_the_other(url, range(len(SENT)))
    found = totals()
    assert found["spans_committed"] == found["spans_duplicate"] == 6 * TRACES_SENT
    assert found["logs_duplicate"] == 2 * TRACES_SENT
    assert "flawed_bad_time" not in found


def test_an_import_believes_times_while_the_clock_is_behind_what_was_stored(memory_store: Store, totals: Any) -> None:
    body = json_line(traces(*rag_trace(1)))
    with Committer(memory_store, clock=Clock()) as committer:
        service = Service(memory_store, Settings.load(), Keys.generate(), committer, Clock(NOW - timedelta(days=2)))
        service.latest.at = NOW
        headers = {"Authorization": f"Bearer {service.keys.by_role[Role.ADMIN]}"}
        with running_api(service) as url:
            answer = httpx.post(f"{url}/api/v1/admin/import/requests/traces", content=body, headers=headers)
    assert "flawed_bad_time" not in answer.raise_for_status().json()["outcomes"]


def test_a_clock_that_was_years_ahead_is_not_trusted_for_ever(memory_store: Store) -> None:
    clock = Clock(NOW + timedelta(days=4000))
    with Committer(memory_store, clock=clock) as committer:
        service = Service(memory_store, Settings.load(), Keys.generate(), committer, clock)
        assert service.received_at() == clock.now
        clock.now = NOW
        assert service.received_at() == NOW + timedelta(days=7)


def keys_of(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[Any]]:
    return {table: [row[key] for row in found[table]] for table, key in TABLES.items() if table != "feedback"}
