"""Simulated time: it stands still until someone moves it."""

from datetime import datetime

from ragvigil.testing import ManualClock
from ragvigil_monitor.receiver.times import microseconds


class SimulatedClock(ManualClock):
    """A `ragvigil` clock that the simulation sets and that the app's waiting moves."""

    def __init__(self, at: datetime) -> None:
        super().__init__(microseconds(at) * 1000)

    def move_to(self, at: datetime) -> None:
        """Set the time of day, also backwards: an answer may begin before the one before it ended."""
        self.set_wall_ns(microseconds(at) * 1000)

    def wait_until(self, at: datetime) -> None:
        """Let time pass until a moment, if it is still to come."""
        self.set_wall_ns(max(microseconds(at) * 1000, self.wall_ns()))

    def wait_ms(self, duration_ms: float) -> None:
        """Let time pass."""
        self.advance(duration_ms / 1000)
