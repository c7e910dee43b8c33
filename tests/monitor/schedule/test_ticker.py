import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from ragvigil_monitor.schedule import Ticker, forget_jobs_no_longer_run
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


def test_a_tick_that_comes_while_another_runs_is_left_out_without_a_word(
    make_ticked: Callable[[float], Service], caplog: pytest.LogCaptureFixture
) -> None:
    service = make_ticked(0.01)
    with caplog.at_level(logging.WARNING), Ticker(service):
        wait_for(lambda: service.store.rows("watermark_of_job", job="cost_per_query"))
    assert not caplog.records


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


@pytest.fixture
def with_alibi(
    make_service: Callable[..., Service], add_answers: Callable[..., None], monday: datetime, tmp_path: Path
) -> Callable[..., Service]:
    """Makes a service whose alibi-detect writes down that it was started, then never answers."""
    add_answers(np.arange(0, 24, 0.01))
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nsleep 1000\n")
    python.chmod(0o700)
    return lambda backend: make_service(
        monday + timedelta(hours=25), schedule={"tick_s": 0.05}, drift={"backend": backend, "alibi_python": python}
    )


def test_a_check_that_never_ends_delays_no_guardrail_and_no_stop(
    with_alibi: Callable[..., Service], tmp_path: Path
) -> None:
    service = with_alibi("alibi-detect")
    with Ticker(service):
        wait_for((tmp_path / "started").exists)
        wait_for(lambda: service.store.rows("watermark_of_job", job="latency_p95"))
    assert service.store.rows("job_problems_now") == []
    assert service.store.rows("watermark_of_job", job="drift_cross_check") == []


def test_the_builtin_backend_starts_no_other_program(with_alibi: Callable[..., Service], tmp_path: Path) -> None:
    service = with_alibi("builtin")
    with Ticker(service):
        wait_for(lambda: service.store.rows("watermark_of_job", job="cost_per_query"))
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("backend", "job", "stays"),
    [
        ("builtin", "drift_cross_check", False),
        ("builtin", "phoenix_annotations", False),
        ("builtin", "of a former version", False),
        ("builtin", "latency_p95", True),
        ("alibi-detect", "drift_cross_check", True),
    ],
)
def test_what_ailed_a_job_that_is_no_longer_run_is_forgotten(
    make_service: Callable[..., Service], monday: datetime, backend: str, job: str, stays: bool
) -> None:
    service = make_service(monday, schedule={"tick_s": 0.05}, drift={"backend": backend})
    with service.store.transaction() as writer:
        writer.execute("note_job_problem", job=job, failed_at=monday, error="no environment")
    forget_jobs_no_longer_run(service)
    assert [row["job"] for row in service.store.rows("job_problems_now")] == [job] * stays


def test_a_service_that_starts_forgets_them(with_alibi: Callable[..., Service], monday: datetime) -> None:
    service = with_alibi("builtin")
    with service.store.transaction() as writer:
        writer.execute("note_job_problem", job="of a former version", failed_at=monday, error="disk full")
    with Ticker(service):
        pass
    assert service.store.rows("job_problems_now") == []
