import doctest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import t as student_t

from ragvigil_monitor.statistics import mean_interval as module
from ragvigil_monitor.statistics.mean_interval import mean_interval

Draw = Callable[[np.random.Generator, int], NDArray[np.floating[Any]]]

COSTS: dict[str, tuple[Draw, float]] = {
    "lognormal": (lambda rng, n: rng.lognormal(0, 1, n), float(np.exp(0.5))),
    "exponential": (lambda rng, n: rng.exponential(1, n), 1.0),
    "two prices": (lambda rng, n: 1 + 2.0 * (rng.random(n) < 0.5), 2.0),
    "one in twenty from the cache": (lambda rng, n: 1.0 * (rng.random(n) > 0.05), 0.95),
    "one in a hundred dear": (lambda rng, n: 1 + 20.0 * (rng.random(n) < 0.01), 1.2),
}
costs = pytest.mark.parametrize(("draw", "true"), COSTS.values(), ids=COSTS.keys())


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


def test_a_symmetric_sample_has_the_interval_of_student() -> None:
    sample = np.concatenate([100 - np.arange(1, 51), 100 + np.arange(1, 51)]).astype(float)
    found = mean_interval(sample, alpha=0.001)
    low, high = student_t.interval(0.95, 99, loc=sample.mean(), scale=sample.std(ddof=1) / 10)
    assert found.lower == pytest.approx(low)
    assert found.upper == pytest.approx(high)


@costs
@pytest.mark.parametrize("n", [30, 200])
def test_the_alarm_bound_errs_no_more_often_than_alpha(draw: Draw, true: float, n: int) -> None:
    """3,000 samples at alpha = .005: 15 expected at most, 27 would be three standard errors more."""
    rng = np.random.default_rng(n)
    errors = sum((mean_interval(draw(rng, n), alpha=0.005).alarm_lower or 0) > true for _ in range(3000))
    assert errors <= 27


def test_a_plain_t_bound_would_err_where_cheap_answers_are_rare() -> None:
    rng = np.random.default_rng(3)
    samples = 1.0 * (rng.random((3000, 30)) > 0.05)
    half_width = student_t.ppf(0.995, 29) * samples.std(axis=1, ddof=1) / np.sqrt(30)
    assert (samples.mean(axis=1) - half_width > 0.95).mean() > 0.15


@pytest.mark.parametrize("n", [200, 1500])
def test_the_interval_covers_a_skewed_mean_better_than_student(n: int) -> None:
    rng = np.random.default_rng(n)
    true, ours, theirs = float(np.exp(0.5)), 0, 0
    for _ in range(2000):
        sample = rng.lognormal(0, 1, n)
        found = mean_interval(sample, alpha=0.001)
        low, high = student_t.interval(0.95, n - 1, loc=sample.mean(), scale=sample.std(ddof=1) / np.sqrt(n))
        ours += (found.lower or 0) <= true <= (found.upper or 0)
        theirs += low <= true <= high
    assert ours / 2000 >= 0.93
    assert ours >= theirs


def test_a_rise_by_two_fifths_is_seen_in_a_day_of_traffic() -> None:
    rng = np.random.default_rng(4)
    budget = 1.1 * float(np.exp(0.125))
    seen = sum(
        (mean_interval(1.4 * rng.lognormal(0, 0.5, 1500), alpha=2e-5).alarm_lower or 0) > budget for _ in range(300)
    )
    assert seen >= 297


@given(sample=st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), max_size=80))
def test_what_is_no_cost_is_counted_and_never_used(sample: list[float]) -> None:
    usable = [value for value in sample if np.isfinite(value) and value >= 0]
    found = mean_interval(sample, alpha=0.001)
    assert (found.n, found.missing) == (len(usable), len(sample) - len(usable))
    assert (found.value is None) == (not usable)


@given(sample=st.lists(st.floats(0, 1e6), min_size=30, max_size=200), alpha=st.sampled_from([0.025, 1e-3, 1e-6]))
def test_the_bounds_are_finite_and_in_order(sample: list[float], alpha: float) -> None:
    found = mean_interval(sample, alpha=alpha)
    assert found.value is not None
    assert found.lower is not None
    assert found.upper is not None
    slack = 1e-9 * (1 + found.value)
    assert 0 <= found.lower <= found.value + slack
    assert found.value <= found.upper + slack
    assert np.isfinite(found.upper)
    assert found.alarm_lower is None or 0 <= found.alarm_lower <= found.value + slack


@pytest.mark.parametrize("n", [1, 29])
def test_a_small_sample_has_a_value_and_no_interval(n: int) -> None:
    found = mean_interval(np.ones(n), alpha=0.001)
    assert (found.value, found.lower, found.upper, found.needed) == (1, None, None, 30)


def test_a_few_equal_costs_raise_no_alarm() -> None:
    assert mean_interval([3.0] * 7, alpha=0.001).alarm_lower is None


def test_without_costs_there_is_no_estimate() -> None:
    found = mean_interval([float("nan")] * 50, alpha=0.001)
    assert (found.value, found.upper, found.alarm_lower, found.n, found.missing) == (None, None, None, 0, 50)


def test_huge_costs_do_not_overflow() -> None:
    found = mean_interval(np.full(40, 1e300) * np.linspace(1, 2, 40), alpha=0.001)
    assert found.upper is not None
    assert np.isfinite(found.upper)
