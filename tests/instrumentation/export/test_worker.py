"""The background thread: starts when needed, never spins, survives whatever fails."""

import threading
import time
from collections.abc import Callable

import pytest

import ragvigil
from ragvigil import current
from ragvigil.export.exporter import ACCEPTED, Delivery, Outcome, Signal
from ragvigil.testing import InMemoryExporter, SequentialIds

WaitFor = Callable[[Callable[[], object]], None]


class Counting:
    """Answers every attempt alike and remembers when it was made."""

    def __init__(self, answer: Delivery) -> None:
        self.answer = answer
        self.attempts: list[Signal] = []

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        assert payload
        self.attempts.append(signal)
        return self.answer

    def close(self) -> None:
        self.attempts.append(Signal.LOGS)


def worker_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "ragvigil-export"]


def record() -> None:
    with ragvigil.stage("retrieve"):
        pass


def test_no_thread_runs_before_the_first_span_and_none_after_shutdown() -> None:
    ragvigil.configure(exporter=InMemoryExporter())
    assert worker_threads() == []
    record()
    (thread,) = worker_threads()
    assert thread.daemon
    assert ragvigil.shutdown()
    assert worker_threads() == []


def test_one_thread_serves_all(wait_for: WaitFor) -> None:
    ragvigil.configure(exporter=InMemoryExporter())
    threads = [threading.Thread(target=record) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(worker_threads()) == 1
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=20, exported=20)


def test_attempts_are_spaced_while_the_receiver_fails(lenient: None) -> None:
    exporter = Counting(Delivery(Outcome.RETRY, reason="busy"))
    ragvigil.configure(exporter=exporter, export_interval_s=0.001)
    record()
    assert not ragvigil.flush(timeout_s=0.6)
    assert 1 <= len(exporter.attempts) <= 4


def test_every_flush_tries_at_once_however_long_the_pause(lenient: None) -> None:
    exporter = Counting(Delivery(Outcome.RETRY, retry_after_s=3600.0, reason="busy"))
    ragvigil.configure(exporter=exporter)
    record()
    for _ in range(3):
        assert not ragvigil.flush(timeout_s=0.1)
    assert len(exporter.attempts) == 3
    exporter.answer = ACCEPTED
    assert ragvigil.flush(timeout_s=5)


class BrokenClock:
    """Has monotonic time only."""

    def wall_ns(self) -> int:
        if threading.current_thread().name == "ragvigil-export":
            raise OSError("no clock")
        return 0

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()


def test_a_thread_whose_work_fails_goes_on_and_does_not_spin(lenient: None) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(clock=BrokenClock(), ids=SequentialIds(), exporter=exporter)
    record()
    began = time.process_time()
    assert not ragvigil.flush(timeout_s=0.5)
    assert time.process_time() - began < 0.25
    assert len(exporter.spans) == 1
    assert len(worker_threads()) == 1


def test_shutdown_does_not_wait_for_a_receiver_that_fails(lenient: None) -> None:
    ragvigil.configure(exporter=Counting(Delivery(Outcome.RETRY, retry_after_s=3600.0)))
    record()
    began = time.monotonic()
    assert not ragvigil.shutdown(timeout_s=0.1)
    assert time.monotonic() - began < 5


def test_what_is_lost_at_shutdown_is_counted(lenient: None) -> None:
    ragvigil.configure(exporter=Counting(Delivery(Outcome.RETRY)))
    recorder = current.recorder
    assert recorder is not None
    record()
    ragvigil.shutdown(timeout_s=0.05)
    assert recorder.counts() == ragvigil.Counts(started=1, dropped=1)


@pytest.mark.parametrize("spans", [1, 1001, 2500])
def test_large_backlogs_leave_in_batches(spans: int) -> None:
    exporter = Counting(ACCEPTED)
    ragvigil.configure(exporter=exporter, max_queue_traces=10_000, export_interval_s=3600, counts_interval_s=3600)
    for _ in range(spans):
        record()
    assert ragvigil.flush()
    assert ragvigil.counts().exported == spans
    assert exporter.attempts.count(Signal.TRACES) >= -(-spans // 1000)


def test_the_counters_are_safe_in_threads() -> None:
    ragvigil.configure(exporter=InMemoryExporter(), max_queue_traces=100_000)

    def work() -> None:
        for _ in range(500):
            record()
            ragvigil.counts()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ragvigil.flush(timeout_s=30)
    assert ragvigil.counts() == ragvigil.Counts(started=2000, exported=2000)
