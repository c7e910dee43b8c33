"""Ragvigil for the length of one test, with everything that was recorded in reach."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ragvigil import runtime
from ragvigil.counts import Counts
from ragvigil.testing.control import ManualClock, SequentialIds, strict
from ragvigil.testing.exporter import InMemoryExporter
from ragvigil.testing.snapshots import LogSnapshot, SpanSnapshot, describe

_WAIT_S: Final = 10.0
_SECRET: Final = b"known to tests only"


class Recording:
    """What was recorded so far; every look waits until the background threads, probes too, have done their work.

    `clock` is the time of all spans; it moves only when it is told to.
    """

    def __init__(self, exporter: InMemoryExporter, clock: ManualClock) -> None:
        self.clock = clock
        self._exporter = exporter

    def wait(self, timeout_s: float = _WAIT_S) -> InMemoryExporter:
        """What was delivered, once everything is; AssertionError when that takes longer."""
        if not runtime.flush(timeout_s):
            raise AssertionError(f"something was not delivered within {timeout_s:g} s")
        return self._exporter

    @property
    def spans(self) -> list[SpanSnapshot]:
        """All spans, in the order in which they ended."""
        return self.wait().spans

    def answers(self) -> list[SpanSnapshot]:
        """The answers."""
        return self.wait().answers()

    def stages(self, name: str | None = None) -> list[SpanSnapshot]:
        """The stages of answers, or those of one name; no probes."""
        return self.wait().stages(name)

    def probes(self) -> list[SpanSnapshot]:
        """The searches that were done again."""
        return self.wait().probes()

    def one(self, name: str) -> SpanSnapshot:
        """The only span of one name; ValueError where there are none or several."""
        return self.wait().one(name)

    def feedback(self) -> list[LogSnapshot]:
        """What users did."""
        return self.wait().feedback()

    def counts(self) -> Counts:
        """What became of everything."""
        self.wait()
        return runtime.counts()

    def describe(self) -> str:
        """All spans as text, made to be compared as a whole."""
        return describe(self.spans)


@contextmanager
def recording(**settings: Any) -> Iterator[Recording]:
    """Record, inside, into memory: with a clock that stands still, ids that count from 1, and failures that are raised.

    `settings` are arguments of `configure`, but for `clock`, `ids` and `exporter`. Whatever was configured before ends;
    afterwards nothing is recorded.
    """
    exporter, clock = InMemoryExporter(), ManualClock()
    chosen = {"secret_key": _SECRET, "bridge": False, **settings}
    runtime.configure(clock=clock, ids=SequentialIds(), exporter=exporter, **chosen)
    try:
        with strict():
            yield Recording(exporter, clock)
    finally:
        runtime.shutdown()
