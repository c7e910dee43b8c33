"""How complete the telemetry of each service is, hour by hour."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.samples.otlp import logs, record, span, traces
from tests.samples.world import World

from ragvigil import attributes as names
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write

HOUR = timedelta(hours=1)


def resource(instance: str | None, service: str = "shop") -> dict[str, object]:
    named = {} if instance is None else {names.SERVICE_INSTANCE_ID: instance}
    return {names.SERVICE_NAME: service, **named}


class Telemetry:
    """Sends spans and counters of processes to a store, as the receiver writes them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._number = 0

    def spans(self, number: int, at: datetime, instance: str | None = "i-1", service: str = "shop") -> None:
        first, self._number = self._number + 1, self._number + number
        spans = [span(each, started_at=at) for each in range(first, first + number)]
        request = traces(*spans, resource=resource(instance, service))
        self._write(decode_traces(request.SerializeToString(), microseconds(self._world.now)))

    def counts(self, started: int, at: datetime, instance: str = "i-1", *, dropped: int = 0) -> None:
        counters = {names.SPANS_STARTED: started, names.SPANS_EXPORTED: started - dropped, names.SPANS_DROPPED: dropped}
        event = record(names.EVENT_PROCESS_COUNTS, {**counters, names.SPANS_SPOOLED: 0}, occurred_at=at)
        body = logs(event, resource=resource(instance)).SerializeToString()
        self._write(decode_logs(body, microseconds(self._world.now)))

    def _write(self, batch: Batch) -> None:
        with self._world.store.transaction() as writer:
            write(writer, batch, self._world.now)


@pytest.fixture
def telemetry(empty: World) -> Telemetry:
    return Telemetry(empty)


@pytest.fixture
def full_hour(empty: World) -> datetime:
    """Three hours before the present one."""
    return empty.now.replace(minute=0, second=0, microsecond=0) - 3 * HOUR


def hours_of(world: World, **asked: Any) -> dict[tuple[str, datetime], dict[str, Any]]:
    found = world.get("/completeness/hours", **asked)
    return {(row["service"], datetime.fromisoformat(row["hour"])): row for row in found}


def told(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("processes", "started", "dropped", "stored", "uncounted", "share"))


def minute(number: float) -> timedelta:
    return timedelta(minutes=number)


def test_each_hour_is_compared_with_what_the_counters_rose_by(
    empty: World, telemetry: Telemetry, full_hour: datetime
) -> None:
    telemetry.spans(10, full_hour + minute(10))
    telemetry.counts(8, full_hour + minute(30))
    telemetry.counts(10, full_hour + minute(59))
    telemetry.spans(3, full_hour + HOUR + minute(10))
    telemetry.counts(14, full_hour + HOUR + minute(59), dropped=1)
    found = hours_of(empty)
    assert told(found["shop", full_hour]) == (1, 10, 0, 10, 0, 1.0)
    assert told(found["shop", full_hour + HOUR]) == (1, 4, 1, 3, 0, 0.75)


def test_what_begins_between_the_last_report_and_the_full_hour_belongs_to_the_next(
    empty: World, telemetry: Telemetry, full_hour: datetime
) -> None:
    telemetry.counts(0, full_hour + minute(59))
    telemetry.spans(2, full_hour + minute(59.5))
    telemetry.counts(2, full_hour + HOUR + minute(0.2))
    found = hours_of(empty)
    assert told(found["shop", full_hour]) == (1, 0, 0, 0, 0, None)
    assert told(found["shop", full_hour + HOUR]) == (1, 2, 0, 2, 0, 1.0)


def test_what_comes_late_corrects_an_earlier_hour(empty: World, telemetry: Telemetry, full_hour: datetime) -> None:
    telemetry.counts(5, full_hour + HOUR + minute(59))
    telemetry.spans(1, full_hour + minute(10))
    assert told(hours_of(empty)["shop", full_hour + HOUR]) == (1, 5, 0, 1, 0, 0.2)
    telemetry.counts(4, full_hour + minute(59))
    telemetry.spans(3, full_hour + minute(11))
    found = hours_of(empty)
    assert told(found["shop", full_hour]) == (1, 4, 0, 4, 0, 1.0)
    assert told(found["shop", full_hour + HOUR]) == (1, 1, 0, 0, 0, 0.0)


def test_spans_without_counts_are_never_complete(empty: World, telemetry: Telemetry, full_hour: datetime) -> None:
    telemetry.spans(7, full_hour, instance=None)
    telemetry.spans(2, full_hour, instance="stock-sdk")
    assert told(hours_of(empty)["shop", full_hour]) == (0, None, None, 0, 9, None)


def test_processes_that_report_and_others_are_told_apart(
    empty: World, telemetry: Telemetry, full_hour: datetime
) -> None:
    for instance, stored in (("i-1", 4), ("i-2", 3), (None, 5)):
        telemetry.spans(stored, full_hour + minute(1), instance)
    for instance in ("i-1", "i-2"):
        telemetry.counts(4, full_hour + minute(2), instance)
    telemetry.spans(6, full_hour, "i-9", service="other")
    found = hours_of(empty)
    assert told(found["shop", full_hour]) == (2, 8, 0, 7, 5, 7 / 8)
    assert told(found["other", full_hour]) == (0, None, None, 0, 6, None)


def test_what_began_after_the_last_report_is_not_judged_yet(
    empty: World, telemetry: Telemetry, full_hour: datetime
) -> None:
    telemetry.counts(1, full_hour + minute(1))
    telemetry.spans(1, full_hour)
    telemetry.spans(6, full_hour + minute(5))
    assert told(hours_of(empty)["shop", full_hour]) == (1, 1, 0, 1, 6, 1.0)


def test_after_a_silence_of_hours_no_hour_is_judged(empty: World, telemetry: Telemetry, full_hour: datetime) -> None:
    telemetry.counts(100, full_hour - 4 * HOUR)
    telemetry.spans(2, full_hour - HOUR)
    telemetry.spans(2, full_hour)
    telemetry.counts(500, full_hour + minute(30))
    telemetry.spans(1, full_hour + minute(40))
    telemetry.counts(501, full_hour + HOUR)
    found = hours_of(empty)
    assert told(found["shop", full_hour - HOUR]) == (0, None, None, 0, 2, None)
    assert told(found["shop", full_hour]) == (0, None, None, 0, 2, None)
    assert told(found["shop", full_hour + HOUR]) == (1, 1, 0, 1, 0, 1.0)


def test_reports_may_come_twice_and_in_any_order(empty: World, telemetry: Telemetry, full_hour: datetime) -> None:
    telemetry.spans(9, full_hour + minute(1))
    for started, at in ((9, 50), (4, 20), (9, 50), (1, 10)):
        telemetry.counts(started, full_hour + minute(at))
    assert told(hours_of(empty)["shop", full_hour]) == (1, 9, 0, 9, 0, 1.0)


def test_only_the_hours_asked_for_are_told(empty: World, telemetry: Telemetry, full_hour: datetime) -> None:
    telemetry.spans(1, full_hour)
    assert list(hours_of(empty, hours=4)) == [("shop", full_hour)]
    assert hours_of(empty, hours=3) == {}
    assert empty.refusal("/completeness/hours", hours=10_000)[0] == 422


def test_the_first_hour_asked_for_is_compared_with_the_one_before(
    empty: World, telemetry: Telemetry, full_hour: datetime
) -> None:
    telemetry.counts(10, full_hour - HOUR + minute(58))
    telemetry.spans(5, full_hour - minute(1))
    telemetry.counts(15, full_hour + minute(1))
    assert told(hours_of(empty, hours=4)["shop", full_hour]) == (1, 5, 0, 5, 0, 1.0)


def test_an_empty_store_has_no_hours(empty: World) -> None:
    assert hours_of(empty) == {}


def test_a_first_report_in_view_of_a_process_that_reported_before_is_unclear(
    empty: World, telemetry: Telemetry, full_hour: datetime
) -> None:
    telemetry.counts(1_000_000, full_hour - timedelta(days=10))
    telemetry.counts(1_000_010, full_hour + minute(30))
    telemetry.counts(7, full_hour + minute(30), "i-2")
    row = hours_of(empty)["shop", full_hour]
    assert (row["processes"], row["started"]) == (1, 7)
