"""Attempts to deliver in a thread of their own, so that whoever waits for one can stop waiting."""

import math
import threading
import time
from dataclasses import dataclass

from ragvigil.export.exporter import Delivery, Exporter, Outcome, Signal
from ragvigil.guard import GUARD


@dataclass(slots=True, eq=False)
class _Attempt:
    """One attempt; `answer` comes when it is over, however long after anybody waited for it."""

    signal: Signal
    payload: bytes
    answer: Delivery | Exception | None = None


class Attempts:
    """One attempt at a time; while one that nobody waits for any more is still under way, no other is begun.

    A name server or a network that swallows packets can hold an attempt up for longer than any timeout of sockets.
    """

    def __init__(self, exporter: Exporter) -> None:
        self._exporter = exporter
        self._changed = threading.Condition()
        self._under_way: _Attempt | None = None
        self._give_up_at = math.inf
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def attempt(self, signal: Signal, payload: bytes) -> Delivery:
        """Try once to deliver; RETRY also when there is no time to try, or the time is over before the answer comes."""
        with self._changed:
            if self._under_way is not None or time.monotonic() >= self._give_up_at:
                return Delivery(Outcome.RETRY, reason="it does not answer in time")
            mine = _Attempt(signal, payload)
            if not self._hand_over(mine):
                return self._exporter.export(signal, payload)
            while mine.answer is None:
                remaining_s = self._give_up_at - time.monotonic()
                if remaining_s <= 0:
                    return Delivery(Outcome.RETRY, reason="it does not answer in time")
                self._changed.wait(None if remaining_s == math.inf else remaining_s)
        if isinstance(mine.answer, Exception):
            GUARD.caught(mine.answer)
            return Delivery(Outcome.RETRY, reason="the exporter failed")
        return mine.answer

    def hurry(self, by: float) -> None:
        """Wait for no attempt beyond this monotonic time, in seconds; the earliest counts until `take_time`."""
        with self._changed:
            self._give_up_at = min(self._give_up_at, by)
            self._changed.notify_all()

    def take_time(self) -> None:
        """Attempts may take as long as the exporter lets them again."""
        with self._changed:
            self._give_up_at = math.inf

    def close(self) -> None:
        """End the thread, after the attempt that it is at."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._exporter.close()

    def _hand_over(self, attempt: _Attempt) -> bool:
        """Whether there is a thread for it: an interpreter that is about to end gives none."""
        if self._thread is None:
            try:
                thread = threading.Thread(target=self._run, name="ragvigil-attempt", daemon=True)
                thread.start()
            except RuntimeError:
                return False
            self._thread = thread
        self._under_way = attempt
        self._changed.notify_all()
        return True

    def _run(self) -> None:
        while (attempt := self._next()) is not None:
            try:
                answer: Delivery | Exception = self._exporter.export(attempt.signal, attempt.payload)
            except Exception as failure:  # noqa: BLE001 - raised to nobody here; whoever waits for it gets it
                answer = failure
            with self._changed:
                attempt.answer = answer
                self._under_way = None
                self._changed.notify_all()

    def _next(self) -> _Attempt | None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._under_way is not None)
            return self._under_way
