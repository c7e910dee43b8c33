import time
from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pytest

from ragvigil_monitor.schedule import Ticker
from ragvigil_monitor.service import Service


@pytest.fixture
def make_ticked(
    make_service: Callable[..., Service], add_answers: Callable[..., None], monday: datetime
) -> Callable[[float], Service]:
    add_answers(np.arange(0, 24, 0.01))
    return lambda tick_s: make_service(monday + timedelta(hours=25), schedule={"tick_s": tick_s})


def wait_for(condition: Callable[[], object], timeout_s: float = 20) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.01)


def test_it_runs_what_is_due_at_the_clock_of_the_service(make_ticked: Callable[[float], Service]) -> None:
    service = make_ticked(0.05)
    with Ticker(service):
        wait_for(lambda: service.store.rows("watermark_of_job", job="latency_p95"))
        wait_for(lambda: service.store.rows("watermark_of_job", job="cost_per_query"))
    assert service.store.rows("job_problems_now") == []


def test_it_goes_on_ticking(make_ticked: Callable[[float], Service], add_answers: Callable[..., None]) -> None:
    service = make_ticked(0.05)
    with Ticker(service):
        wait_for(lambda: service.store.rows("releases_newest", limit=9) == [])
        add_answers(np.array([24.5]), stages={"embed": 1.0}, version="2.0")
        wait_for(lambda: service.store.rows("releases_newest", limit=9))


def test_with_no_period_it_never_ticks(make_ticked: Callable[[float], Service]) -> None:
    service = make_ticked(0)
    with Ticker(service) as ticker:
        assert not ticker._scheduler.get_jobs()
    assert service.store.rows("watermark_of_job", job="latency_p95") == []


def test_stopping_twice_does_no_harm(make_ticked: Callable[[float], Service]) -> None:
    ticker = Ticker(make_ticked(0.05))
    ticker.start()
    ticker.stop()
    ticker.stop()
