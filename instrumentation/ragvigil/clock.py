"""Where times come from."""

import time
from typing import Protocol


class Clock(Protocol):
    """Two readings in nanoseconds.

    `wall_ns` since the epoch is read once a trace; everything else is `monotonic_ns`, so that a wall clock that
    jumps cannot make a duration negative.
    """

    def wall_ns(self) -> int:
        """Nanoseconds since the epoch."""
        ...

    def monotonic_ns(self) -> int:
        """Nanoseconds since some fixed moment; never goes back."""
        ...


class SystemClock:
    """The clocks of the operating system."""

    wall_ns = staticmethod(time.time_ns)
    monotonic_ns = staticmethod(time.monotonic_ns)
