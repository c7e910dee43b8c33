"""The first look: what is wrong, how fresh the data is, how many false alarms may be expected."""

from datetime import datetime, timedelta

from fastapi import APIRouter

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.models import Alert, GuardrailState, MonitorProblem, Status
from ragvigil_monitor.api.oncall_alerts import UNRESOLVED, alerts_in
from ragvigil_monitor.guardrails.budget import alarm_budget
from ragvigil_monitor.phoenix.links import trace_url
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Phoenix
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
    now, alerts = service.clock(), alerts_in(service.store, UNRESOLVED, _MOST_ALERTS)
    traffic = service.store.row("newest_answer_time", counted_since=now - _COUNTED, searched_since=now - _SEARCHED)
    return Status(
        now=now,
        last_answer_at=traffic["last_answer_at"],
        answers_last_24h=traffic["answers_counted"],
        budget=alarm_budget(service.settings),
        guardrails=[GuardrailState(**row) for row in service.store.rows("guardrail_states_now")],
        alerts=alerts,
        problems=_problems(service.store, now) + _phoenix_problems(service),
        phoenix_urls=_phoenix_urls(alerts, service.settings.phoenix),
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
    return failing + given_up


def _phoenix_problems(service: Service) -> list[MonitorProblem]:
    if service.settings.phoenix.url is None:
        return []
    unreached = [
        MonitorProblem(part="Phoenix annotations", since=row["since"], detail=row["last_error"])
        for row in service.store.rows("annotations_unreached")
    ]
    return _forwarding_problem(service) + unreached


def _forwarding_problem(service: Service) -> list[MonitorProblem]:
    trouble = service.forwarder.trouble() if service.forwarder is not None else None
    if service.forwarder is None or trouble is None:
        return []
    waiting = service.forwarder.counts().waiting
    detail = f"{trouble.reason} ({waiting} spans wait for it)"
    return [MonitorProblem(part="Phoenix", since=trouble.since, detail=detail)]


def _phoenix_urls(alerts: list[Alert], phoenix: Phoenix) -> dict[str, str]:
    trace_ids = {trace_id for alert in alerts for trace_id in alert.evidence.trace_ids}
    urls = {trace_id: trace_url(phoenix, bytes.fromhex(trace_id)) for trace_id in sorted(trace_ids)}
    return {trace_id: url for trace_id, url in urls.items() if url is not None}
