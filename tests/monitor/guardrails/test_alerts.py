from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from ragvigil_monitor.api.models import Alert, AlertState
from ragvigil_monitor.errors import UnknownAlert
from ragvigil_monitor.guardrails.alerts import acknowledge, silence
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

Alerts = Callable[[], list[Alert]]
JudgeUntil = Callable[[Service, float], dict[str, int]]


@pytest.fixture
def service(
    make_service: Callable[..., Service], hourly_settings: dict[str, Any], add_answers: Callable[..., None]
) -> Service:
    """Answers are slow for ten hours, then fast for two days."""
    after_h = np.linspace(0, 58, 5800, endpoint=False)
    add_answers(after_h, np.where(after_h < 10, 5000.0, 100.0))
    return make_service(**hourly_settings)


@pytest.fixture
def firing(service: Service, judge_until: JudgeUntil, alerts: Alerts) -> Alert:
    judge_until(service, 5)
    (alert,) = alerts()
    return alert


def audit(store: Store) -> list[tuple[Any, ...]]:
    return store._cursor().execute("SELECT role, actor, action, subject FROM audit").fetchall()


def test_an_acknowledgement_says_who_and_what_and_is_written_down(
    service: Service, firing: Alert, alerts: Alerts, monday: datetime
) -> None:
    acknowledge(service.store, firing.alert_id, by="ada", note="rolling back", now=monday)
    (alert,) = alerts()
    assert alert.state is AlertState.ACKNOWLEDGED
    assert (alert.acknowledged_by, alert.acknowledged_note, alert.acknowledged_at) == ("ada", "rolling back", monday)
    assert audit(service.store) == [("oncall", "ada", "acknowledge: rolling back", firing.alert_id)]


def test_it_survives_later_looks(service: Service, firing: Alert, judge_until: JudgeUntil, alerts: Alerts) -> None:
    acknowledge(service.store, firing.alert_id, by="ada", note="", now=firing.opened_at)
    judge_until(service, 9)
    (alert,) = alerts()
    assert (alert.state, alert.acknowledged_by) == (AlertState.ACKNOWLEDGED, "ada")
    assert alert.last_breach_at > firing.last_breach_at


def test_an_acknowledged_alert_resolves_like_any_other(
    service: Service, firing: Alert, judge_until: JudgeUntil, alerts: Alerts
) -> None:
    acknowledge(service.store, firing.alert_id, by="ada", note="", now=firing.opened_at)
    judge_until(service, 58)
    assert [(alert.state, alert.acknowledged_by) for alert in alerts()] == [(AlertState.RESOLVED, "ada")]


def test_a_silence_ends_at_its_time(
    service: Service, firing: Alert, judge_until: JudgeUntil, alerts: Alerts, monday: datetime
) -> None:
    silence(service.store, firing.alert_id, by="ada", until=monday + timedelta(hours=8), now=monday)
    judge_until(service, 7.5)
    assert alerts()[0].state is AlertState.SILENCED
    judge_until(service, 8)
    assert alerts()[0].state is AlertState.FIRING


def test_after_a_silence_an_acknowledged_alert_is_acknowledged(
    service: Service, firing: Alert, judge_until: JudgeUntil, alerts: Alerts, monday: datetime
) -> None:
    silence(service.store, firing.alert_id, by="ada", until=monday + timedelta(hours=8), now=monday)
    acknowledge(service.store, firing.alert_id, by="ada", note="", now=monday)
    assert alerts()[0].state is AlertState.SILENCED
    judge_until(service, 9)
    assert alerts()[0].state is AlertState.ACKNOWLEDGED


def test_a_silenced_alert_resolves(service: Service, firing: Alert, judge_until: JudgeUntil, alerts: Alerts) -> None:
    silence(service.store, firing.alert_id, by="ada", until=firing.opened_at + timedelta(days=9), now=firing.opened_at)
    judge_until(service, 58)
    assert alerts()[0].state is AlertState.RESOLVED


def test_what_is_resolved_stays_resolved(
    service: Service, firing: Alert, judge_until: JudgeUntil, alerts: Alerts, monday: datetime
) -> None:
    judge_until(service, 58)
    acknowledge(service.store, firing.alert_id, by="ada", note="seen", now=monday)
    silence(service.store, firing.alert_id, by="ada", until=monday + timedelta(days=9), now=monday)
    assert alerts()[0].state is AlertState.RESOLVED


@pytest.mark.parametrize("alert_id", ["", "nope", "'; DROP TABLE alerts; --", "\x00", "🙈" * 1000])
def test_an_alert_that_does_not_exist_is_an_error_and_no_trace_is_left(
    memory_store: Store, monday: datetime, alert_id: str
) -> None:
    with pytest.raises(UnknownAlert):
        acknowledge(memory_store, alert_id, by="ada", note="", now=monday)
    with pytest.raises(UnknownAlert):
        silence(memory_store, alert_id, by="ada", until=monday + timedelta(hours=1), now=monday)
    assert audit(memory_store) == []


def test_a_silence_that_ends_before_it_begins_is_refused(service: Service, firing: Alert, monday: datetime) -> None:
    with pytest.raises(ValueError, match="after"):
        silence(service.store, firing.alert_id, by="ada", until=monday, now=monday)
