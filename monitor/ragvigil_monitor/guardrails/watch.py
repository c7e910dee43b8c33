"""The job of a guardrail: look, judge, open and resolve alerts."""

from datetime import timedelta
from typing import Any

from ragvigil_monitor.guardrails.alert_writing import prepare
from ragvigil_monitor.guardrails.budget import alarm_budget
from ragvigil_monitor.guardrails.changes import Incidents
from ragvigil_monitor.guardrails.finding import Finding
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.incident import Incident
from ragvigil_monitor.guardrails.look_writing import write_estimates, write_standings
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.standing import Standing, standings
from ragvigil_monitor.guardrails.triage_history import TriageHistory
from ragvigil_monitor.guardrails.verdict import findings, verdicts
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer


def watch(guardrail: Guardrail[Any], service: Service, turn: Turn) -> Write | None:
    """Take the looks of a turn and hand back what is to be written; None while one of them has to wait."""
    store, settings = service.store, service.settings
    if not all(guardrail.is_ready(store, end) for end in turn.ends):
        return None
    alpha = alarm_budget(settings).alpha_per_look
    first_answer_at = store.row("first_answer_time")["first_answer_at"]
    rearm = timedelta(hours=max(settings.alarms.rearm_h, guardrail.least_rearm_h))
    incidents = _open_incidents(store, guardrail, rearm)
    before = standing = _standings(store, guardrail)
    found: list[Finding] = []
    for end in turn.ends:
        answered = first_answer_at is not None and first_answer_at < end
        look = findings(guardrail, store, settings, end, alpha=alpha, answered_before=answered)
        judged = verdicts(look)
        incidents.take(judged, end)
        standing = standings(standing, judged, end)
        found += look
    history = TriageHistory(store)
    alerts = [prepare(service, guardrail, change, history) for change in incidents.finish()]

    def write(writer: Writer) -> None:
        write_estimates(writer, guardrail, found)
        write_standings(writer, guardrail, before, standing)
        for alert in alerts:
            alert(writer)

    return write


def _open_incidents(store: Store, guardrail: Guardrail[Any], rearm: timedelta) -> Incidents:
    rows = store.rows("open_alerts_of", guardrail=guardrail.name)
    return Incidents(guardrail.name, rearm, {row["series"]: Incident(guardrail.name, **row) for row in rows})


def _standings(store: Store, guardrail: Guardrail[Any]) -> dict[str, Standing]:
    rows = store.rows("guardrail_states_of", guardrail=guardrail.name)
    return {row["series"]: Standing(**{**row, "state": State(row["state"])}) for row in rows}
