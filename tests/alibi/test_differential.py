"""Our permutation test and that of alibi-detect give the same for the same kernel and permutations."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.samples.alibi import Oracle

from ragvigil_monitor.statistics.mmd_permutation import MmdTest, mmd_test
from ragvigil_monitor.statistics.permutation_p import TIED, permutation_p
from ragvigil_monitor.statistics.random_splits import random_splits
from ragvigil_monitor.statistics.rbf_kernel import median_gamma
from ragvigil_monitor.statistics.usable_vectors import duplicate_share, usable_vectors

Points = NDArray[np.float64]
PERMUTATIONS = 300


@dataclass(frozen=True, slots=True)
class Theirs:
    """mmd2, p and the statistic of every permutation, by alibi-detect."""

    mmd2: float
    p: float
    permuted: list[float]


Compared = Callable[[Points, Points], tuple[MmdTest, Theirs]]


def unit(rng: np.random.Generator, rows: int, dimension: int) -> Points:
    return usable_vectors(rng.normal(size=(rows, dimension))).unit


def copied(rng: np.random.Generator, points: Points) -> Points:
    """As many rows, six in ten of which are copies of others."""
    kept = len(points) * 2 // 5
    return rng.permutation(np.concatenate([points[:kept], points[rng.integers(0, kept, len(points) - kept)]]))


@pytest.fixture
def compared(oracle: Oracle) -> Compared:
    """Both tests, with the same bandwidth and the same permutations."""

    def compare(reference: Points, current: Points) -> tuple[MmdTest, Theirs]:
        ours = mmd_test(reference, current, permutations=PERMUTATIONS, seed=11)
        splits = random_splits(ours.n, ours.m, PERMUTATIONS, seed=11)
        # alibi-detect takes its last m rows for the current sample
        orders = np.argsort(splits.T, axis=1, kind="stable")
        arrays = {"reference": reference, "current": current, "gamma": ours.gamma, "orders": orders}
        return ours, Theirs(**oracle.ask_about("compared", arrays))

    return compare


@pytest.mark.parametrize(
    ("n", "m", "dimension"),
    [(60, 40, 256), (40, 60, 384), (150, 101, 768), (31, 45, 1536), (50, 2, 384), (2, 50, 384), (2, 2, 256)],
    ids=lambda value: str(value),
)
@pytest.mark.parametrize("shift", [0.0, 0.05], ids=["same", "drifted"])
def test_the_statistic_and_the_count_are_the_same(
    compared: Compared, n: int, m: int, dimension: int, shift: float
) -> None:
    rng = np.random.default_rng([n, m, dimension])
    ours, theirs = compared(unit(rng, n, dimension), usable_vectors(unit(rng, m, dimension) + shift).unit)
    assert abs(ours.mmd2 - theirs.mmd2) < 1e-10
    assert len(theirs.permuted) == PERMUTATIONS
    assert ours.exceeding == sum(value >= theirs.mmd2 - TIED for value in theirs.permuted)


@pytest.mark.parametrize("n", [50, 120], ids=["n < m", "n > m"])
def test_six_in_ten_copies_change_nothing_about_that(compared: Compared, n: int) -> None:
    rng = np.random.default_rng(n)
    reference, current = copied(rng, unit(rng, n, 384)), copied(rng, unit(rng, 80, 384))
    ours, theirs = compared(reference, current)
    assert duplicate_share(current) == pytest.approx(0.6)
    assert abs(ours.mmd2 - theirs.mmd2) < 1e-10
    assert ours.exceeding == sum(value >= theirs.mmd2 - TIED for value in theirs.permuted)


@pytest.mark.parametrize("shift", [0.0, 0.02, 0.2], ids=["same", "a little", "far"])
def test_their_p_is_converted_into_ours(compared: Compared, shift: float) -> None:
    """Theirs is a share of permutations, which may be 0; ours is exact and never 0."""
    rng = np.random.default_rng(3)
    ours, theirs = compared(unit(rng, 80, 384), usable_vectors(unit(rng, 70, 384) + shift).unit)
    assert (PERMUTATIONS * theirs.p + 1) / (PERMUTATIONS + 1) == pytest.approx(ours.p, abs=1e-7)
    assert permutation_p(round(PERMUTATIONS * theirs.p), PERMUTATIONS) == ours.p


@pytest.mark.parametrize("dimension", [256, 384, 768, 1536])
@pytest.mark.parametrize("rows", [99, 1_002], ids=["odd number of pairs", "1,002 rows"])
def test_the_bandwidth_is_the_same(oracle: Oracle, dimension: int, rows: int) -> None:
    """An odd number of pairs has one median; of an even number we take the mean of the middle two, they the lower."""
    assert rows * (rows - 1) // 2 % 2 == 1
    points = unit(np.random.default_rng(dimension), rows, dimension)
    theirs = oracle.ask_about("inferred_gamma", {"points": points})["gamma"]
    assert median_gamma(points) == pytest.approx(theirs, rel=1e-6)


def test_the_bandwidth_of_copies_is_the_same(oracle: Oracle) -> None:
    points = copied(np.random.default_rng(4), unit(np.random.default_rng(5), 99, 384))
    theirs = oracle.ask_about("inferred_gamma", {"points": points})["gamma"]
    assert median_gamma(points) == pytest.approx(theirs, rel=1e-6)


def test_they_call_a_single_nan_drift_so_it_must_never_reach_them(oracle: Oracle) -> None:
    rng = np.random.default_rng(6)
    reference, current = unit(rng, 60, 384), unit(rng, 40, 384)
    current[7, 3] = np.nan
    assert oracle.ask_about("says_drift", {"reference": reference, "current": current}) == {"p": 0.0, "is_drift": 1}


RUNS = 2_000
SMALL = {"n": 35, "m": 25, "dimension": 16, "permutations": 199}


def test_they_reject_null_samples_as_often_as_the_level_says(oracle: Oracle) -> None:
    rejected = oracle.ask("rejections", **SMALL, runs=RUNS, seed=7)["rejected"]
    assert 0.040 <= rejected / RUNS <= 0.060


def test_we_reject_null_samples_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(8)
    rejected = 0
    for run in range(RUNS):
        points = unit(rng, 60, 16)
        rejected += mmd_test(points[:35], points[35:], permutations=199, seed=run).p <= 0.05
    assert 0.040 <= rejected / RUNS <= 0.060
