from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.hours import hourly_sums, hours_since_epoch
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

MakeService = Callable[..., Service]
Add = Callable[..., None]
Run = Callable[..., dict[str, int]]
HOURS = ("drift_hours",)


@pytest.fixture
def summed(memory_store: Store, monday: datetime) -> Callable[[], list[dict[str, Any]]]:
    """What is added up of the first week."""
    week = {"window_start": monday, "window_end": monday + timedelta(days=7)}
    return lambda: memory_store.rows("drift_hours_between", **week)


def test_each_hour_adds_up_to_its_vectors(
    drift_service: MakeService, add_answers: Add, add_vectors: Add, run_drift: Run, summed: Any, monday: datetime
) -> None:
    rng = np.random.default_rng(0)
    add_answers(np.array([0.0]))
    after_h, vectors = np.sort(rng.uniform(0, 30, 500)), rng.normal(size=(500, 5))
    add_vectors(after_h, vectors)
    run_drift(drift_service(), 30, HOURS)
    found = hourly_sums(summed(), 5)
    unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    assert found.hours.tolist() == [hours_since_epoch(monday) + hour for hour in range(30)]
    assert found.counts.sum() == 500
    for hour in range(30):
        inside = (after_h >= hour) & (after_h < hour + 1)
        np.testing.assert_allclose(found.sums[hour], unit[inside].sum(axis=0), atol=0.02)
        np.testing.assert_allclose(found.squares[hour], inside.sum(), rtol=1e-9)


def test_encoders_are_added_up_apart_and_an_unnamed_one_has_an_empty_name(
    drift_service: MakeService, add_answers: Add, add_vectors: Add, run_drift: Run, summed: Any
) -> None:
    add_answers(np.array([0.0]))
    add_vectors(np.array([0.1, 0.2]), np.eye(2))
    add_vectors(np.array([0.3]), np.eye(3)[:1])
    add_vectors(np.array([0.4]), np.eye(2)[:1], model=None)
    run_drift(drift_service(), 1, HOURS)
    assert {Encoder.of(row): row["n"] for row in summed()} == {
        Encoder("encoder-1", 2): 2,
        Encoder("encoder-1", 3): 1,
        Encoder("", 2): 1,
    }


def test_unusable_vectors_are_counted_and_not_added(
    drift_service: MakeService, add_answers: Add, add_vectors: Add, run_drift: Run, summed: Any
) -> None:
    add_answers(np.array([0.0]))
    good = np.array([1, 0], "<f2").tobytes()
    broken = [good, np.array([np.inf, 0], "<f2").tobytes(), b"short", bytes(4)]
    add_vectors(np.full(4, 0.5), np.ones((4, 2)), units=broken)
    service = drift_service()
    run_drift(service, 1, HOURS)
    (row,) = summed()
    assert (row["n"], row["unusable"], np.frombuffer(row["vector_sum"]).tolist()) == (1, 3, [1.0, 0.0])


def test_a_vector_that_comes_late_is_added_within_a_day_and_not_after(
    drift_service: MakeService, add_answers: Add, add_vectors: Add, run_drift: Run, summed: Any
) -> None:
    add_answers(np.array([0.0]))
    service = drift_service()
    counts = []
    for now_h in (1, 26, 40):
        add_vectors(np.array([0.5]), np.ones((1, 2)))
        run_drift(service, now_h, HOURS)
        counts.append([row["n"] for row in summed()])
    assert counts == [[1], [2], [2]]


def test_hours_that_have_not_changed_are_not_read_again(
    drift_service: MakeService,
    add_answers: Add,
    add_vectors: Add,
    run_drift: Run,
    memory_store: Store,
    monday: datetime,
) -> None:
    add_answers(np.array([0.0]))
    add_vectors(np.linspace(0, 3.9, 50), np.ones((50, 2)))
    run_drift(drift_service(), 4, HOURS)
    window = {"window_start": monday, "window_end": monday + timedelta(hours=4)}
    assert memory_store.rows("hours_with_new_vectors", **window) == []
