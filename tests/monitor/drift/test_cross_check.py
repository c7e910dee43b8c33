"""The job that has drift evidence checked; the other program is a script that says what a test wants."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from tests.samples.cross_checks import answering, program

from ragvigil_monitor.drift.alibi import AlibiDetect
from ragvigil_monitor.drift.comparing import newest_comparison
from ragvigil_monitor.drift.cross_check import CrossCheck, cross_check_job, newest_cross_check
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.schedule import run_apart
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

ENCODER = Encoder("encoder-1", 12)
DAYS = 3
Check = Callable[..., None]
Newest = Callable[[], CrossCheck | None]


@pytest.fixture
def service(
    drift_service: Callable[..., Service],
    add_queries: Callable[..., None],
    run_drift: Callable[..., dict[str, int]],
) -> Service:
    """With evidence of the second and the third day after Monday; the first has no reference."""
    add_queries(0, 24 * DAYS)
    service = drift_service()
    run_drift(service, 24 * DAYS, ("drift_hours", "drift_days", "drift_evidence"))
    return service


@pytest.fixture
def check(service: Service, tmp_path: Path, monday: datetime) -> Check:
    """Runs the job so many hours after the third day, with a program that does as told."""

    def run(test: str = "exit 1", *, after_h: float = 0, stopping: bool = False, python: Path | None = None) -> None:
        alibi = AlibiDetect(python or program(tmp_path / "python", test), 30, False, Event())
        if stopping:
            alibi.stopping.set()
        run_apart(service, cross_check_job(alibi), monday + timedelta(hours=24 * DAYS + after_h))

    return run


@pytest.fixture
def newest(memory_store: Store, monday: datetime) -> Newest:
    """The newest check there is."""
    return lambda: newest_cross_check(memory_store, monday, monday + timedelta(days=30))


def builtin_mmd2(store: Store, end: datetime) -> float:
    compared = newest_comparison(store, ENCODER, end, end)
    assert compared is not None
    assert compared.found is not None
    return compared.found.mmd2


def problems(store: Store) -> list[str]:
    return [row["error"] for row in store.rows("job_problems_now")]


def test_the_newest_evidence_is_checked_first_then_the_one_before(
    check: Check, newest: Newest, service: Service, monday: datetime
) -> None:
    last = builtin_mmd2(service.store, monday + timedelta(days=3))
    check(answering(last))
    found = newest()
    assert found is not None
    assert abs(found.difference) < 1e-14
    assert (found.window_end, found.checked_at) == (monday + timedelta(days=3), service.clock())
    assert (found.backend, found.version) == ("alibi-detect", "0.11.4")
    assert (found.mmd2, found.p, found.permutations) == (last, 251 / 1001, 1000)
    check(answering(0.5))
    one_before = newest_cross_check(service.store, monday, monday + timedelta(days=2))
    assert one_before is not None
    assert one_before.difference == pytest.approx(builtin_mmd2(service.store, one_before.window_end) - 0.5)
    assert not one_before.agrees
    check(f"{answering(0.5)}; exit 9")
    assert problems(service.store) == []


def test_evidence_of_days_ago_is_not_checked_any_more(check: Check, newest: Newest, service: Service) -> None:
    check(answering(0.5), after_h=49)
    assert newest() is None
    assert problems(service.store) == []


def test_a_failure_is_a_problem_until_a_check_succeeds_and_the_builtin_result_stays(
    check: Check, newest: Newest, service: Service, monday: datetime
) -> None:
    before = newest_comparison(service.store, ENCODER, monday, monday + timedelta(days=3))
    check("echo 'MemoryError' >&2; exit 1")
    assert problems(service.store) == ["AlibiFailed: alibi-detect failed with exit code 1: MemoryError"]
    assert newest() is None
    assert newest_comparison(service.store, ENCODER, monday, monday + timedelta(days=3)) == before
    check(answering(0.0))
    assert problems(service.store) == []
    assert newest() is not None


def test_a_missing_environment_is_a_problem_before_there_is_anything_to_check(
    check: Check, service: Service, tmp_path: Path
) -> None:
    check(after_h=500, python=tmp_path / "absent")
    (problem,) = problems(service.store)
    assert problem.startswith("AlibiFailed: There is no environment of alibi-detect: ")


def test_being_stopped_is_no_problem(check: Check, newest: Newest, service: Service) -> None:
    check("sleep 1000", stopping=True)
    assert problems(service.store) == []
    assert newest() is None


def test_vectors_that_came_later_count_on_both_sides(
    check: Check, newest: Newest, service: Service, add_vectors: Any, tmp_path: Path, monday: datetime
) -> None:
    """The stored MMD² does not know them, so a difference from it would say nothing of the implementations."""
    stored = builtin_mmd2(service.store, monday + timedelta(days=3))
    rng = np.random.default_rng(1)
    add_vectors(48 + 24 * rng.random(100), rng.normal(size=(100, 12)))
    check(f"cat >{tmp_path}/request.npz; {answering(stored).removeprefix('cat >/dev/null; ')}")
    found = newest()
    assert found is not None
    assert abs(found.difference) > 1e-6
    with np.load(tmp_path / "request.npz") as request:
        assert len(request["current"]) == 24 * 20 + 100


def test_evidence_whose_vectors_are_gone_cannot_be_checked(
    check: Check, service: Service, memory_store: Store, monday: datetime
) -> None:
    memory_store._connection.execute("DELETE FROM query_vectors")
    check(answering(0.0))
    assert problems(memory_store) == [
        "AlibiFailed: The vectors of the day up to 2026-06-04 00:00 are no longer stored."
    ]
