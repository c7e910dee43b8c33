import doctest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import beta, binomtest, chi2, norm
from scipy.stats import t as student_t

from ragvigil_monitor.statistics import hajek as module
from ragvigil_monitor.statistics.hajek import RateEstimate, hajek_rate, uniform_rate

Values = NDArray[Any]


def test_the_example_of_the_documentation_runs() -> None:
    assert doctest.testmod(module).failed == 0


def by_the_book(y: Values, pi: Values, tail: float = 0.025) -> tuple[float, float, float, float]:
    """Value, lower, upper and n_eff, written out from the formula with SciPy's distributions."""
    w = 1 / pi
    p = np.average(y, weights=w)
    variance = np.sum((1 - pi) * (w * (y - p)) ** 2) / w.sum() ** 2
    n_eff = min(len(y), p * (1 - p) / variance)
    n_eff *= (norm.ppf(1 - tail) / student_t.ppf(1 - tail, len(y) - 1)) ** 2
    x, k = p * n_eff, w / w.sum()
    v = np.sum(k**2 * y) + k.max() ** 2
    gamma = v / (2 * (p + k.max())) * chi2.ppf(1 - tail, 2 * (p + k.max()) ** 2 / v)
    return p, beta.ppf(tail, x, n_eff - x + 1), max(beta.ppf(1 - tail, x + 1, n_eff - x), gamma), n_eff


@pytest.mark.parametrize("seed", range(5))
def test_the_bounds_are_those_of_the_formula(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, pi = (rng.random(120) < 0.2) * 1.0, rng.choice([0.02, 0.1, 0.6], 120)
    found = hajek_rate(y, np.ones(120), pi)
    expected = by_the_book(y, pi)
    assert (found.value, found.lower, found.upper, found.n_eff) == pytest.approx(expected)
    assert (found.n, found.events, found.missing) == (120, int(y.sum()), 0)


def test_rare_events_under_heavy_weights_are_bounded_by_the_gamma_limit() -> None:
    y, pi = np.array([1.0] + [0.0] * 59), np.array([0.01] * 2 + [0.5] * 58)
    found = hajek_rate(y, np.ones(60), pi)
    x, rest = (found.value or 0) * found.n_eff, (1 - (found.value or 0)) * found.n_eff
    assert (found.upper or 0) >= float(beta.ppf(0.975, x + 1, rest))


def test_equal_weights_give_clopper_and_pearsons_interval_of_a_slightly_smaller_sample() -> None:
    found = hajek_rate([1] * 6 + [0] * 194, [1] * 200, [1e-9] * 200)
    exact = binomtest(6, 200).proportion_ci(0.95)
    assert found.value == pytest.approx(0.03)
    assert found.n_eff == pytest.approx(200 * (1.959964 / 1.971957) ** 2, rel=1e-5)
    assert found.lower == pytest.approx(exact.low, rel=0.02)
    assert found.upper == pytest.approx(exact.high, rel=0.02)


@pytest.mark.parametrize(("events", "n"), [(0, 40), (3, 40), (40, 40), (1, 1)])
def test_the_cross_check_is_scipys_exact_interval(events: int, n: int) -> None:
    exact = binomtest(events, n).proportion_ci(0.95)
    assert uniform_rate(events, n) == pytest.approx((exact.low, exact.high))


def test_no_event_is_no_certainty() -> None:
    found = hajek_rate([0] * 100, [1] * 100, [0.02] * 100)
    assert (found.value, found.lower) == (0.0, 0.0)
    assert found.upper == pytest.approx(0.0371, abs=1e-4)


def test_a_census_is_still_bounded_by_its_size() -> None:
    found = hajek_rate([1] * 3 + [0] * 97, [1] * 100, [1.0] * 100)
    assert found.n_eff == pytest.approx(97.6, abs=0.1)


def test_only_events_give_a_lower_bound_and_no_upper_one() -> None:
    found = hajek_rate([1] * 10, [1] * 10, [0.5] * 10)
    assert (found.value, found.upper) == (1.0, 1.0)
    assert found.lower == pytest.approx(0.611763, abs=1e-6)


@pytest.mark.parametrize(
    ("y", "d"), [([], []), ([0, 0], [0, 0]), ([np.nan], [1]), ([1], [np.nan])], ids=["empty", "d", "y?", "d?"]
)
def test_an_empty_denominator_is_missing_evidence_and_never_zero(y: list[float], d: list[float]) -> None:
    found = hajek_rate(y, d, [0.5] * len(y))
    assert found.state == "missing_evidence"
    assert (found.value, found.lower, found.upper, found.alarm_lower) == (None, None, None, None)
    assert found.missing == int(np.isnan([*y, *d]).sum())


def test_what_is_not_in_the_denominator_changes_nothing() -> None:
    alone = hajek_rate([1, 0, 0], [1, 1, 1], [0.5, 0.25, 0.5])
    among = hajek_rate([1, 0, 0, 1, 0], [1, 1, 1, 0, 0], [0.5, 0.25, 0.5, 0.01, 0.01])
    assert among == alone


@pytest.mark.parametrize(
    ("y", "d", "pi"),
    [
        ([1], [1], [0.0]),
        ([1], [1], [1.5]),
        ([1], [1], [-0.1]),
        ([1], [1], [np.nan]),
        ([2], [1], [0.5]),
        ([1], [0.5], [0.5]),
        ([np.inf], [1], [0.5]),
        ([1, 0], [1], [0.5]),
    ],
    ids=["zero", "above one", "negative", "nan", "y = 2", "d = .5", "infinite", "lengths"],
)
def test_values_that_mean_nothing_are_refused(y: list[float], d: list[float], pi: list[float]) -> None:
    with pytest.raises(ValueError, match=r"must|differ"):
        hajek_rate(y, d, pi)


units = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.floats(1e-6, 1.0)),
    min_size=1,
    max_size=60,
)


@given(units)
def test_the_bounds_enclose_the_value_and_stay_in_the_unit_interval(drawn: list[tuple[bool, bool, float]]) -> None:
    found = hajek_rate(*np.array(drawn, dtype=float).T)
    if found.value is None:
        assert not any(d for _, d, _ in drawn)
        return
    assert found.lower is not None
    assert found.upper is not None
    assert found.alarm_lower is not None
    assert 0 <= found.alarm_lower <= found.lower + 1e-12
    assert found.lower - 1e-9 <= found.value <= found.upper + 1e-9 <= 1 + 1e-9
    assert 0 < found.n_eff <= found.n


@given(units, st.randoms(use_true_random=False))
def test_the_order_of_the_units_makes_no_difference(drawn: list[tuple[bool, bool, float]], random: Any) -> None:
    mixed = list(drawn)
    random.shuffle(mixed)
    first, second = hajek_rate(*np.array(drawn, dtype=float).T), hajek_rate(*np.array(mixed, dtype=float).T)
    assert (first.value or 0, first.lower or 0) == pytest.approx((second.value or 0, second.lower or 0), abs=1e-9)


# --- coverage --------------------------------------------------------------------------------------------------

Design = Callable[[np.random.Generator, int], tuple[Values, Values]]


def suspicious(rng: np.random.Generator, n: int) -> tuple[Values, Values]:
    """A tenth is suspicious and holds most failures (overall 2 %); it is sampled ten times as densely."""
    suspect = rng.random(n) < 0.1
    return rng.random(n) < np.where(suspect, 0.12, 0.009), np.where(suspect, 0.2, 0.02)


def misleading(rng: np.random.Generator, n: int) -> tuple[Values, Values]:
    """The dense stratum holds no more failures than the rest."""
    suspect = rng.random(n) < 0.1
    return rng.random(n) < np.full(n, 0.02), np.where(suspect, 0.5, 0.02)


def two_flags(rng: np.random.Generator, n: int) -> tuple[Values, Values]:
    """Two overlapping strata beside the uniform one: π = 1 - Π (1 - p)."""
    unsure, disliked = rng.random(n) < 0.08, rng.random(n) < 0.02
    pi = 1 - (1 - 0.02) * np.where(unsure, 0.8, 1) * np.where(disliked, 0.5, 1)
    return rng.random(n) < np.select([disliked, unsure], [0.5, 0.1], 0.01), pi


def frequent(rng: np.random.Generator, n: int) -> tuple[Values, Values]:
    suspect = rng.random(n) < 0.2
    return rng.random(n) < np.where(suspect, 0.5, 0.1), np.where(suspect, 0.1, 0.02)


DESIGNS: dict[str, Design] = {
    "suspicious": suspicious,
    "misleading": misleading,
    "two flags": two_flags,
    "frequent": frequent,
}


@pytest.mark.parametrize("draw", DESIGNS.values(), ids=DESIGNS.keys())
def test_the_interval_covers_the_rate_of_the_traffic(draw: Design) -> None:
    """1,000 samples of 10,000 answers: at least 94 of 100 intervals hold the true rate of these answers."""
    rng = np.random.default_rng(20_261_130)
    covered = naive_covered = 0
    for _ in range(1000):
        y, pi = draw(rng, 10_000)
        taken = rng.random(10_000) < pi
        found = hajek_rate(y[taken], np.ones(taken.sum()), pi[taken])
        covered += holds(found, y.mean())
        low, high = uniform_rate(int(y[taken].sum()), int(taken.sum()))
        naive_covered += low <= y.mean() <= high
    print(f"{draw.__name__}: {covered} of 1000 cover, pooled without weights {naive_covered}")
    assert covered >= 940


def holds(found: RateEstimate, true: float) -> bool:
    return found.lower is not None and found.upper is not None and found.lower <= true <= found.upper


def test_the_alarm_bound_seldom_exceeds_the_true_rate() -> None:
    """At alpha = .005, 2,000 samples: 10 errors expected at most, 20 would be three standard errors more."""
    rng = np.random.default_rng(5)
    errors = 0
    for _ in range(2000):
        y, pi = suspicious(rng, 10_000)
        taken = rng.random(10_000) < pi
        found = hajek_rate(y[taken], np.ones(taken.sum()), pi[taken], alpha=0.005)
        errors += (found.alarm_lower or 0) > y.mean()
    assert errors <= 20
