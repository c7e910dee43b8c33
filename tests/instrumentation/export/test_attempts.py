"""Attempts that somebody waits for no longer than there is time."""

import threading
import time
from contextlib import ExitStack

import pytest
from tests.samples.refusing import Refusing

from ragvigil.export.attempts import Attempts
from ragvigil.export.exporter import ACCEPTED, Delivery, Outcome, Signal

LONG_S = 20.0


class Gate:
    """An exporter that answers when it is let."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun: list[bytes] = []
        self.failure: BaseException | None = None
        self.closed = threading.Event()

    def export(self, signal: Signal, payload: bytes) -> Delivery:  # noqa: ARG002 - as exporters are called
        self.begun.append(payload)
        self.open.wait(LONG_S)
        if self.failure is not None:
            raise self.failure
        return ACCEPTED

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def gate() -> Gate:
    return Gate()


def never() -> bool:
    return False


def test_an_answer_is_passed_on(gate: Gate) -> None:
    gate.open.set()
    attempts = Attempts(gate, never)
    assert [attempts.attempt(Signal.TRACES, b"a"), attempts.attempt(Signal.LOGS, b"b")] == [ACCEPTED, ACCEPTED]
    attempts.close()
    assert gate.begun == [b"a", b"b"]
    assert gate.closed.is_set()


def test_nobody_waits_beyond_the_time_and_no_other_attempt_is_begun_meanwhile(gate: Gate) -> None:
    attempts = Attempts(gate, never)
    with attempts.hurried(time.monotonic() + 0.05):
        assert attempts.attempt(Signal.TRACES, b"a").outcome is Outcome.RETRY
    assert attempts.attempt(Signal.TRACES, b"b").outcome is Outcome.RETRY
    assert gate.begun == [b"a"]
    gate.open.set()
    deadline = time.monotonic() + LONG_S
    while attempts.attempt(Signal.TRACES, b"c").outcome is Outcome.RETRY:
        assert time.monotonic() < deadline
    assert gate.begun == [b"a", b"c"]
    attempts.close()


def test_an_attempt_is_given_up_while_it_is_under_way(gate: Gate) -> None:
    attempts = Attempts(gate, never)
    outcomes: list[Outcome] = []
    waiting = threading.Thread(target=lambda: outcomes.append(attempts.attempt(Signal.TRACES, b"a").outcome))
    waiting.start()
    while not gate.begun:
        time.sleep(0.001)
    attempts.hurry(time.monotonic())
    waiting.join(LONG_S)
    assert outcomes == [Outcome.RETRY]
    gate.open.set()
    attempts.close()


def test_the_earliest_time_counts_as_long_as_it_lasts(gate: Gate) -> None:
    attempts = Attempts(gate, never)
    gate.open.set()
    with attempts.hurried(time.monotonic() + LONG_S):
        with attempts.hurried(time.monotonic()):
            assert attempts.attempt(Signal.TRACES, b"a").outcome is Outcome.RETRY
        assert attempts.attempt(Signal.TRACES, b"b") == ACCEPTED
    assert attempts.attempt(Signal.TRACES, b"c") == ACCEPTED
    assert gate.begun == [b"b", b"c"]
    attempts.close()


def test_flushes_that_overlap_for_ever_do_not_end_the_patience(gate: Gate) -> None:
    attempts = Attempts(gate, never)
    gate.open.set()
    oldest = ExitStack()
    oldest.enter_context(attempts.hurried(time.monotonic()))
    for _ in range(3):
        younger = ExitStack()
        younger.enter_context(attempts.hurried(time.monotonic() + LONG_S))
        oldest.close()
        assert attempts.attempt(Signal.TRACES, b"a") == ACCEPTED
        oldest = younger
    oldest.close()
    attempts.close()


def test_much_that_waits_ends_the_patience_after_a_grace(gate: Gate) -> None:
    attempts = Attempts(gate, lambda: True)
    assert attempts.attempt(Signal.TRACES, b"a").outcome is Outcome.RETRY
    assert gate.begun == [b"a"]
    gate.open.set()
    attempts.close()


def test_what_the_exporter_raises_is_a_reason_to_retry(gate: Gate, lenient: None) -> None:
    gate.failure = RuntimeError("exporter bug")
    gate.open.set()
    attempts = Attempts(gate, never)
    assert attempts.attempt(Signal.TRACES, b"a").outcome is Outcome.RETRY
    gate.failure = None
    assert attempts.attempt(Signal.TRACES, b"b") == ACCEPTED
    attempts.close()


def test_without_threads_the_caller_tries_by_itself(gate: Gate, no_threads: Refusing) -> None:
    gate.open.set()
    attempts = Attempts(gate, never)
    assert attempts.attempt(Signal.TRACES, b"a") == ACCEPTED
    attempts.close()
    assert gate.closed.is_set()


def test_without_threads_nobody_who_hurries_waits_for_an_attempt(gate: Gate, no_threads: Refusing) -> None:
    attempts = Attempts(gate, never)
    with attempts.hurried(time.monotonic() + LONG_S):
        assert attempts.attempt(Signal.TRACES, b"a").outcome is Outcome.RETRY
    assert gate.begun == []


def test_without_threads_an_attempt_holds_nobody_up(gate: Gate, no_threads: Refusing) -> None:
    attempts = Attempts(gate, never)
    outcomes: list[Outcome] = []
    trying = threading.Thread(target=lambda: outcomes.append(attempts.attempt(Signal.TRACES, b"a").outcome))
    trying.start()
    while not gate.begun:
        time.sleep(0.001)
    attempts.hurry(time.monotonic())
    assert outcomes == []
    gate.open.set()
    trying.join(LONG_S)
    assert outcomes == [Outcome.ACCEPTED]


def test_a_thread_that_is_ready_serves_when_no_more_can_be_started(gate: Gate, no_threads: Refusing) -> None:
    attempts = Attempts(gate, never)
    no_threads.is_over = True
    attempts.start()
    no_threads.is_over = False
    gate.open.set()
    with attempts.hurried(time.monotonic() + LONG_S):
        assert attempts.attempt(Signal.TRACES, b"a") == ACCEPTED
    attempts.close()


def test_an_exporter_that_exits_ends_no_thread_of_ours(gate: Gate, lenient: None) -> None:
    gate.failure = SystemExit("exporter bug")
    gate.open.set()
    attempts = Attempts(gate, never)
    assert attempts.attempt(Signal.TRACES, b"a").outcome is Outcome.RETRY
    gate.failure = None
    assert attempts.attempt(Signal.TRACES, b"b") == ACCEPTED
    attempts.close()


def test_nothing_is_tried_after_the_end(gate: Gate) -> None:
    attempts = Attempts(gate, never)
    attempts.close()
    assert attempts.attempt(Signal.TRACES, b"a").outcome is Outcome.RETRY
    assert gate.begun == []
