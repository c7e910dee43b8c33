from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.statistics.hour_of_week import season_cells
from ragvigil_monitor.statistics.vector_windows import HourlySums, trailing_windows


@given(st.integers(0, 1_000_000))
def test_the_season_cell_agrees_with_the_calendar(hour: int) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(hours=hour)
    expected = moment.hour + (24 if moment.weekday() >= 5 else 0)
    assert season_cells(np.array([hour])).tolist() == [expected]


@pytest.mark.parametrize("length_h", [1, 24, 168])
def test_windows_agree_with_adding_up_their_vectors(length_h: int) -> None:
    rng = np.random.default_rng(0)
    hour_of = np.sort(rng.choice(np.arange(1000, 1200)[rng.random(200) < 0.6], 400))
    vectors = rng.normal(size=(400, 3))
    hours = np.unique(hour_of)
    hourly = HourlySums(
        hours,
        np.array([np.count_nonzero(hour_of == hour) for hour in hours], dtype=float),
        np.array([vectors[hour_of == hour].sum(axis=0) for hour in hours]),
        np.array([(vectors[hour_of == hour] ** 2).sum() for hour in hours]),
    )
    ends = np.arange(1000, 1210)
    windows = trailing_windows(hourly, ends, length_h=length_h)
    for place, end in enumerate(ends):
        inside = vectors[(hour_of >= end - length_h) & (hour_of < end)]
        assert windows.counts[place] == len(inside)
        if len(inside):
            np.testing.assert_allclose(windows.means[place], inside.mean(axis=0), atol=1e-12)
            np.testing.assert_allclose(windows.squares[place], (inside**2).sum() / len(inside), atol=1e-12)
            assert windows.shares[place].sum() == pytest.approx(1.0)


def test_an_empty_window_has_nothing_and_no_nan() -> None:
    hourly = HourlySums(np.array([5]), np.array([2.0]), np.array([[1.0, 1.0]]), np.array([2.0]))
    windows = trailing_windows(hourly, np.array([100]), length_h=24)
    assert (windows.counts.tolist(), windows.means.tolist(), windows.shares.sum()) == ([0.0], [[0.0, 0.0]], 0.0)


def test_hours_are_cut_at_the_half_open_end() -> None:
    hourly = HourlySums(np.arange(4), np.ones(4), np.ones((4, 1)), np.ones(4))
    assert hourly.within(1, 3).hours.tolist() == [1, 2]
    assert hourly.without(1, 3).hours.tolist() == [0, 3]
