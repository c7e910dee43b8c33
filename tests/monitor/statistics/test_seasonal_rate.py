from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.statistics.hour_of_week import CELLS, hour_cells
from ragvigil_monitor.statistics.hourly_counts import HourlyCounts
from ragvigil_monitor.statistics.seasonal_rate import flat_rate, seasonal_rate

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def counts(events: list[float], totals: list[float], cells: list[int]) -> HourlyCounts:
    return HourlyCounts(np.array(events, dtype=float), np.array(totals, dtype=float), np.array(cells, dtype=np.intp))


@given(hour=st.integers(0, 1_000_000))
def test_a_cell_is_the_hour_of_the_day_and_whether_it_is_a_weekend(hour: int) -> None:
    moment = EPOCH + timedelta(hours=hour)
    (cell,) = hour_cells(hour, 1)
    assert cell == moment.hour + 24 * (moment.weekday() >= 5)


def test_a_day_off_is_like_a_weekend() -> None:
    thursday = (datetime(2026, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(hours=1)
    cells = hour_cells(thursday, 48, [date(2026, 1, 1)])
    assert list(cells) == [*range(24, 48), *range(24)]


def test_the_formulas_of_two_cells() -> None:
    """By hand: n* = 100 each, p̄ = .2, Σ n*(p̂-p̄)² = 2, τ² = (2 - .16)/(200 - 100) = .0184, m = .16/.0184 - 1."""
    fitted = seasonal_rate(counts([10, 30], [100, 100], [0, 1]), overdispersion=0.0)
    m = 0.16 / 0.0184 - 1
    assert fitted.overall == pytest.approx(0.2)
    assert fitted.rates[:2] == pytest.approx([(10 + m * 0.2) / (100 + m), (30 + m * 0.2) / (100 + m)])
    assert fitted.uncertainty[0] == pytest.approx(1 / (100 + m + 1))


def test_overdispersion_makes_a_cell_worth_less() -> None:
    """Two hours of 50 in a cell are worth 100 / (1 + 49 ρ)."""
    history = counts([5, 5, 15, 15], [50, 50, 50, 50], [0, 0, 1, 1])
    sure, unsure = seasonal_rate(history, 0.0), seasonal_rate(history, 0.1)
    assert unsure.uncertainty[0] > sure.uncertainty[0]
    assert abs(unsure.rates[0] - 0.2) < abs(sure.rates[0] - 0.2)


def test_cells_that_do_not_differ_beyond_chance_get_one_rate() -> None:
    fitted = seasonal_rate(counts([10] * CELLS, [100] * CELLS, list(range(CELLS))), 0.0)
    assert fitted.rates == pytest.approx(np.full(CELLS, 0.1))


def test_a_cell_without_traffic_gets_the_overall_rate_and_the_uncertainty_of_a_new_one() -> None:
    fitted = seasonal_rate(counts([10, 30, 0], [100, 100, 0], [0, 1, 2]), 0.0)
    assert fitted.rates[2] == pytest.approx(fitted.overall)
    assert fitted.uncertainty[2] > 5 * fitted.uncertainty[0]


def test_where_cells_could_not_differ_more_nothing_is_known_of_one_without_traffic() -> None:
    fitted = seasonal_rate(counts([0, 100], [100, 100], [0, 1]), 0.0)
    assert fitted.rates[:2].tolist() == [0, 1]
    assert fitted.rates[2:].tolist() == [0.5] * (CELLS - 2)
    assert fitted.uncertainty[2:].tolist() == [1.0] * (CELLS - 2)


@given(totals=st.lists(st.integers(0, 50), min_size=2, max_size=200).filter(any), rho=st.floats(0, 0.5))
def test_where_every_answer_was_an_event_the_rate_is_one_and_cells_are_alike(totals: list[int], rho: float) -> None:
    each = [float(total) for total in totals]
    fitted = seasonal_rate(counts(each, each, [hour % CELLS for hour in range(len(totals))]), rho)
    assert fitted.overall == pytest.approx(1)
    assert fitted.rates.max() <= 1
    assert fitted.rates == pytest.approx(np.ones(CELLS))
    assert fitted.uncertainty.max() < 1e-6


def test_a_history_without_traffic_is_refused() -> None:
    with pytest.raises(ValueError, match="needs an hour with traffic"):
        seasonal_rate(counts([0], [0], [0]), 0.0)


def test_the_flat_rate_knows_no_season() -> None:
    fitted = flat_rate(counts([10, 30], [100, 100], [0, 30]), 0.0)
    assert fitted.rates == pytest.approx(np.full(CELLS, 0.2))
    assert len(set(fitted.uncertainty)) == 1


@given(
    events=st.lists(st.integers(0, 50), min_size=48, max_size=48),
    more=st.lists(st.integers(0, 50), min_size=48, max_size=48),
    rho=st.floats(0, 0.5),
)
def test_rates_lie_between_their_cell_and_the_whole(events: list[int], more: list[int], rho: float) -> None:
    totals = [x + y for x, y in zip(events, more, strict=True)]
    if not any(totals):
        return
    fitted = seasonal_rate(counts([*map(float, events)], [*map(float, totals)], list(range(48))), rho)
    assert ((fitted.uncertainty > 0) & (fitted.uncertainty <= 1)).all()
    for cell, (x, n) in enumerate(zip(events, totals, strict=True)):
        low, high = sorted([x / n if n else fitted.overall, fitted.overall])
        assert low - 1e-9 <= fitted.rates[cell] <= high + 1e-9


def test_shrinkage_comes_nearer_to_the_truth_than_the_cells_alone() -> None:
    rng = np.random.default_rng(1)
    truth = rng.beta(20, 180, CELLS)
    cells = np.tile(np.arange(CELLS), 14)
    totals = rng.poisson(6, len(cells)).astype(float)
    events = rng.binomial(totals.astype(int), truth[cells]).astype(float)
    fitted = seasonal_rate(HourlyCounts(events, totals, cells), 0.0)
    alone = np.bincount(cells, events) / np.bincount(cells, totals)
    assert ((fitted.rates - truth) ** 2).sum() < 0.7 * ((alone - truth) ** 2).sum()
