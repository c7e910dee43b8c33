from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from ragvigil_monitor.drift.comparing import ComparedWindow, compared_window, newest_comparison
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

MakeService = Callable[..., Service]
Add = Callable[..., None]
Run = Callable[..., dict[str, int]]
Newest = Callable[[float], ComparedWindow | None]
ENCODER = Encoder("encoder-1", 12)
TWO_WEEKS_H = 14 * 24
ALL = ("drift_hours", "drift_days", "drift_references", "drift_evidence")


@pytest.fixture
def newest(memory_store: Store, monday: datetime) -> Newest:
    """The last test up to so many hours after Monday, if there is one."""
    return lambda after_h: newest_comparison(memory_store, ENCODER, monday, monday + timedelta(hours=after_h))


def test_each_day_is_tested_also_before_there_is_a_reference(
    drift_service: MakeService, add_queries: Add, run_drift: Run, newest: Newest, monday: datetime
) -> None:
    add_queries(0, 24 * 4)
    run_drift(drift_service(), 24 * 4, ALL)
    assert newest(24) is None
    second, last = newest(71), newest(24 * 4)
    assert second is not None
    assert last is not None
    assert (second.end, last.end) == (monday + timedelta(days=2), monday + timedelta(days=4))
    assert last.found is not None
    assert last.found.p > 0.01


def test_a_day_without_vectors_has_no_test(
    drift_service: MakeService, add_queries: Add, run_drift: Run, newest: Newest
) -> None:
    add_queries(0, 24 * 3)
    run_drift(drift_service(), 24 * 6, ALL)
    assert newest(24 * 6) == newest(24 * 3)


def test_a_test_is_kept_as_it_was_found(
    drift_service: MakeService, add_queries: Add, run_drift: Run, memory_store: Store, monday: datetime, newest: Newest
) -> None:
    add_queries(0, TWO_WEEKS_H + 24, new_from_h=TWO_WEEKS_H)
    run_drift(drift_service(), TWO_WEEKS_H + 24, ALL[:3])
    end = monday + timedelta(hours=TWO_WEEKS_H + 24)
    first = compared_window(memory_store, ENCODER, end, weeks=2)
    for _ in range(2):
        with memory_store.transaction() as writer:
            first.keep(writer)
    assert first.found is not None
    assert first.row is not None
    assert first.row["version"] == 1
    assert newest(TWO_WEEKS_H + 24) == ComparedWindow(end, first.found)
    assert first.found.p == 1 / 1_001
    assert first.found.slices[0].value == "new"


def test_too_little_is_no_test_and_nothing_is_kept(memory_store: Store, monday: datetime, newest: Newest) -> None:
    found = compared_window(memory_store, ENCODER, monday, weeks=2)
    with memory_store.transaction() as writer:
        found.keep(writer)
    assert found == ComparedWindow(monday, None)
    assert newest(24) is None


def test_samples_are_kept_for_the_days_that_are_still_to_be_tested(
    drift_service: MakeService, add_queries: Add, run_drift: Run, memory_store: Store, monday: datetime
) -> None:
    add_queries(0, 24 * 22)
    kept = "SELECT min(day) AS first, count(DISTINCT day) AS days FROM drift_day_samples"
    run_drift(drift_service(), 24 * 22, ALL[:3])
    assert memory_store.ask(kept) == [{"first": monday, "days": 22}]
    run_drift(drift_service(), 24 * 22, ALL)
    assert memory_store.ask(kept) == [{"first": monday + timedelta(days=7), "days": 15}]
