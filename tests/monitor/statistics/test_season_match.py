import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.statistics import season_match as module
from ragvigil_monitor.statistics.season_match import season_matched

Cells = st.lists(st.integers(0, 47), max_size=200).map(lambda cells: np.array(cells, dtype=np.int64))


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@given(reference=Cells, window=Cells, most=st.integers(0, 300))
def test_no_point_is_taken_twice_and_none_from_a_cell_that_the_window_does_not_have(
    reference: np.typing.NDArray[np.int64], window: np.typing.NDArray[np.int64], most: int
) -> None:
    chosen = season_matched(reference, window, most=most)
    assert len(set(chosen.tolist())) == len(chosen)
    assert set(reference[chosen]) <= set(window)
    assert len(chosen) <= most + 24  # shares are rounded cell by cell


def test_the_shares_of_the_cells_are_those_of_the_window() -> None:
    rng = np.random.default_rng(0)
    reference, window = rng.integers(0, 48, 5_000), rng.choice(24, 500, p=np.arange(1, 25) / 300)
    chosen = season_matched(reference, window, most=2_000)
    assert len(chosen) > 500
    wanted = np.bincount(window, minlength=48) / 500
    shares = np.bincount(reference[chosen], minlength=48) / len(chosen)
    assert np.abs(shares - wanted).sum() < 0.15


def test_a_rare_cell_without_reference_does_not_prevent_a_match() -> None:
    chosen = season_matched(np.zeros(1_000, dtype=np.int64), np.array([0] * 99 + [30]), most=500)
    assert len(chosen) == 495


@pytest.mark.parametrize(("reference", "window"), [([], [1, 2]), ([1, 2], []), ([1], [2]), ([], [])])
def test_without_common_hours_nothing_matches(reference: list[int], window: list[int]) -> None:
    assert len(season_matched(np.array(reference, dtype=np.int64), np.array(window, dtype=np.int64), most=10)) == 0
