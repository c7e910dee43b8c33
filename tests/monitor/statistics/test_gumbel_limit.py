import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ragvigil_monitor.statistics import gumbel_limit as module
from ragvigil_monitor.statistics.gumbel_limit import GumbelLimit


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("probability", [0.5, 0.1 / 7, 1e-6])
def test_the_limit_is_the_quantile_of_scipys_gumbel_distribution(probability: float) -> None:
    limit = GumbelLimit(3.0, 2.0, 20)
    assert limit.at(probability) == pytest.approx(stats.gumbel_r.isf(probability, 3.0, 2.0))
    assert limit.exceedance(limit.at(probability)) == pytest.approx(probability)


def test_the_moments_are_those_of_the_maxima() -> None:
    maxima = np.random.default_rng(0).gumbel(5.0, 2.0, 28)
    found = GumbelLimit.fit(maxima)
    assert found is not None
    mean, variance = stats.gumbel_r.stats(found.location, found.scale)
    np.testing.assert_allclose([mean, variance], [maxima.mean(), maxima.var(ddof=1)])


def test_four_weeks_of_maxima_give_about_the_wanted_false_alarms() -> None:
    rng = np.random.default_rng(1)
    realised = []
    for _ in range(400):
        fitted = GumbelLimit.fit(rng.gumbel(5.0, 2.0, 27))
        assert fitted is not None
        realised.append(stats.gumbel_r.sf(fitted.at(0.5 / 7), 5.0, 2.0) * 7)
    assert 0.4 < np.mean(realised) < 0.8


@pytest.mark.parametrize(
    "maxima", [[], [1.0] * 9, [1.0] * 9 + [math.nan] * 20], ids=["nothing", "nine days", "nine judged days"]
)
def test_too_few_days_give_no_limit(maxima: list[float]) -> None:
    assert GumbelLimit.fit(maxima) is None


def test_days_that_were_not_judged_are_left_out() -> None:
    days = list(range(12))
    assert GumbelLimit.fit([*days, math.nan, math.inf]) == GumbelLimit.fit(days)


def test_days_that_do_not_differ_have_their_value_as_limit() -> None:
    found = GumbelLimit.fit([2.0] * 14)
    assert found is not None
    assert (found.at(0.01), found.exceedance(2.1), found.exceedance(1.9)) == (2.0, 0.0, 1.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=10, max_size=40), st.floats(1e-9, 0.4))
def test_a_smaller_probability_never_lowers_the_limit(maxima: list[float], probability: float) -> None:
    found = GumbelLimit.fit(maxima)
    assert found is not None
    assert found.at(probability / 2) >= found.at(probability)
