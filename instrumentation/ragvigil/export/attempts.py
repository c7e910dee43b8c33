"""Attempts to deliver in a thread of their own, so that whoever waits for one can stop waiting."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from ragvigil.background import started
from ragvigil.export.exporter import Delivery, Exporter, Outcome, Signal
from ragvigil.guard import GUARD

GRACE_S: Final = 0.25
"""So long an attempt may take however much waits behind it."""
_LOOK_S: Final = 0.05
_JOIN_S: Final = 1.0
_NO_ANSWER: Final = Delivery(Outcome.RETRY, reason="it does not answer in time")


@dataclass(slots=True, eq=False)
class _Attempt:
    """One attempt; `answer` comes when it is over, however long after anybody waited for it."""

    signal: Signal
    payload: bytes
    answer: Delivery | BaseException | None = None


class Attempts:
    """One attempt at a time; while one that nobody waits for any more is still under way, no other is begun.

    A name server or a network that swallows packets can hold an attempt up for longer than any timeout of sockets.
    is_pressed: whether so much waits behind it that an attempt beyond GRACE_S is given up.
    """

    def __init__(self, exporter: Exporter, is_pressed: Callable[[], bool]) -> None:
        self._exporter = exporter
        self._is_pressed = is_pressed
        self._changed = threading.Condition()
        self._under_way: _Attempt | None = None
        self._deadlines: list[float] = []
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Have the thread ready before the first attempt: at the end of the interpreter it could not be started."""
        with self._changed:
            self._has_thread()

    def attempt(self, signal: Signal, payload: bytes) -> Delivery:
        """Try once to deliver; RETRY also when there is no time to try, or the time is over before the answer comes.

        Without a thread the caller tries by itself, and not at all while somebody hurries: it could not stop waiting.
        """
        mine = _Attempt(signal, payload)
        with self._changed:
            if self._is_closed or self._under_way is not None or time.monotonic() >= self._give_up_at():
                return _NO_ANSWER
            has_thread = self._has_thread()
            if has_thread:
                self._begin(mine)
                self._wait_for(mine)
            elif self._deadlines:
                return _NO_ANSWER
        if not has_thread:
            mine.answer = self._answer(mine)
        if isinstance(mine.answer, BaseException):
            GUARD.caught(mine.answer)
            return Delivery(Outcome.RETRY, reason="the exporter failed")
        return mine.answer or _NO_ANSWER

    def hurry(self, by: float) -> None:
        """From now on wait for no attempt beyond this monotonic time, in seconds."""
        with self._changed:
            self._deadlines.append(by)
            self._changed.notify_all()

    @contextmanager
    def hurried(self, by: float) -> Iterator[None]:
        """The same as long as this lasts; the earliest time counts while there are several."""
        self.hurry(by)
        try:
            yield
        finally:
            with self._changed:
                self._deadlines.remove(by)

    def close(self) -> None:
        """End, after the attempt that is under way."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is None:
            self._exporter.close()
        else:
            self._thread.join(_JOIN_S)

    def _give_up_at(self) -> float:
        return min(self._deadlines, default=math.inf)

    def _has_thread(self) -> bool:
        if self._thread is None:
            self._thread = started(self._run, "ragvigil-attempt")
        return self._thread is not None

    def _begin(self, attempt: _Attempt) -> None:
        self._under_way = attempt
        self._changed.notify_all()

    def _wait_for(self, attempt: _Attempt) -> None:
        """Until its answer is there, or it has taken too long."""
        began = time.monotonic()
        while attempt.answer is None:
            now, give_up_at = time.monotonic(), self._give_up_at()
            if now >= give_up_at or (now >= began + GRACE_S and self._is_pressed()):
                return
            self._changed.wait(min(_LOOK_S, give_up_at - now))

    def _run(self) -> None:
        while (attempt := self._next()) is not None:
            answer = self._answer(attempt)
            with self._changed:
                attempt.answer = answer
                self._under_way = None
                self._changed.notify_all()
        with GUARD:
            self._exporter.close()

    def _answer(self, attempt: _Attempt) -> Delivery | BaseException:
        try:
            return self._exporter.export(attempt.signal, attempt.payload)
        except BaseException as failure:  # noqa: BLE001 - raised to nobody here; whoever waits for it gets it
            return failure

    def _next(self) -> _Attempt | None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._under_way is not None)
            return self._under_way
