import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.statistics import mix_rate_split as module
from ragvigil_monitor.statistics.mix_rate_split import mix_rate_split

Slices = list[tuple[int, float]]
SLICES = st.lists(st.tuples(st.integers(0, 500), st.floats(0, 1)), min_size=3, max_size=3)


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


def test_a_worked_example() -> None:
    """Shares 80:20 become 60:40, rates 10 % and 20 % become 10 % and 30 %.

    Mix: -0.2 · 0.10 + 0.2 · 0.25 = 0.03. Rate: 0.7 · 0 + 0.3 · 0.10 = 0.03. Change: 0.18 - 0.12.
    """
    found = mix_rate_split([80, 40], [800, 200], [60, 120], [600, 400])
    assert found is not None
    assert (found.before, found.after) == pytest.approx((0.12, 0.18))
    assert (found.mix, found.rate) == pytest.approx((0.03, 0.03))


def test_other_shares_at_the_same_rates_are_mix_alone() -> None:
    found = mix_rate_split([10, 40], [100, 100], [2, 72], [20, 180])
    assert found is not None
    assert found.mix == pytest.approx(found.after - found.before)
    assert found.rate == pytest.approx(0.0)


def test_a_slice_that_is_new_is_mix_whatever_its_rate() -> None:
    found = mix_rate_split([10, 0], [100, 0], [10, 40], [100, 50])
    assert found is not None
    assert found.rate == pytest.approx(0.0)
    assert found.mix == pytest.approx(found.after - found.before)


@pytest.mark.parametrize("empty", [([], []), ([0, 0], [0, 0])], ids=["no slices", "no observations"])
def test_without_observations_there_is_nothing_to_split(empty: tuple[list[float], list[float]]) -> None:
    full = ([1] * len(empty[0]), [2] * len(empty[0]))
    assert mix_rate_split(*empty, *full) is None
    assert mix_rate_split(*full, *empty) is None


@pytest.mark.parametrize(
    "arrays",
    [
        ([3], [2], [1], [2]),
        ([1], [2], [-1], [2]),
        ([float("nan")], [2], [1], [2]),
        ([1], [float("inf")], [1], [2]),
        ([1, 1], [2], [1], [2]),
        ([1], [2], [1, 1], [2, 2]),
    ],
    ids=["more than all", "negative", "NaN", "infinite", "lengths", "slices"],
)
def test_impossible_counts_are_refused(arrays: tuple[list[float], ...]) -> None:
    with pytest.raises(ValueError, match=r"events|slices"):
        mix_rate_split(*arrays)


@given(before=SLICES, after=SLICES)
def test_the_parts_add_up_to_the_change(before: Slices, after: Slices) -> None:
    n0, n1 = (np.array([n for n, _ in side], dtype=float) for side in (before, after))
    x0, x1 = (np.array([n * share for n, share in side]) for side in (before, after))
    found = mix_rate_split(x0, n0, x1, n1)
    assert (found is None) == (not n0.sum() or not n1.sum())
    if found is not None:
        assert found.mix + found.rate == pytest.approx(found.after - found.before, abs=1e-9)
        back = mix_rate_split(x1, n1, x0, n0)
        assert back is not None
        assert (back.mix, back.rate) == pytest.approx((-found.mix, -found.rate), abs=1e-9)
