"""Where times come from."""

import time
from typing import Final, Protocol


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


def unix_ns(moment: float) -> int:
    """A time since the epoch as OTLP can carry it: whole nanoseconds in [0, 2^63).

    Raises ValueError or OverflowError for what is not finite, and TypeError for no number.
    """
    if type(moment) is int and 0 <= moment <= _LATEST_NS:
        return moment
    return min(max(int(moment), 0), _LATEST_NS)


_LATEST_NS: Final = (1 << 63) - 1
