from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np

from ragvigil_monitor.drift.days import encoders
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.stored_vectors import unpacked
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

MakeService = Callable[..., Service]
Add = Callable[..., None]
Run = Callable[..., dict[str, int]]
DAYS = ("drift_hours", "drift_days")


def test_each_day_adds_up_to_the_outer_products_of_its_vectors(
    drift_service: MakeService,
    add_answers: Add,
    add_vectors: Add,
    run_drift: Run,
    memory_store: Store,
    monday: datetime,
) -> None:
    rng = np.random.default_rng(0)
    add_answers(np.array([0.0]))
    after_h, vectors = np.sort(rng.uniform(0, 48, 400)), rng.normal(size=(400, 4))
    add_vectors(after_h, vectors)
    run_drift(drift_service(), 48, DAYS)
    unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    window = {"window_start": monday, "window_end": monday + timedelta(days=2)}
    days = memory_store.rows("drift_days_between", model="encoder-1", dimension=4, **window)
    assert [day["n"] for day in days] == [int((after_h < 24).sum()), int((after_h >= 24).sum())]
    for day, inside in zip(days, (after_h < 24, after_h >= 24), strict=True):
        np.testing.assert_allclose(unpacked(day["second_moment"], 4), unit[inside].T @ unit[inside], atol=0.2)
        np.testing.assert_allclose(np.frombuffer(day["vector_sum"]), unit[inside].sum(axis=0), atol=0.1)


def test_days_older_than_a_reference_are_forgotten(
    drift_service: MakeService,
    add_answers: Add,
    add_vectors: Add,
    run_drift: Run,
    memory_store: Store,
    monday: datetime,
) -> None:
    add_answers(np.array([0.0]))
    add_vectors(np.arange(0.5, 24 * 20, 24), np.ones((20, 2)))
    run_drift(drift_service(), 24 * 20, DAYS)
    window = {"window_start": monday, "window_end": monday + timedelta(days=20)}
    assert len(memory_store.rows("drift_days_between", model="encoder-1", dimension=2, **window)) == 15


def test_a_day_that_is_added_up_again_is_drawn_again(
    drift_service: MakeService,
    add_answers: Add,
    add_vectors: Add,
    run_drift: Run,
    memory_store: Store,
    monday: datetime,
) -> None:
    add_answers(np.array([0.0]))
    for _ in range(2):
        add_vectors(np.arange(0.5, 48), np.ones((48, 2)))
        with memory_store.transaction() as writer:
            writer.run("DELETE FROM job_watermarks")
        run_drift(drift_service(), 48, DAYS)
    window = {"window_start": monday, "window_end": monday + timedelta(days=2)}
    assert len(memory_store.rows("sampled_days", model="encoder-1", dimension=2, most=999, **window)) == 96


def test_the_busiest_encoder_comes_first(
    drift_service: MakeService,
    add_answers: Add,
    add_vectors: Add,
    run_drift: Run,
    memory_store: Store,
    monday: datetime,
) -> None:
    add_answers(np.array([0.0]))
    add_vectors(np.array([0.1]), np.ones((1, 2)), model="rare")
    add_vectors(np.array([0.1, 0.2]), np.ones((2, 2)), model="usual")
    run_drift(drift_service(), 1, DAYS)
    found = encoders(memory_store, monday, monday + timedelta(days=1))
    assert found == [Encoder("usual", 2), Encoder("rare", 2)]
