"""Changes of incidents into rows: the alert with its evidence, and a notification for each channel."""

from dataclasses import dataclass, replace
from typing import Any

from ragvigil_monitor.guardrails.changes import Change
from ragvigil_monitor.guardrails.evidence import evidence
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.incident import Incident
from ragvigil_monitor.guardrails.models import Evidence
from ragvigil_monitor.guardrails.notifiers.outbox import announce
from ragvigil_monitor.guardrails.onset_dating import OnsetTimes, onset_times
from ragvigil_monitor.guardrails.triage_history import TriageHistory
from ragvigil_monitor.guardrails.verdict import Verdict
from ragvigil_monitor.job import Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer


@dataclass(frozen=True, slots=True)
class _Dossier:
    sentence: str
    evidence: Evidence
    onset: OnsetTimes
    keep: Write | None


def prepare(service: Service, guardrail: Guardrail[Any], change: Change, history: TriageHistory) -> Write:
    """Gather what the change needs now; the function that comes back only writes.

    history: of the triages, one for all changes of a turn, in their order.
    """
    incident, breach = change.incident, change.breach
    dossier = None if breach is None else _dossier(service.store, guardrail, incident, breach)
    if dossier is not None:
        noted = history.noted(incident.alert_id, dossier.evidence, incident.last_breach_at)
        dossier = replace(dossier, evidence=noted)

    def write(writer: Writer) -> None:
        if dossier is not None:
            _write_dossier(writer, incident, dossier)
        _settle(writer, incident)
        if change.transition is not None:
            happened_at = incident.resolved_at or incident.opened_at
            announce(writer, service.settings, incident.alert_id, change.transition, at=happened_at)

    return write


def _dossier(store: Store, guardrail: Guardrail[Any], incident: Incident, breach: Verdict) -> _Dossier:
    onset = onset_times(store, guardrail, incident, breach.finding)
    investigation = breach.finding.investigation
    if investigation is None:
        return _Dossier(breach.sentence, evidence(store, guardrail, breach, onset), onset, None)
    found = investigation.attribution(store, incident.opened_at)
    sentence = f"{breach.sentence} {found.note}"
    return _Dossier(sentence, evidence(store, guardrail, breach, onset, found), onset, found.keep)


def _write_dossier(writer: Writer, incident: Incident, dossier: _Dossier) -> None:
    if dossier.keep is not None:
        dossier.keep(writer)
    writer.execute(
        "upsert_alert",
        alert_id=incident.alert_id,
        guardrail=incident.guardrail,
        series=incident.series,
        opened_at=incident.opened_at,
        last_breach_at=incident.last_breach_at,
        onset_at=dossier.onset.at,
        onset_earliest=dossier.onset.earliest,
        onset_latest=dossier.onset.latest,
        sentence=dossier.sentence,
        evidence=dossier.evidence.model_dump_json(),
    )


def _settle(writer: Writer, incident: Incident) -> None:
    writer.execute(
        "settle_alert",
        alert_id=incident.alert_id,
        last_breach_at=incident.last_breach_at,
        in_control_since=incident.in_control_since,
        resolved_at=incident.resolved_at,
    )
