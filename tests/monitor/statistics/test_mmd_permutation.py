import doctest
import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from ragvigil_monitor.statistics import mmd_permutation as module
from ragvigil_monitor.statistics.mmd_permutation import ReferenceSide, mmd_test
from ragvigil_monitor.statistics.permutation_p import approximate_tail, permutation_p
from ragvigil_monitor.statistics.random_splits import random_splits
from ragvigil_monitor.statistics.rbf_kernel import rbf_kernel
from ragvigil_monitor.statistics.usable_vectors import usable_vectors

Points = NDArray[np.float64]


def unit(rng: np.random.Generator, rows: int, dimension: int) -> Points:
    return usable_vectors(rng.normal(size=(rows, dimension))).unit


def naive_mmd2(reference: Points, current: Points, gamma: float) -> float:
    """The definition: the mean kernel of all pairs within each sample, less twice the mean across."""

    def kernel(x: Points, y: Points) -> float:
        return float(np.exp(-gamma * ((x - y) ** 2).sum()))

    within_reference = np.mean([kernel(x, y) for x, y in combinations(reference, 2)])
    within_current = np.mean([kernel(x, y) for x, y in combinations(current, 2)])
    across = np.mean([kernel(x, y) for x in reference for y in current])
    return float(within_reference + within_current - 2 * across)


def permuted_by_submatrices(pooled: Points, splits: Points, gamma: float) -> list[float]:
    """MMD² of every split from the parts of one full kernel matrix."""
    kernel = rbf_kernel(pooled, pooled, gamma)
    np.fill_diagonal(kernel, 0.0)
    found = []
    for split in splits.T:
        there, here = split == 0, split == 1
        n, m = int(there.sum()), int(here.sum())
        within = kernel[np.ix_(there, there)].sum() / (n * (n - 1)) + kernel[np.ix_(here, here)].sum() / (m * (m - 1))
        found.append(float(within - 2 * kernel[np.ix_(there, here)].mean()))
    return found


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 25), m=st.integers(2, 25), gamma=st.floats(0.01, 100))
def test_the_statistic_is_its_definition(seed: int, n: int, m: int, gamma: float) -> None:
    rng = np.random.default_rng(seed)
    reference, current = unit(rng, n, 3), unit(rng, m, 3)
    found = mmd_test(reference, current, gamma=gamma, permutations=5)
    assert found.mmd2 == pytest.approx(naive_mmd2(reference, current, gamma), abs=1e-10)


@pytest.mark.parametrize(
    ("n", "m", "dimension"),
    [(60, 40, 256), (40, 60, 384), (1_100, 30, 8), (30, 1_100, 8), (50, 2, 768), (20, 20, 1536)],
    ids=["256", "384", "blocks of the reference", "blocks of the window", "two points", "1536"],
)
def test_every_permutation_agrees_with_submatrices_of_the_kernel(n: int, m: int, dimension: int) -> None:
    rng = np.random.default_rng(n)
    reference, current = unit(rng, n, dimension), unit(rng, m, dimension)
    found = mmd_test(reference, current, gamma=0.7, permutations=20, seed=4)
    observed = np.repeat([0.0, 1.0], [n, m])[:, None]
    splits = np.hstack([observed, random_splits(n, m, 20, seed=4)])
    mmd2, *permuted = permuted_by_submatrices(np.concatenate([reference, current]), splits, 0.7)
    assert found.mmd2 == pytest.approx(mmd2, abs=1e-10)
    assert found.exceeding == sum(value >= found.mmd2 - 1e-12 for value in permuted)
    assert found.p == permutation_p(found.exceeding, 20)


def test_the_statistic_of_alternating_copies_is_computed_exactly() -> None:
    """Two points at distance 1 in each sample: within e⁻¹, across (2 + 2 e⁻¹) / 4, so MMD² = e⁻¹ - 1."""
    line = np.array([[0.0], [1.0]])
    found = mmd_test(line, line, gamma=1.0, permutations=30)
    assert found.mmd2 == pytest.approx(np.exp(-1) - 1, abs=1e-15)


def test_a_prepared_reference_gives_the_same_for_every_window() -> None:
    rng = np.random.default_rng(5)
    reference = unit(rng, 90, 16)
    side = ReferenceSide.of(reference, 40, gamma=0.5, permutations=100, seed=3)
    for window in (unit(rng, 40, 16), unit(rng, 40, 16) + 0.2):
        assert side.test(window) == mmd_test(reference, window, gamma=0.5, permutations=100, seed=3)


def test_identical_points_have_nothing_to_tell_apart() -> None:
    same = np.ones((30, 4)) / 2
    found = mmd_test(same, same[:10], permutations=50)
    assert (found.p, found.approximate_p) == (1.0, None)
    assert found.mmd2 == pytest.approx(0.0, abs=1e-12)


def test_with_six_in_ten_points_copied_ties_count_as_at_least_as_large() -> None:
    rng = np.random.default_rng(6)
    base = unit(rng, 20, 8)
    reference, current = base[rng.integers(0, 20, 50)], base[rng.integers(0, 20, 50)]
    shuffled = mmd_test(rng.permutation(reference), rng.permutation(current), permutations=200)
    assert shuffled.p > 0.01


@pytest.mark.parametrize(("n", "m"), [(1, 5), (5, 1), (0, 5)])
def test_one_point_has_no_pairs(n: int, m: int) -> None:
    with pytest.raises(ValueError, match="two points on each side"):
        mmd_test(np.zeros((n, 2)), np.zeros((m, 2)), gamma=1.0)


def test_a_window_of_another_size_is_refused() -> None:
    side = ReferenceSide.of(np.zeros((5, 2)), 4, gamma=1.0, permutations=3)
    with pytest.raises(ValueError, match="made ready for 4 points; got 5"):
        side.test(np.zeros((5, 2)))


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_rotation_or_a_shift_of_all_points_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    reference, current = rng.normal(size=(20, 4)), rng.normal(size=(15, 4))
    rotation, shift = np.linalg.qr(rng.normal(size=(4, 4)))[0], rng.normal(size=4)
    before = mmd_test(reference, current, gamma=0.3, permutations=19)
    after = mmd_test(reference @ rotation + shift, current @ rotation + shift, gamma=0.3, permutations=19)
    assert after.mmd2 == pytest.approx(before.mmd2, abs=1e-10)
    assert after.exceeding == before.exceeding


@pytest.mark.slow
def test_two_thousand_null_samples_are_rejected_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(7)
    rejected = 0
    for run in range(2_000):
        points = unit(rng, 60, 16)
        rejected += mmd_test(points[:35], points[35:], permutations=199, seed=run).p <= 0.05
    assert 0.040 <= rejected / 2_000 <= 0.060


def test_a_tenth_of_a_new_topic_is_found() -> None:
    rng = np.random.default_rng(8)
    found = 0
    for run in range(20):
        reference, current = unit(rng, 400, 32), unit(rng, 300, 32)
        current[:30] = unit(rng, 1, 32) + 0.05 * rng.normal(size=(30, 32))
        found += mmd_test(reference, current, permutations=199, seed=run).p <= 0.01
    assert found >= 18


def test_all_permutations_at_once_are_much_faster_than_one_by_one() -> None:
    rng = np.random.default_rng(9)
    reference, current = unit(rng, 500, 64), unit(rng, 500, 64)
    began = time.perf_counter()
    mmd_test(reference, current, gamma=1.0, permutations=1_000)
    together_s = time.perf_counter() - began
    began = time.perf_counter()
    permuted_by_submatrices(np.concatenate([reference, current]), random_splits(500, 500, 50, seed=0), 1.0)
    one_by_one_s = (time.perf_counter() - began) * 20
    assert one_by_one_s / together_s > 5


def test_a_p_value_is_never_zero() -> None:
    assert (permutation_p(0, 1_000), permutation_p(1_000, 1_000)) == (1 / 1_001, 1.0)


def test_the_approximate_tail_is_close_to_a_known_skewed_tail() -> None:
    """A gamma distribution is a Pearson III: a thousand draws give its tail at 9.3e-5 within a factor of 3."""
    found = approximate_tail(17.0, np.random.default_rng(10).gamma(4.0, size=1_000))
    assert found is not None
    assert 1 / 3 < found / stats.gamma.sf(17.0, 4.0) < 3


def test_permuted_values_that_do_not_vary_have_no_tail() -> None:
    assert approximate_tail(1.0, np.zeros(10)) is None
