"""The event of the counters: when a process tells how far it has counted."""

from collections.abc import Callable

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import ManualClock, Receiver, Reply

WaitFor = Callable[[Callable[[], object]], None]


def ask() -> None:
    with ragvigil.pipeline("ask"), ragvigil.stage("retrieve"):
        pass


def test_counters_are_reported_at_flush(receiver: Receiver) -> None:
    ragvigil.configure(service_name="shop", endpoint=receiver.endpoint)
    ask()
    assert ragvigil.flush()
    ask()
    assert ragvigil.flush()
    assert [log.event_name for log in receiver.logs] == [names.EVENT_PROCESS_COUNTS] * 2
    counters = receiver.logs[-1].attributes
    assert {name: number for name, number in counters.items() if number} == {
        names.SPANS_STARTED: 4,
        names.SPANS_EXPORTED: 4,
    }
    assert {names.SPANS_SPOOLED, names.SPANS_DROPPED} <= set(counters)
    assert receiver.logs[-1].resource == receiver.spans[-1].resource


def test_counters_are_reported_in_their_interval(receiver: Receiver, wait_for: WaitFor) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, export_interval_s=0.02, counts_interval_s=0.02)
    ask()
    wait_for(lambda: receiver.logs)


def test_a_process_is_known_as_soon_as_its_first_spans_are(receiver: Receiver, wait_for: WaitFor) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, export_interval_s=0.02, counts_interval_s=3600)
    ask()
    wait_for(lambda: receiver.logs)
    assert receiver.logs[0].attributes[names.SPANS_EXPORTED] == 2
    ask()
    wait_for(lambda: ragvigil.counts().exported == 4)
    assert len(receiver.logs) == 1


def test_counters_that_did_not_change_are_not_reported(receiver: Receiver) -> None:
    ragvigil.configure(endpoint=receiver.endpoint)
    ask()
    for _ in range(3):
        assert ragvigil.flush()
    assert len(receiver.logs) == 1


@pytest.mark.parametrize(("later", "reports"), [(29, 1), (30, 2), (-30, 2)])
def test_a_process_that_idles_tells_so_in_every_hour(receiver: Receiver, later: int, reports: int) -> None:
    clock = ManualClock()
    ragvigil.configure(endpoint=receiver.endpoint, clock=clock)
    ask()
    assert ragvigil.flush()
    clock.set_wall_ns(clock.wall_ns() + later * 60 * 10**9)
    assert ragvigil.flush()
    assert [log.attributes[names.SPANS_STARTED] for log in receiver.logs] == [2] * reports
    assert receiver.logs[-1].attributes == receiver.logs[0].attributes


def test_a_flush_of_a_process_that_idles_does_not_wait_for_a_receiver_that_is_away(
    receiver: Receiver, lenient: None
) -> None:
    clock = ManualClock()
    ragvigil.configure(endpoint=receiver.endpoint, clock=clock)
    ask()
    assert ragvigil.flush()
    receiver.answers = [Reply(503)] * 100
    clock.advance(3600)
    assert ragvigil.flush(timeout_s=30)
    receiver.answers = []
    assert ragvigil.flush()
    assert len(receiver.to("/v1/logs")) == 3


def test_a_process_that_never_began_a_span_tells_nothing(receiver: Receiver) -> None:
    clock = ManualClock()
    ragvigil.configure(endpoint=receiver.endpoint, clock=clock)
    for _ in range(2):
        assert ragvigil.flush()
        clock.advance(7200)
    assert receiver.logs == []


def test_a_receiver_without_logs_is_told_once_and_left_in_peace(
    receiver: Receiver, lenient: None, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.answers = [Reply(), Reply(404), Reply(), Reply()]
    ragvigil.configure(endpoint=receiver.endpoint)
    for _ in range(3):
        ask()
        assert ragvigil.flush()
    assert len(receiver.to("/v1/logs")) == 1
    assert ragvigil.counts().exported == 6
    assert "logs are lost" in caplog.text


@pytest.mark.parametrize("status", [400, 401, 403, 413, 500])
def test_counters_that_were_refused_for_a_moment_are_reported_later(
    receiver: Receiver, lenient: None, status: int
) -> None:
    receiver.answers = [Reply(), Reply(status)]
    ragvigil.configure(endpoint=receiver.endpoint)
    ask()
    assert ragvigil.flush()
    assert ragvigil.flush()
    assert len(receiver.to("/v1/logs")) == 2
    assert receiver.logs[-1].attributes[names.SPANS_EXPORTED] == 2
