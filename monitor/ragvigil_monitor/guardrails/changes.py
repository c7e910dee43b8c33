"""Which alerts a run of looks opens, keeps open and resolves. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from ragvigil_monitor.guardrails.incident import Incident, after, opened
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.verdict import Verdict

Transition = Literal["opened", "resolved"]


@dataclass(frozen=True, slots=True)
class Change:
    """An incident as it is now. breach: its newest one, if that is news. transition: what people may be told."""

    incident: Incident
    breach: Verdict | None
    transition: Transition | None


@dataclass(slots=True)
class Incidents:
    """The open incidents of one guardrail while look after look is taken."""

    guardrail: str
    rearm: timedelta
    open_by_series: dict[str, Incident]
    changes: list[Change] = field(default_factory=list)
    _breaches: dict[str, Verdict] = field(default_factory=dict)

    def take(self, verdicts: Iterable[Verdict], looked_at: datetime) -> None:
        """Take in the verdicts of one look; an open incident without a verdict is no longer guarded."""
        by_series = {verdict.series: verdict for verdict in verdicts}
        for series in sorted({*by_series, *self.open_by_series}):
            self._take_series(series, by_series.get(series), looked_at)

    def finish(self) -> list[Change]:
        """All changes in the order in which they happened."""
        still_open = [
            Change(incident, self._breaches.get(series), None) for series, incident in self.open_by_series.items()
        ]
        return self.changes + still_open

    def _take_series(self, series: str, verdict: Verdict | None, looked_at: datetime) -> None:
        incident = self.open_by_series.get(series)
        if incident is None:
            self._open_if_breach(verdict, looked_at)
            return
        state = State.UNGUARDED if verdict is None else verdict.state
        if verdict is not None and state is State.BREACH:
            self._breaches[series] = verdict
        self._keep(after(incident, state, looked_at, self.rearm))

    def _open_if_breach(self, verdict: Verdict | None, looked_at: datetime) -> None:
        if verdict is None or verdict.state is not State.BREACH:
            return
        incident = opened(self.guardrail, verdict.series, looked_at)
        self.open_by_series[verdict.series] = incident
        self.changes.append(Change(incident, verdict, "opened"))

    def _keep(self, incident: Incident) -> None:
        if incident.resolved_at is None:
            self.open_by_series[incident.series] = incident
            return
        del self.open_by_series[incident.series]
        self.changes.append(Change(incident, self._breaches.pop(incident.series, None), "resolved"))
