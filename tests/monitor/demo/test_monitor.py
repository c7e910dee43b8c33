from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import httpx
import numpy as np
import pytest
from tests.samples.servers import running_api

from ragvigil_monitor.api.models import Evidence
from ragvigil_monitor.demo.monitor import MOST_ALERTS, Monitor
from ragvigil_monitor.errors import MonitorError
from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

NOTHING = Evidence(
    window_start=datetime.fromisoformat("2026-06-01T00:00:00+00:00"),
    window_end=datetime.fromisoformat("2026-06-02T00:00:00+00:00"),
    value=None,
    lower=None,
    upper=None,
    alarm_lower=None,
    limit=1.0,
    unit="ms",
    n=0,
    missing=0,
    slices=[],
    trace_ids=[],
    releases=[],
)


@pytest.fixture
def service(make_service: Callable[..., Service], monday: datetime) -> Service:
    return make_service(
        monday + timedelta(days=3),
        schedule={"tick_s": 0},
        guardrails={"latency_p95": {"slo_ms": {"answer": 500.0}, "windows_h": [24], "every_s": 3600}},
    )


@pytest.fixture
def address(service: Service) -> Iterator[str]:
    with running_api(service) as address:
        yield address


@pytest.fixture
def monitor(service: Service, address: str) -> Iterator[Monitor]:
    with Monitor.at(address, service.keys) as monitor:
        yield monitor


@pytest.fixture
def powerless(service: Service, address: str) -> Iterator[Monitor]:
    headers = {"Authorization": f"Bearer {service.keys.by_role[Role.INGEST]}"}
    with httpx.Client(base_url=address, headers=headers, trust_env=False) as http:
        yield Monitor(address, http)


def test_a_quiet_service_has_nothing_to_tell(monitor: Monitor) -> None:
    assert monitor.alerts() == []
    assert monitor.spans_stored("shop") == 0


def test_alerts_of_the_jobs_are_read_as_they_are(
    monitor: Monitor, add_answers: Callable[..., None], monday: datetime
) -> None:
    hours = np.linspace(0, 48, 2000, endpoint=False)
    add_answers(hours, np.where(hours < 24, 100.0, 900.0))
    ran = monitor.run_due(monday + timedelta(days=2))
    assert ran.jobs["latency_p95"] > 40
    (alert,) = monitor.alerts()
    assert (alert.guardrail, alert.series) == ("latency_p95", "answer")
    assert timedelta(hours=24) < alert.opened_at - monday < timedelta(hours=30)


def test_what_was_run_is_not_run_again(monitor: Monitor, add_answers: Callable[..., None], monday: datetime) -> None:
    add_answers(np.linspace(0, 24, 100, endpoint=False))
    monitor.run_due(monday + timedelta(days=1))
    assert monitor.run_due(monday + timedelta(days=1)).jobs["latency_p95"] == 0


def test_a_key_without_the_right_is_an_error_with_the_reason(powerless: Monitor, monday: datetime) -> None:
    with pytest.raises(httpx.HTTPStatusError, match=r"/api/v1/admin/run-due answered 403"):
        powerless.run_due(monday)
    with pytest.raises(httpx.HTTPStatusError, match=r"/api/v1/alerts answered 403"):
        powerless.alerts()


def test_more_alerts_than_can_be_read_are_an_error_not_a_shorter_list(
    monitor: Monitor, memory_store: Store, monday: datetime
) -> None:
    with memory_store.transaction() as writer:
        for number in range(MOST_ALERTS):
            writer.execute(
                "upsert_alert",
                alert_id=f"a{number}",
                guardrail="latency_p95",
                series="answer",
                opened_at=monday,
                last_breach_at=monday,
                onset_at=None,
                onset_earliest=None,
                onset_latest=None,
                sentence="p95 is above.",
                evidence=NOTHING.model_dump_json(),
            )
    with pytest.raises(MonitorError, match="500 alerts or more"):
        monitor.alerts()
