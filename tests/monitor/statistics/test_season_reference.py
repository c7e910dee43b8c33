import numpy as np
import pytest

from ragvigil_monitor.statistics.hour_of_week import season_cells
from ragvigil_monitor.statistics.season_reference import SeasonReference, single_query_covariance
from ragvigil_monitor.statistics.vector_windows import HourlySums, trailing_windows

WEEKS = 168 * 4


def seasonal(per_hour: float) -> HourlySums:
    """Vectors at (1, 0) by day and (0, 1) by night, without noise, for four weeks."""
    hours = np.arange(WEEKS)
    counts = np.full(WEEKS, per_hour)
    by_day = (hours % 24 >= 8) & (hours % 24 < 20)
    sums = np.where(by_day[:, None], [1.0, 0.0], [0.0, 1.0]) * counts[:, None]
    return HourlySums(hours, counts, sums, counts)


def test_a_cell_is_shrunk_as_if_twenty_vectors_at_the_mean_belonged_to_it() -> None:
    hourly = seasonal(3.0)
    reference = SeasonReference.fit(hourly)
    np.testing.assert_allclose(reference.mean, [0.5, 0.5])
    in_cell = 3.0 * np.count_nonzero(season_cells(hourly.hours) == 10)
    np.testing.assert_allclose(reference.cells[10], np.array([0.5, -0.5]) * in_cell / (in_cell + 20))


def test_an_hour_of_night_is_expected_where_nights_were() -> None:
    reference = SeasonReference.fit(seasonal(1e6))
    night = trailing_windows(seasonal(50.0), np.array([24 * 7 + 3]), length_h=1)
    np.testing.assert_allclose(reference.mean + reference.expected(night), [[0.0, 1.0]], atol=1e-5)
    np.testing.assert_allclose(reference.residuals(night), [[0.0, 0.0]], atol=1e-5)


def test_a_cell_without_history_is_expected_at_the_mean() -> None:
    weekdays = seasonal(5.0).within(96, 96 + 120)
    reference = SeasonReference.fit(weekdays)
    saturday = trailing_windows(seasonal(5.0), np.array([48 + 5]), length_h=1)
    np.testing.assert_allclose(reference.expected(saturday), [[0.0, 0.0]])


def test_a_reference_of_nothing_is_refused() -> None:
    empty = HourlySums(np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 3)), np.empty(0))
    with pytest.raises(ValueError, match="needs vectors"):
        SeasonReference.fit(empty)


def test_the_covariance_agrees_with_numpy_but_for_the_ridge() -> None:
    vectors = np.random.default_rng(1).normal(size=(500, 4)) + 2
    found = single_query_covariance(vectors.T @ vectors, 500, vectors.mean(axis=0))
    plain = np.cov(vectors.T, bias=True)
    np.testing.assert_allclose(found, plain + np.eye(4) * 1e-3 * np.trace(plain) / 4, atol=1e-10)


def test_vectors_that_are_all_alike_still_give_a_positive_definite_covariance() -> None:
    one = np.array([0.6, 0.8])
    found = single_query_covariance(100 * np.outer(one, one), 100, one)
    assert np.linalg.eigvalsh(found).min() > 0
