"""Attempts that somebody waits for no longer than there is time."""

import threading
import time

import pytest

from ragvigil.export.attempts import Attempts
from ragvigil.export.exporter import ACCEPTED, Delivery, Outcome, Signal

LONG_S = 20.0


class Gate:
    """An exporter that answers when it is let."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun: list[bytes] = []
        self.failure: Exception | None = None
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


def test_the_earliest_time_counts_until_the_last_who_hurries_is_gone(gate: Gate) -> None:
    attempts = Attempts(gate, never)
    gate.open.set()
    with attempts.hurried(time.monotonic() + LONG_S):
        with attempts.hurried(time.monotonic()):
            assert attempts.attempt(Signal.TRACES, b"a").outcome is Outcome.RETRY
        assert attempts.attempt(Signal.TRACES, b"b").outcome is Outcome.RETRY
    assert attempts.attempt(Signal.TRACES, b"c") == ACCEPTED
    assert gate.begun == [b"c"]
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


def test_without_threads_the_caller_tries_by_itself(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    gate.open.set()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    attempts = Attempts(gate, never)
    assert attempts.attempt(Signal.TRACES, b"a") == ACCEPTED
    attempts.close()
    assert gate.closed.is_set()


def test_nothing_is_tried_after_the_end(gate: Gate) -> None:
    attempts = Attempts(gate, never)
    attempts.close()
    assert attempts.attempt(Signal.TRACES, b"a").outcome is Outcome.RETRY
    assert gate.begun == []
