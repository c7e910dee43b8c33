"""One incident of one series: opened by a breach, resolved after long enough in control. Pure."""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ragvigil_monitor.guardrails.models import State


@dataclass(frozen=True, slots=True)
class Incident:
    """What the monitor itself knows of an alert; what people do to it lies only in the store."""

    guardrail: str
    series: str
    opened_at: datetime
    last_breach_at: datetime
    in_control_since: datetime | None = None
    resolved_at: datetime | None = None

    @property
    def alert_id(self) -> str:
        """The same for the same incident in every replay: 32 hex digits."""
        identity = f"{self.guardrail}\n{self.series}\n{self.opened_at.isoformat()}"
        return hashlib.sha256(identity.encode()).hexdigest()[:32]


def opened(guardrail: str, series: str, opened_at: datetime) -> Incident:
    """The incident that a first breach begins."""
    return Incident(guardrail, series, opened_at, last_breach_at=opened_at)


def after(incident: Incident, state: State, looked_at: datetime, rearm: timedelta) -> Incident:
    """The incident after another look.

    Only `ok` counts as in control: an unknown state starts the count anew. A series that lost its limit is no longer
    judged, which resolves at once.
    """
    if state is State.BREACH:
        return replace(incident, last_breach_at=looked_at, in_control_since=None)
    if state is State.UNGUARDED:
        return replace(incident, resolved_at=looked_at)
    if state is not State.OK:
        return replace(incident, in_control_since=None)
    since = incident.in_control_since or looked_at
    return replace(incident, in_control_since=since, resolved_at=looked_at if looked_at - since >= rearm else None)
