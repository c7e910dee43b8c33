from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.reference import DriftReference, reference_at
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.query_drift import MIX, NOVELTY, Drift, estimate
from ragvigil_monitor.signals.signal import Look, Window
from ragvigil_monitor.statistics.hour_of_week import season_cells
from ragvigil_monitor.store import Store

Add = Callable[..., None]
LookAt = Callable[[int, int], Look]
TWO_WEEKS_H = 14 * 24
ENCODER = Encoder("encoder-1", 12)


@pytest.fixture
def summed(make_service: Callable[..., Service], run_drift: Callable[..., dict[str, int]]) -> Callable[[float], None]:
    """Adds up and fits whatever is due so many hours after Monday; a reference takes two weeks."""
    settings = {"schedule": {"lateness_s": 0}, "guardrails": {"query_drift": {"reference_weeks": 2}}}
    service = make_service(**settings)

    def run(after_h: float) -> None:
        run_drift(service, after_h, ("drift_hours", "drift_days", "drift_references"))

    return run


def test_without_any_vector_there_is_no_series(look: LookAt, add_answers: Add, summed: Callable[[float], None]) -> None:
    add_answers(np.arange(0, 24, 0.5))
    summed(24)
    assert estimate(look(24, 24)) == {}


def test_before_a_reference_only_the_number_of_vectors_is_known(
    look: LookAt, add_queries: Add, summed: Callable[[float], None], monday: datetime
) -> None:
    add_queries(2, 30)
    summed(30)
    found = estimate(look(30, 24))
    assert found == dict.fromkeys((MIX, NOVELTY), Drift(None, 480, 0, ENCODER, monday + timedelta(hours=2)))


def test_a_window_without_vectors_after_some_came_has_none(
    look: LookAt, add_queries: Add, summed: Callable[[float], None]
) -> None:
    add_queries(0, 10)
    summed(60)
    assert estimate(look(60, 24))[MIX] == Drift(None, 0, 0)


def test_a_window_with_unusable_vectors_only_counts_them_as_missing(
    look: LookAt, add_queries: Add, add_vectors: Add, summed: Callable[[float], None]
) -> None:
    add_queries(0, 5)
    add_vectors(np.array([40.5, 41.5]), np.ones((2, 12)), units=[b"", bytes(24)])
    summed(48)
    assert estimate(look(48, 24))[NOVELTY] == Drift(None, 0, 2)


def from_the_definition(vectors: np.typing.NDArray[np.float64], hour: int, reference: DriftReference) -> list[float]:
    """Both statistics of vectors of one hour, from single vectors instead of sums."""
    season, m = reference.season, len(vectors)
    expected = season.cells[season_cells(np.array([hour]))[0]]
    centred = vectors - season.mean
    pairs = centred @ centred.T
    mix = m * ((pairs.sum() - np.trace(pairs)) / (m * (m - 1)) - 2 * centred.mean(0) @ expected + expected @ expected)
    along = (centred.mean(0) - expected) @ reference.scale.axes
    return [float(mix), float((along**2 / (reference.scale.variances + 1 / m)).sum())]


def test_the_series_are_the_statistics_of_the_vectors_of_the_window(
    memory_store: Store,
    add_queries: Add,
    add_vectors: Add,
    summed: Callable[[float], None],
    monday: datetime,
) -> None:
    add_queries(0, TWO_WEEKS_H)
    late_h = TWO_WEEKS_H + 30
    vectors = np.random.default_rng(3).normal(0.3, 1, size=(80, 12))
    add_vectors(np.full(80, late_h + 0.5), vectors)
    summed(late_h + 1)
    end = monday + timedelta(hours=late_h + 1)
    found = estimate(Look(memory_store, Window(end, 86400), Settings.load(), alpha=0.001))
    reference = reference_at(memory_store, ENCODER, end)
    assert reference is not None
    unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    wanted = from_the_definition(unit, int(end.timestamp()) // 3600 - 1, reference)
    assert [found[MIX].value, found[NOVELTY].value] == pytest.approx(wanted, rel=0.02)
    assert (found[MIX].quiet, found[NOVELTY].quiet) == (reference.mix, reference.novelty)


def test_another_encoder_is_missing_while_it_is_rare_and_judged_apart_when_it_takes_over(
    memory_store: Store, add_queries: Add, add_vectors: Add, summed: Callable[[float], None], monday: datetime
) -> None:
    add_queries(0, TWO_WEEKS_H + 24)
    rng = np.random.default_rng(4)
    add_vectors(rng.uniform(TWO_WEEKS_H, TWO_WEEKS_H + 24, 100), rng.normal(size=(100, 12)), model="encoder-2")
    add_vectors(rng.uniform(TWO_WEEKS_H + 24, TWO_WEEKS_H + 48, 100), rng.normal(size=(100, 12)), model="encoder-2")
    summed(TWO_WEEKS_H + 48)
    looks = [
        estimate(Look(memory_store, Window(monday + timedelta(hours=end_h), 86400), Settings.load(), alpha=0.001))[MIX]
        for end_h in (TWO_WEEKS_H + 24, TWO_WEEKS_H + 48)
    ]
    assert (looks[0].n, looks[0].missing, looks[0].encoder) == (480, 100, ENCODER)
    assert looks[0].value is not None
    assert replace(looks[1], since=None) == Drift(None, 100, 0, Encoder("encoder-2", 12))


def test_one_vector_has_no_value(
    memory_store: Store, add_queries: Add, summed: Callable[[float], None], monday: datetime, add_vectors: Add
) -> None:
    add_queries(0, TWO_WEEKS_H)
    add_vectors(np.array([TWO_WEEKS_H + 30.5]), np.ones((1, 12)))
    summed(TWO_WEEKS_H + 48)
    end = monday + timedelta(hours=TWO_WEEKS_H + 48)
    found = estimate(Look(memory_store, Window(end, 86400), Settings.load(), alpha=0.001))
    assert (found[MIX].value, found[MIX].n) == (None, 1)
