from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pytest

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.reference import DriftReference, reference_at
from ragvigil_monitor.drift.sample import sample_of_reference
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

MakeService = Callable[..., Service]
Add = Callable[..., None]
Run = Callable[..., dict[str, int]]
FIT = ("drift_hours", "drift_days", "drift_references")
ENCODER = Encoder("encoder-1", 12)
TWO_WEEKS_H = 14 * 24


@pytest.fixture
def reference(memory_store: Store, monday: datetime) -> Callable[[float], DriftReference | None]:
    """The reference that there was so many hours after Monday."""
    return lambda after_h: reference_at(memory_store, ENCODER, monday + timedelta(hours=after_h))


def test_a_reference_is_fitted_in_the_hour_in_which_the_history_is_long_enough(
    drift_service: MakeService, add_queries: Add, run_drift: Run, reference: Callable[[float], DriftReference | None]
) -> None:
    add_queries(3, 3 + TWO_WEEKS_H)
    service = drift_service()
    run_drift(service, TWO_WEEKS_H + 2, FIT)
    assert reference(TWO_WEEKS_H + 2) is None
    run_drift(service, TWO_WEEKS_H + 3, FIT)
    found = reference(TWO_WEEKS_H + 3)
    assert found is not None
    assert (found.version, found.n, found.mix.days) == (1, TWO_WEEKS_H * 20, 13)


def test_a_look_at_an_earlier_time_knows_no_later_reference(
    drift_service: MakeService, add_queries: Add, run_drift: Run, reference: Callable[[float], DriftReference | None]
) -> None:
    add_queries(0, TWO_WEEKS_H)
    run_drift(drift_service(), TWO_WEEKS_H + 24, FIT)
    assert reference(TWO_WEEKS_H - 1) is None


def test_a_reference_is_frozen_until_the_baseline_is_raised(
    drift_service: MakeService, add_queries: Add, run_drift: Run, reference: Callable[[float], DriftReference | None]
) -> None:
    add_queries(0, TWO_WEEKS_H + 7 * 24, new_from_h=TWO_WEEKS_H)
    run_drift(drift_service(), TWO_WEEKS_H + 72, FIT)
    first = reference(TWO_WEEKS_H + 72)
    run_drift(drift_service(baseline=2), TWO_WEEKS_H + 168, FIT)
    second = reference(TWO_WEEKS_H + 168)
    assert first is not None
    assert second is not None
    assert (first.version, second.version) == (1, 2)
    assert first.fitted_at == second.fitted_at - timedelta(hours=96)
    assert reference(TWO_WEEKS_H + 72).version == 1  # type: ignore[union-attr] # it is there, see above


def test_a_reference_is_read_as_it_was_fitted(
    drift_service: MakeService, add_queries: Add, run_drift: Run, reference: Callable[[float], DriftReference | None]
) -> None:
    add_queries(0, TWO_WEEKS_H)
    run_drift(drift_service(), TWO_WEEKS_H, FIT)
    found = reference(TWO_WEEKS_H)
    assert found is not None
    assert found.season.cells.shape == (48, 12)
    assert np.linalg.norm(found.season.cells[12] - found.season.cells[2]) > 0.1  # the working hours differ
    assert found.scale.axes.shape == (12, 12)
    assert (np.diff(found.scale.variances) >= 0).all()


def test_its_sample_holds_every_vector_of_a_small_history_with_its_intent(
    drift_service: MakeService, add_queries: Add, run_drift: Run, memory_store: Store
) -> None:
    add_queries(0, TWO_WEEKS_H, per_hour=5)
    run_drift(drift_service(), TWO_WEEKS_H, FIT)
    sample = sample_of_reference(memory_store, ENCODER, 1)
    assert len(sample) == len(set(sample.trace_ids)) == TWO_WEEKS_H * 5
    assert set(sample.intents) == set("abcdef")
    assert len(set(sample.cells)) == 48


def test_its_sample_is_at_most_five_thousand_of_a_large_history(
    drift_service: MakeService, add_queries: Add, run_drift: Run, memory_store: Store
) -> None:
    add_queries(0, TWO_WEEKS_H, per_hour=30)
    run_drift(drift_service(), TWO_WEEKS_H, FIT)
    sample = sample_of_reference(memory_store, ENCODER, 1)
    assert len(sample) == 5_000
    assert abs(np.mean(sample.intents == "a") - 0.3) < 0.05


def test_a_history_with_too_few_queries_a_day_gives_no_reference(
    drift_service: MakeService, add_queries: Add, run_drift: Run, reference: Callable[[float], DriftReference | None]
) -> None:
    add_queries(0, TWO_WEEKS_H, per_hour=1)
    run_drift(drift_service(), TWO_WEEKS_H + 24, FIT)
    assert reference(TWO_WEEKS_H + 24) is None


def test_an_encoder_that_is_no_longer_used_gets_no_reference(
    drift_service: MakeService, add_queries: Add, run_drift: Run, reference: Callable[[float], DriftReference | None]
) -> None:
    add_queries(0, 24)
    run_drift(drift_service(), TWO_WEEKS_H + 24, FIT)
    assert reference(TWO_WEEKS_H + 24) is None


def test_a_new_dimension_begins_a_history_of_its_own(
    drift_service: MakeService,
    add_queries: Add,
    add_vectors: Add,
    run_drift: Run,
    memory_store: Store,
    monday: datetime,
) -> None:
    add_queries(0, TWO_WEEKS_H)
    add_vectors(np.linspace(100, TWO_WEEKS_H, 3_000), np.random.default_rng(1).normal(size=(3_000, 3)))
    run_drift(drift_service(), TWO_WEEKS_H, FIT)
    now = monday + timedelta(hours=TWO_WEEKS_H)
    assert reference_at(memory_store, ENCODER, now) is not None
    assert reference_at(memory_store, Encoder("encoder-1", 3), now) is None
