"""The first look: what is wrong, how fresh the data is, how many false alarms may be expected."""

from datetime import datetime, timedelta

from fastapi import APIRouter

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.models import GuardrailState, MonitorProblem, Status
from ragvigil_monitor.api.oncall_alerts import UNRESOLVED, alerts_in
from ragvigil_monitor.drift.cross_check import newest_cross_check
from ragvigil_monitor.guardrails.budget import alarm_budget
from ragvigil_monitor.guardrails.cross_check_words import cross_check_note
from ragvigil_monitor.store import Store

router = APIRouter()

_COUNTED = timedelta(hours=24)
_SEARCHED = timedelta(days=45)
_MOST_ALERTS = 100
_SHOWN_FOR = timedelta(days=7)
_MOST_NOTIFICATIONS = 10


@router.get("/status")
def status(service: ServiceDep) -> Status:
    """The state of every guardrail, all unresolved alerts, the false-alarm budget and how fresh the data is."""
    now = service.clock()
    traffic = service.store.row("newest_answer_time", counted_since=now - _COUNTED, searched_since=now - _SEARCHED)
    return Status(
        now=now,
        last_answer_at=traffic["last_answer_at"],
        answers_last_24h=traffic["answers_counted"],
        budget=alarm_budget(service.settings),
        guardrails=[GuardrailState(**row) for row in service.store.rows("guardrail_states_now")],
        alerts=alerts_in(service, UNRESOLVED, _MOST_ALERTS),
        problems=_problems(service.store, now),
    )


def _problems(store: Store, now: datetime) -> list[MonitorProblem]:
    failing = [
        MonitorProblem(part=f"job {row['job']}", since=row["failing_since"], detail=row["error"])
        for row in store.rows("job_problems_now")
    ]
    given_up = [
        MonitorProblem(
            part=f"{row['channel']} notification ({row['transition']})",
            since=row["created_at"],
            detail=f"given up after {row['attempts']} attempts: {row['last_error'] or 'no reason known'}",
        )
        for row in store.rows("notifications_given_up", since=now - _SHOWN_FOR, limit=_MOST_NOTIFICATIONS)
    ]
    return failing + given_up + _disagreement(store, now)


def _disagreement(store: Store, now: datetime) -> list[MonitorProblem]:
    check = newest_cross_check(store, now - _SHOWN_FOR, now)
    if check is None or check.agrees:
        return []
    return [MonitorProblem(part="drift evidence", since=check.checked_at, detail=cross_check_note(check))]
