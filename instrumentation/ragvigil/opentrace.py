"""What the spans below one outermost span share while it is open."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ragvigil import current
from ragvigil.clock import unix_ns
from ragvigil.guard import GUARD

if TYPE_CHECKING:
    from ragvigil.recorder import Recorder
    from ragvigil.span import RecordedSpan

MAX_HELD: Final = 1000
"""Finished spans that wait for the outermost one; more are handed over one by one."""
MAX_DEFERRED: Final = 20
"""Actions that wait for it."""


class OpenTrace:
    """Collects finished spans until the outermost one ends, then hands them over as one.

    `anchor_ns` is what must be added to a monotonic reading to make it time since the epoch. `probe_id` is that of the
    probe which the whole trace is, None for traffic. `probability` is that with which the trace is in the sample,
    `index` what was said of the index when it began.
    """

    __slots__ = ("_deferred", "_finished", "anchor_ns", "index", "is_open", "probability", "probe_id", "recorder")

    def __init__(self, recorder: "Recorder", probability: float = 1.0) -> None:
        self.recorder = recorder
        self.probability = probability
        self.index = current.index
        self.anchor_ns = recorder.wall_ns() - recorder.monotonic_ns()
        self.is_open = True
        self.probe_id: str | None = None
        self._finished: list[RecordedSpan] = []
        self._deferred: list[Callable[[], None]] = []

    def reading(self, timestamp: float | None) -> int:
        """The monotonic reading of a time since the epoch, in ns; of now without one, or with one that is no number."""
        if timestamp is not None:
            try:
                return unix_ns(timestamp) - self.anchor_ns
            except Exception:  # noqa: BLE001 - a number of any library may fail in any way
                GUARD.report(f"now is recorded for a time that is no number: got {type(timestamp).__name__}")
        return self.recorder.monotonic_ns()

    def collect(self, span: "RecordedSpan") -> None:
        """Take a finished span that is not the outermost."""
        finished = self._finished
        if not self.is_open or len(finished) >= MAX_HELD:
            self.recorder.hand_over([span])
            return
        finished.append(span)
        if not self.is_open:
            # Another thread ended the trace meanwhile and may have missed this one; delivered twice it is not,
            # the queue recognises a span that it took before.
            self.recorder.hand_over([span])

    def close(self, outermost: "RecordedSpan") -> None:
        """Take the outermost span and hand everything over."""
        # In this order, see `collect`. The list is given away: kept, it would be a reference cycle.
        self.is_open = False
        finished, self._finished = self._finished, []
        finished.append(outermost)
        self.recorder.hand_over(finished)
        if self._deferred:
            self._do_deferred()

    def defer(self, action: Callable[[], None]) -> bool:
        """Do something once the outermost span has ended; at once if it has. False when too much is deferred."""
        if len(self._deferred) >= MAX_DEFERRED:
            return False
        self._deferred.append(action)
        if not self.is_open:
            self._do_deferred()
        return True

    def _do_deferred(self) -> None:
        # Two threads may be here at once; each action is popped by one of them.
        while self._deferred:
            try:
                action = self._deferred.pop(0)
            except IndexError:
                return
            action()
