"""What an incident is: a change of the app's parts, and the guardrail that must find it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ragvigil_monitor.demo.parts import Parts


@dataclass(frozen=True, slots=True)
class Incident:
    """One kind of failure; `needs_release`: only a new version of the app can bring it."""

    kind: str
    guardrail: str
    sentence: str
    change: Callable[[Parts], Parts]
    needs_release: bool = False


@dataclass(frozen=True, slots=True)
class Planted:
    """An incident at a time; `released`: a new version came with it; `goes_on`: it is still on when the run ends."""

    incident: Incident
    planted_at: datetime
    ended_at: datetime
    released: bool
    goes_on: bool = False

    def is_active(self, at: datetime) -> bool:
        """Whether the incident is on at a moment; its end is not inside."""
        return self.planted_at <= at < self.ended_at
