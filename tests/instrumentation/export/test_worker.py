"""The background thread: starts when needed, never spins, survives whatever fails."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.samples.refusing import Refusing

import ragvigil
from ragvigil import current
from ragvigil.encoding.requests import RequestEncoder
from ragvigil.export.exporter import ACCEPTED, Delivery, Outcome, Signal
from ragvigil.guard import GUARD
from ragvigil.recorder import STOP_S
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


def test_the_thread_is_started_later_when_the_system_has_none_at_first(no_threads: Refusing) -> None:
    ragvigil.configure(exporter=InMemoryExporter())
    record()
    assert worker_threads() == []
    began = time.monotonic()
    assert not ragvigil.flush(timeout_s=20)
    assert time.monotonic() - began < 10
    no_threads.is_over = True
    record()
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=2)


def test_nothing_is_waited_for_without_a_thread_when_nothing_waits(no_threads: Refusing) -> None:
    ragvigil.configure(exporter=InMemoryExporter())
    began = time.monotonic()
    assert ragvigil.shutdown(timeout_s=20)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("has_spool", [True, False])
def test_without_a_thread_the_end_spools_or_counts_what_waits(
    no_threads: Refusing, tmp_path: Path, has_spool: bool
) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, spool_dir=tmp_path if has_spool else None)
    for _ in range(3):
        record()
    recorder = current.recorder
    assert recorder is not None
    assert not ragvigil.shutdown(timeout_s=20)
    counts = recorder.counts()
    assert (counts.spooled, counts.dropped) == ((3, 0) if has_spool else (0, 3))
    assert len(list(tmp_path.glob("*.spool"))) == has_spool
    assert exporter.spans == []


class Raising(Counting):
    """Raises instead of an answer as long as it has a failure."""

    failure: BaseException | None = None

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        if self.failure is not None:
            raise self.failure
        return super().export(signal, payload)


def test_an_exporter_that_exits_does_not_end_delivery(lenient: None, wait_for: WaitFor) -> None:
    exporter = Raising(ACCEPTED)
    exporter.failure = SystemExit("exporter bug")
    ragvigil.configure(exporter=exporter, export_interval_s=0.01)
    record()
    wait_for(lambda: GUARD.problems())
    exporter.failure = None
    record()
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=2)


def test_what_cannot_be_encoded_is_dropped_and_holds_nothing_up(lenient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no request can be made")

    ragvigil.configure(exporter=InMemoryExporter(), secret_key=b"k" * 16)
    with monkeypatch.context() as broken:
        broken.setattr(RequestEncoder, "feedback", fail)
        with ragvigil.pipeline("ask") as answer:
            pass
        ragvigil.feedback("thumbs_up", answer=answer)
        assert ragvigil.flush()
    assert ragvigil.feedback("thumbs_up", answer=answer)
    assert ragvigil.flush()
    assert ragvigil.counts().feedback == ragvigil.FeedbackCounts(given=2, sent=1, dropped=1)
    assert (ragvigil.counts().exported, ragvigil.counts().dropped) == (1, 0)
    assert current.recorder is not None
    assert current.recorder.state().waiting == 0


class Hanging(Counting):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__(ACCEPTED)
        self.open = threading.Event()

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        self.open.wait(30)
        return super().export(signal, payload)


def test_an_exporter_that_hangs_hardly_prolongs_a_shutdown() -> None:
    exporter = Hanging()
    ragvigil.configure(exporter=exporter)
    record()
    began = time.monotonic()
    assert not ragvigil.shutdown(timeout_s=0.2)
    assert time.monotonic() - began < 0.2 + STOP_S + 0.2
    exporter.open.set()
