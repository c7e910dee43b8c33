"""Alerts: list them, read one, say that somebody is on it, keep one quiet for a while."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.models import Acknowledgement, Alert, AlertState, Evidence, Silence
from ragvigil_monitor.errors import UnknownAlert
from ragvigil_monitor.guardrails import alerts
from ragvigil_monitor.guardrails.cross_check_words import cross_check_sentence
from ragvigil_monitor.service import Service
from ragvigil_monitor.signals.query_drift import QUERY_DRIFT
from ragvigil_monitor.store.database import Row

router = APIRouter(prefix="/alerts")

UNRESOLVED = (AlertState.FIRING, AlertState.ACKNOWLEDGED, AlertState.SILENCED)


@router.get("")
def list_alerts(
    service: ServiceDep,
    state: AlertState | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> list[Alert]:
    """The newest alerts, of one state or of all."""
    return alerts_in(service, [state] if state else list(AlertState), limit)


@router.get("/{alert_id}")
def read_alert(service: ServiceDep, alert_id: str) -> Alert:
    """One alert with its evidence; 404 for an unknown one."""
    found = service.store.rows("alert_by_id", alert_id=alert_id)
    if not found:
        raise _not_found(alert_id)
    return _alert(service, found[0])


@router.post("/{alert_id}/acknowledge")
def acknowledge(service: ServiceDep, alert_id: str, body: Acknowledgement) -> Alert:
    """Note who is on it; the alert as it is afterwards."""
    try:
        alerts.acknowledge(service.store, alert_id, by=body.by, note=body.note, now=service.clock())
    except UnknownAlert as unknown:
        raise _not_found(alert_id) from unknown
    return read_alert(service, alert_id)


@router.post("/{alert_id}/silence")
def silence(service: ServiceDep, alert_id: str, body: Silence) -> Alert:
    """Send no notification about it until a time in the future; the alert as it is afterwards."""
    now = service.clock()
    if body.until <= now:
        raise HTTPException(422, f"until must lie in the future; got {body.until.isoformat()}.")
    try:
        alerts.silence(service.store, alert_id, by=body.by, until=body.until, now=now)
    except UnknownAlert as unknown:
        raise _not_found(alert_id) from unknown
    return read_alert(service, alert_id)


def alerts_in(service: Service, states: Sequence[AlertState], limit: int) -> list[Alert]:
    """The newest alerts in any of these states."""
    rows = service.store.rows("alerts_newest", states=[str(state) for state in states], limit=limit)
    return [_alert(service, row) for row in rows]


def _alert(service: Service, row: Row) -> Alert:
    evidence = Evidence.model_validate_json(row["evidence"])
    return Alert(**{**row, "evidence": evidence, "cross_check": _cross_check(service, row, evidence)})


def _cross_check(service: Service, row: Row, evidence: Evidence) -> str | None:
    """Of the windows that the evidence may come from: later ones, in and after the alert, say nothing of it."""
    if row["guardrail"] != QUERY_DRIFT.name:
        return None
    return cross_check_sentence(service, row["opened_at"], evidence.window_end)


def _not_found(alert_id: str) -> HTTPException:
    return HTTPException(404, f"There is no alert {alert_id[:80]!r}.")
