"""What of the monitor itself does not work: the disk, jobs, notifications, the drift evidence, the way to Phoenix."""

from datetime import datetime, timedelta

from ragvigil_monitor.api.models import MonitorProblem
from ragvigil_monitor.drift.cross_check import newest_cross_check
from ragvigil_monitor.foreign.unsettled import Reason
from ragvigil_monitor.guardrails.cross_check_words import cross_check_note
from ragvigil_monitor.phoenix.annotating import LOOKED_BACK
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

_SHOWN_FOR = timedelta(days=7)
_MOST_NOTIFICATIONS = 10
_WITHOUT_ANSWERS = {
    Reason.FAILED: "traces that cannot be judged, and so have no answers",
    Reason.TOO_LARGE: "traces that are too large to be judged, and so have no answers",
}


def own_problems(service: Service, now: datetime) -> list[MonitorProblem]:
    """Everything that somebody should mend, or know when they trust the rest."""
    store = service.store
    drift = _disagreement(store, now)
    return (
        _storage_troubles(store, now)
        + _jobs_failing(store)
        + _notifications_given_up(store, now)
        + drift
        + _phoenix_problems(service, now)
        + _foreign_problems(service, now)
    )


def _storage_troubles(store: Store, now: datetime) -> list[MonitorProblem]:
    return [
        MonitorProblem(part=trouble.part, since=trouble.since, detail=trouble.detail)
        for trouble in store.disk.troubles(now)
    ]


def _jobs_failing(store: Store) -> list[MonitorProblem]:
    return [
        MonitorProblem(part=f"job {row['job']}", since=row["failing_since"], detail=row["error"])
        for row in store.rows("job_problems_now")
    ]


def _notifications_given_up(store: Store, now: datetime) -> list[MonitorProblem]:
    return [
        MonitorProblem(
            part=f"{row['channel']} notification ({row['transition']})",
            since=row["created_at"],
            detail=f"given up after {row['attempts']} attempts: {row['last_error'] or 'no reason known'}",
        )
        for row in store.rows("notifications_given_up", since=now - _SHOWN_FOR, limit=_MOST_NOTIFICATIONS)
    ]


def _foreign_problems(service: Service, now: datetime) -> list[MonitorProblem]:
    return [
        MonitorProblem(
            part="answers of other instrumentations",
            since=min(each.since for each in found),
            detail=f"{_WITHOUT_ANSWERS[reason]}: {len(found)}, the newest {found[-1].trace_id.hex()} of "
            f"{found[-1].service} ({found[-1].detail})",
        )
        for reason, found in service.foreign.problems(now)
    ]


def _phoenix_problems(service: Service, now: datetime) -> list[MonitorProblem]:
    if service.settings.phoenix.url is None:
        return []
    unreached = [
        MonitorProblem(part="Phoenix annotations", since=row["since"], detail=row["last_error"])
        for row in service.store.rows("annotations_unreached", said_since=now - LOOKED_BACK)
    ]
    return _forwarding_problem(service) + unreached


def _forwarding_problem(service: Service) -> list[MonitorProblem]:
    trouble = service.forwarder.trouble() if service.forwarder is not None else None
    if service.forwarder is None or trouble is None:
        return []
    waiting = service.forwarder.counts().waiting
    detail = f"{trouble.reason} ({waiting} spans wait for it)"
    return [MonitorProblem(part="Phoenix", since=trouble.since, detail=detail)]


def _disagreement(store: Store, now: datetime) -> list[MonitorProblem]:
    check = newest_cross_check(store, now - _SHOWN_FOR, now)
    if check is None or check.agrees:
        return []
    return [MonitorProblem(part="drift evidence", since=check.checked_at, detail=cross_check_note(check))]
