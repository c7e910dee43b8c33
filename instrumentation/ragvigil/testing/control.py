"""A clock and ids that a test controls, and failures that are raised."""

from collections.abc import Iterator
from contextlib import contextmanager

from ragvigil.guard import GUARD


class ManualClock:
    """A clock that moves only when it is told to; nanoseconds."""

    def __init__(self, wall_ns: int = 1_700_000_000_000_000_000) -> None:
        self._wall_ns = wall_ns
        self._monotonic_ns = 0

    def wall_ns(self) -> int:
        """Nanoseconds since the epoch."""
        return self._wall_ns

    def monotonic_ns(self) -> int:
        """Nanoseconds since the clock was made."""
        return self._monotonic_ns

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._wall_ns += round(seconds * 1e9)
        self._monotonic_ns += round(seconds * 1e9)

    def set_wall_ns(self, wall_ns: int) -> None:
        """Set the wall clock, as an administrator or NTP would; monotonic time does not notice."""
        self._wall_ns = wall_ns


class SequentialIds:
    """Ids that count from 1."""

    def __init__(self) -> None:
        self._last_trace_id = 0
        self._last_span_id = 0

    def generate_trace_id(self) -> int:
        """The next trace id."""
        self._last_trace_id += 1
        return self._last_trace_id

    def generate_span_id(self) -> int:
        """The next span id."""
        self._last_span_id += 1
        return self._last_span_id


@contextmanager
def strict() -> Iterator[None]:
    """While inside, Ragvigil's own failures are raised instead of logged."""
    before, GUARD.strict = GUARD.strict, True
    try:
        yield
    finally:
        GUARD.strict = before
