"""The first look: what is wrong, how fresh the data is, how many false alarms may be expected."""

from datetime import timedelta

from fastapi import APIRouter

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.models import Alert, GuardrailState, Status
from ragvigil_monitor.api.oncall_alerts import UNRESOLVED, alerts_in
from ragvigil_monitor.api.own_problems import own_problems
from ragvigil_monitor.guardrails.budget import alarm_budget
from ragvigil_monitor.phoenix.links import trace_url
from ragvigil_monitor.settings import Phoenix

router = APIRouter()

_COUNTED = timedelta(hours=24)
_SEARCHED = timedelta(days=45)
_MOST_ALERTS = 100


@router.get("/status")
def status(service: ServiceDep) -> Status:
    """The state of every guardrail, all unresolved alerts, the false-alarm budget and how fresh the data is."""
    now, alerts = service.clock(), alerts_in(service, UNRESOLVED, _MOST_ALERTS)
    traffic = service.store.row("newest_answer_time", counted_since=now - _COUNTED, searched_since=now - _SEARCHED)
    return Status(
        now=now,
        last_answer_at=traffic["last_answer_at"],
        answers_last_24h=traffic["answers_counted"],
        budget=alarm_budget(service.settings),
        guardrails=[GuardrailState(**row) for row in service.store.rows("guardrail_states_now")],
        alerts=alerts,
        problems=own_problems(service, now),
        phoenix_urls=_phoenix_urls(alerts, service.settings.phoenix),
    )


def _phoenix_urls(alerts: list[Alert], phoenix: Phoenix) -> dict[str, str]:
    trace_ids = {trace_id for alert in alerts for trace_id in alert.evidence.trace_ids}
    urls = {trace_id: trace_url(phoenix, bytes.fromhex(trace_id)) for trace_id in sorted(trace_ids)}
    return {trace_id: url for trace_id, url in urls.items() if url is not None}
