import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ragvigil_monitor.statistics.beta_binomial import LEAST_EXCESS, LEAST_RATIO, Limits, control_limits, tails


@pytest.mark.parametrize(
    ("n", "rate", "correlation"), [(1, 0.5, 0.5), (40, 0.1, 0.02), (520, 0.042, 0.002), (300, 0.9, 0.3)]
)
def test_both_tails_agree_with_scipy(n: int, rate: float, correlation: float) -> None:
    s = 1 / correlation - 1
    known = stats.betabinom(n, rate * s, (1 - rate) * s)
    below, above = tails(n, rate, correlation)
    count = np.arange(n + 1)
    np.testing.assert_allclose(below, known.cdf(count), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(above, known.sf(count - 1), rtol=1e-9, atol=1e-12)


def test_a_small_tail_keeps_its_digits() -> None:
    """Against the sum of SciPy's probabilities, since its survival function is a difference from 1."""
    s = 1 / 0.001 - 1
    known = stats.betabinom(1000, 0.05 * s, 0.95 * s)
    expected = known.pmf(np.arange(200, 1001)).sum()
    assert 0 < expected < 1e-20
    assert tails(1000, 0.05, 0.001)[1][200] == pytest.approx(expected, rel=1e-6)


def test_without_overdispersion_it_is_the_binomial_distribution() -> None:
    below, _ = tails(200, 0.07, 1e-9)
    np.testing.assert_allclose(below, stats.binom(200, 0.07).cdf(np.arange(201)), rtol=1e-5)


def test_a_long_window_costs_little_and_stays_finite() -> None:
    below, above = tails(100_000, 0.04, 1e-4)
    assert np.isfinite(below).all()
    assert below[-1] == pytest.approx(1)
    assert above[0] == pytest.approx(1)


@given(
    n=st.integers(1, 400),
    rate=st.floats(0.001, 0.999),
    correlation=st.floats(1e-6, 0.9),
    alpha=st.floats(1e-8, 0.2),
)
def test_each_limit_is_the_first_count_that_is_rare_and_far_enough(
    n: int, rate: float, correlation: float, alpha: float
) -> None:
    limits, (below, above) = control_limits(n, rate, correlation, alpha), tails(n, rate, correlation)
    expected = n * rate
    if limits.upper is not None:
        first = limits.upper + 1
        assert above[first] < alpha
        assert first >= max(LEAST_RATIO * expected, expected + LEAST_EXCESS)
        assert (
            limits.upper < expected + LEAST_EXCESS or limits.upper < LEAST_RATIO * expected or above[first - 1] >= alpha
        )
    if limits.lower is not None:
        last = limits.lower - 1
        assert below[last] < alpha
        assert last <= min(expected / LEAST_RATIO, expected - LEAST_EXCESS)


@given(n=st.integers(2, 300), rate=st.floats(0.01, 0.99), correlation=st.floats(1e-5, 0.5))
def test_what_is_high_for_events_is_low_for_what_is_left(n: int, rate: float, correlation: float) -> None:
    below, above = tails(n, rate, correlation)
    mirrored_below, mirrored_above = tails(n, 1 - rate, correlation)
    np.testing.assert_allclose(below, mirrored_above[::-1], rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(above, mirrored_below[::-1], rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_an_event_that_never_or_always_happened_has_limits_still(rate: float) -> None:
    limits = control_limits(50, rate, 0.001, 0.001)
    assert limits == (Limits(None, 3) if rate == 0 else Limits(40, None))


def test_one_answer_never_alarms() -> None:
    assert control_limits(1, 0.05, 0.001, 0.001) == Limits(None, None)
