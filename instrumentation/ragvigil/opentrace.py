"""What the spans below one outermost span share while it is open."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ragvigil.recorder import Recorder
    from ragvigil.span import RecordedSpan

MAX_HELD: Final = 1000
"""Finished spans that wait for the outermost one; more are handed over one by one."""


class OpenTrace:
    """Collects finished spans until the outermost one ends, then hands them over as one.

    `anchor_ns` is what must be added to a monotonic reading to make it time since the epoch.
    """

    __slots__ = ("_finished", "anchor_ns", "is_open", "recorder")

    def __init__(self, recorder: "Recorder") -> None:
        self.recorder = recorder
        self.anchor_ns = recorder.wall_ns() - recorder.monotonic_ns()
        self.is_open = True
        self._finished: list[RecordedSpan] = []

    def reading(self, timestamp: int | None) -> int:
        """The monotonic reading of a time since the epoch; of now without one."""
        return self.recorder.monotonic_ns() if timestamp is None else timestamp - self.anchor_ns

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
