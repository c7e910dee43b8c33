import doctest
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, quantile_test

from ragvigil_monitor.statistics import quantile_interval as module
from ragvigil_monitor.statistics.quantile_interval import (
    lower_rank,
    needed,
    quantile_interval,
    ranks,
    upper_rank,
)

quantiles = st.sampled_from([0.01, 0.25, 0.5, 0.9, 0.95, 0.99])
levels = st.sampled_from([0.4, 0.025, 1e-3, 2e-5, 1e-9])
sizes = st.integers(1, 3000)


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("n", "lower", "upper"),
    [(10, 2, 9), (20, 6, 15), (50, 18, 33), (100, 40, 61)],
)
def test_the_ranks_of_a_median_are_the_published_ones(n: int, lower: int, upper: int) -> None:
    """Table A of Conover, Practical Nonparametric Statistics (1999); Hahn & Meeker (1991), table A.15."""
    found = ranks(n, 0.5, alpha=0.01)
    assert (found.lower, found.upper) == (lower, upper)


def test_the_interval_agrees_with_scipy() -> None:
    sample = np.random.default_rng(1).lognormal(5, 0.5, 500)
    ours = quantile_interval(sample, 0.95, alpha=0.01)
    theirs: Any = quantile_test(sample, q=0.0, p=0.95).confidence_interval(0.95)
    assert (ours.lower, ours.upper) == (theirs.low, theirs.high)


@given(n=sizes, q=quantiles, alpha=levels)
def test_a_lower_rank_is_the_largest_that_keeps_its_level(n: int, q: float, alpha: float) -> None:
    rank = lower_rank(n, q, alpha)
    kept = 0 if rank is None else rank
    assert kept == 0 or binom.cdf(kept - 1, n, q) <= alpha * (1 + 1e-9)
    assert kept == n or binom.cdf(kept, n, q) > alpha * (1 - 1e-9)


@given(n=sizes, q=quantiles, alpha=levels)
def test_an_upper_rank_is_the_smallest_that_keeps_its_level(n: int, q: float, alpha: float) -> None:
    rank = upper_rank(n, q, alpha)
    kept = n + 1 if rank is None else rank
    assert kept == n + 1 or binom.sf(kept - 1, n, q) <= alpha * (1 + 1e-9)
    assert kept == 1 or binom.sf(kept - 2, n, q) > alpha * (1 - 1e-9)


@given(n=sizes, q=quantiles, alpha=st.sampled_from([0.025, 1e-3, 1e-6]))
def test_the_ranks_are_in_order(n: int, q: float, alpha: float) -> None:
    found = ranks(n, q, alpha=alpha)
    assert (found.alarm_lower or 0) <= (found.lower or 0) <= found.value <= (found.upper or n)


@pytest.mark.parametrize("q", [0.5, 0.95, 0.99])
def test_an_upper_bound_needs_as_many_as_it_says(q: float) -> None:
    enough = needed(q)
    assert ranks(enough, q, alpha=0.01).upper is not None
    assert ranks(enough - 1, q, alpha=0.01).upper is None


@given(
    sample=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=300),
    q=quantiles,
    scale=st.floats(0.1, 10),
)
def test_a_change_of_unit_changes_nothing_else(sample: list[float], q: float, scale: float) -> None:
    before = quantile_interval(sample, q, alpha=0.01)
    after = quantile_interval(np.asarray(sample) * scale, q, alpha=0.01)
    assert before.value is not None
    assert after.value == pytest.approx(before.value * scale)
    assert (after.upper is None) == (before.upper is None)


@given(sample=st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=50))
def test_values_that_are_no_numbers_are_counted_and_never_used(sample: list[float]) -> None:
    usable = [value for value in sample if math.isfinite(value)]
    found = quantile_interval(sample, 0.5, alpha=0.01)
    assert (found.n, found.missing) == (len(usable), len(sample) - len(usable))
    assert (found.value is None) == (not usable)
    assert found.value is None or found.value in usable


def test_without_observations_there_is_no_estimate() -> None:
    found = quantile_interval([], 0.95, alpha=0.01)
    assert (found.value, found.lower, found.upper, found.alarm_lower, found.n) == (None, None, None, None, 0)


def test_a_constant_sample_has_an_interval_of_width_zero() -> None:
    found = quantile_interval([7.0] * 200, 0.95, alpha=0.001)
    assert (found.value, found.lower, found.upper, found.alarm_lower) == (7, 7, 7, 7)


def test_three_observations_can_raise_an_alarm_but_two_cannot() -> None:
    alpha = 2e-4
    assert quantile_interval([900, 950, 990], 0.95, alpha=alpha).alarm_lower == 900
    assert quantile_interval([900, 950], 0.95, alpha=alpha).alarm_lower is None


@pytest.mark.parametrize("n", [80, 354, 1500])
def test_the_interval_covers_the_true_quantile_as_often_as_it_says(n: int) -> None:
    samples = np.random.default_rng(n).exponential(1, (4000, n))
    true = -math.log(0.05)
    found = ranks(n, 0.95, alpha=0.01)
    ordered = np.sort(samples, axis=1)
    assert found.lower is not None
    assert found.upper is not None
    covered = (ordered[:, found.lower - 1] <= true) & (true <= ordered[:, found.upper - 1])
    assert covered.mean() >= 0.945


@pytest.mark.parametrize("n", [40, 354, 1500])
def test_the_alarm_bound_errs_no_more_often_than_alpha(n: int) -> None:
    """4,000 samples at alpha = .01: 40 expected at most, 60 would be three standard errors more."""
    samples = np.sort(np.random.default_rng(n).lognormal(0, 1, (4000, n)), axis=1)
    rank = ranks(n, 0.95, alpha=0.01).alarm_lower
    assert rank is not None
    assert (samples[:, rank - 1] > math.exp(1.6448536)).sum() <= 60


def test_a_mixture_over_the_day_only_makes_the_bound_safer() -> None:
    rng = np.random.default_rng(5)
    samples = rng.exponential(np.where(np.arange(500) < 250, 1.0, 3.0), (4000, 500))
    true = float(np.quantile(rng.exponential(np.where(np.arange(10**6) % 2 == 0, 1.0, 3.0)), 0.95))
    rank = ranks(500, 0.95, alpha=0.01).alarm_lower
    assert rank is not None
    assert (np.sort(samples, axis=1)[:, rank - 1] > true).mean() <= 0.012


def test_a_rise_by_a_half_is_seen_in_a_day_of_traffic() -> None:
    samples = np.sort(np.random.default_rng(9).lognormal(0, 0.5, (500, 1500)) * 1.5, axis=1)
    rank = ranks(1500, 0.95, alpha=2e-5).alarm_lower
    assert rank is not None
    assert (samples[:, rank - 1] > math.exp(0.5 * 1.6448536)).mean() >= 0.99
