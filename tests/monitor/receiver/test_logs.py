"""Log records: counters of processes, and events."""

import json
from datetime import timedelta
from typing import Any

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from tests.samples.otlp import NOW, any_value, logs, record, span_id, trace_id

from ragvigil import attributes as names
from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.api.oncall_completeness import processes
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_logs
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.store import Store


def decoded(*records: LogRecord, **options: Any) -> Batch:
    return decode_logs(logs(*records, **options).SerializeToString(), microseconds(NOW))


def event(batch: Batch) -> dict[str, Any]:
    (row,) = batch.log_events
    return dict(zip(tables.LOG_EVENTS.names, row, strict=True))


def counters(started: object, exported: object = 0, **more: object) -> dict[str, object]:
    return {names.SPANS_STARTED: started, names.SPANS_EXPORTED: exported, **more}


def counts(started: int, exported: int = 0, *, minutes: float = 0, dropped: int = 0, spooled: int = 0) -> LogRecord:
    attributes = counters(started, exported, **{names.SPANS_DROPPED: dropped, names.SPANS_SPOOLED: spooled})
    return record(names.EVENT_PROCESS_COUNTS, attributes, occurred_at=NOW + timedelta(minutes=minutes))


def put(store: Store, *records: LogRecord) -> None:
    with store.transaction() as writer:
        write(writer, decoded(*records), NOW)


def reported(store: Store) -> dict[str, Any]:
    (only,) = processes(
        store,
        since=NOW - timedelta(days=1),
        spans_since=NOW - timedelta(days=1),
        doctor="",
        limit=10,
    )
    return only


def totals(store: Store) -> dict[str, int]:
    return {row["outcome"]: row["items"] for row in store.rows("ingest_totals")}


def test_an_event_keeps_what_it_carries() -> None:
    sent = record(
        attributes={names.FEEDBACK_ID: "f-1", "ragvigil.feedback.kind": "thumbs_down"},
        trace_id=trace_id(3),
        span_id=span_id(4),
        body=any_value("not what I asked"),
        severity_text="INFO",
    )
    found = event(decoded(sent))
    assert (found["event_id"], found["event_name"]) == ("f-1", names.EVENT_FEEDBACK)
    assert (found["trace_id"], found["span_id"], found["body"]) == (trace_id(3), span_id(4), "not what I asked")
    assert json.loads(found["attributes"])["ragvigil.feedback.kind"] == "thumbs_down"
    assert json.loads(found["attributes"])["otel.severity_text"] == "INFO"


def test_the_older_place_of_the_event_name_is_read() -> None:
    found = event(decoded(record("", {names.EVENT_NAME: "gen_ai.evaluation.result"})))
    assert found["event_name"] == "gen_ai.evaluation.result"
    assert found["attributes"] is None


def test_a_plain_log_line_has_no_event_name() -> None:
    assert event(decoded(record("", body=any_value("hello"))))["event_name"] == ""


def test_a_structured_body_is_kept_as_json() -> None:
    assert json.loads(event(decoded(record(body=any_value({"a": [1]}))))["body"]) == {"a": [1]}


def test_client_and_call_times_are_kept_apart() -> None:
    late = microseconds(NOW) * 1000
    found = event(decoded(record(occurred_at=NOW - timedelta(days=2), observed_time_unix_nano=late)))
    assert found["occurred_at"] == microseconds(NOW - timedelta(days=2))
    assert found["observed_at"] == microseconds(NOW)


def test_without_a_time_the_call_counts() -> None:
    batch = decoded(record(time_unix_nano=0))
    assert event(batch)["occurred_at"] == microseconds(NOW)
    assert not batch.outcomes


@pytest.mark.parametrize("nanoseconds", [1, 2**64 - 1], ids=["1970", "far future"])
def test_an_impossible_time_is_replaced_and_counted(nanoseconds: int) -> None:
    batch = decoded(record(time_unix_nano=nanoseconds, observed_time_unix_nano=0))
    assert event(batch)["occurred_at"] == microseconds(NOW)
    assert batch.outcomes == {("shop", "flawed_bad_time"): 1}


def test_an_event_is_stored_once_however_often_it_comes(memory_store: Store) -> None:
    feedback = record(attributes={names.FEEDBACK_ID: "f-1"})
    plain = record("app.click", {"x": 1})
    put(memory_store, feedback, plain, plain)
    put(memory_store, plain, feedback)
    assert totals(memory_store) == {"logs_committed": 2, "logs_duplicate": 3}


def test_events_without_an_id_differ_by_content(memory_store: Store) -> None:
    put(memory_store, record("click", {"x": 1}), record("click", {"x": 2}), record("clack", {"x": 1}))
    assert totals(memory_store) == {"logs_committed": 3}


def test_the_highest_counters_of_a_process_are_kept_in_any_order(memory_store: Store) -> None:
    put(memory_store, counts(10, 4, minutes=1), counts(30, 25, minutes=3, dropped=2), counts(20, 12, minutes=2))
    put(memory_store, counts(15, 5, minutes=1.5))
    found = reported(memory_store)
    assert (found["started"], found["exported"], found["dropped"]) == (30, 25, 2)
    assert found["reported_at"] == NOW + timedelta(minutes=3)
    assert totals(memory_store) == {"logs_committed": 3, "logs_duplicate": 1}


def test_counters_are_kept_by_process(memory_store: Store) -> None:
    for instance in ("one", "two"):
        batch = decoded(counts(10), resource={names.SERVICE_NAME: "shop", names.SERVICE_INSTANCE_ID: instance})
        with memory_store.transaction() as writer:
            write(writer, batch, NOW)
    rows = processes(
        memory_store,
        since=NOW - timedelta(days=1),
        spans_since=NOW - timedelta(days=1),
        doctor="",
        limit=10,
    )
    assert {row["instance_id"] for row in rows} == {"one", "two"}


@pytest.mark.parametrize(
    "attributes",
    [{}, counters(-1), counters("10"), counters(10, 1.5), counters(2**63 - 1, True), counters(float("nan"))],
    ids=str,
)
def test_counters_that_cannot_be_read_are_rejected(attributes: dict[str, object]) -> None:
    batch = decoded(record(names.EVENT_PROCESS_COUNTS, attributes))
    assert batch.process_counts == []
    assert batch.outcomes == {("shop", "rejected_bad_process_counts"): 1}


def test_counters_of_nobody_are_rejected() -> None:
    batch = decoded(counts(10), resource={names.SERVICE_NAME: "shop"})
    assert batch.rejected() == 1


@pytest.mark.parametrize("value", [["a"], {"b": 1}, 7, b"x"], ids=repr)
def test_an_event_name_or_id_of_another_type_is_survived(memory_store: Store, value: object) -> None:
    put(memory_store, record("", {names.EVENT_NAME: value, names.FEEDBACK_ID: value}))
    assert totals(memory_store) == {"logs_committed": 1}


def test_a_report_that_tells_nothing_new_is_a_duplicate(memory_store: Store) -> None:
    put(memory_store, counts(10, 8), counts(12, 9, minutes=1), counts(12, 9, minutes=1))
    assert totals(memory_store) == {"logs_committed": 2, "logs_duplicate": 1}
    put(memory_store, counts(12, 9, minutes=1))
    put(memory_store, counts(10, 8))
    assert totals(memory_store) == {"logs_committed": 2, "logs_duplicate": 3}


def test_a_late_report_of_an_hour_without_one_is_news(memory_store: Store) -> None:
    put(memory_store, counts(12, 9))
    put(memory_store, counts(5, 4, minutes=-90))
    assert totals(memory_store) == {"logs_committed": 2}


@pytest.mark.parametrize(
    "again",
    [counts(13, 8), counts(12, 9), counts(12, 8, dropped=1), counts(12, 8, minutes=1), counts(12, 8, spooled=1)],
    ids=["started", "exported", "dropped", "later", "spooled"],
)
def test_a_report_that_moves_any_counter_is_news(memory_store: Store, again: LogRecord) -> None:
    put(memory_store, counts(12, 8))
    put(memory_store, again)
    assert totals(memory_store) == {"logs_committed": 2}
