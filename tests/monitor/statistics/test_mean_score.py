import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ragvigil_monitor.statistics import interval_estimate
from ragvigil_monitor.statistics import mean_score as module
from ragvigil_monitor.statistics.mean_interval import mean_interval
from ragvigil_monitor.statistics.mean_score import mean_score

ALPHA = 0.001


@pytest.mark.parametrize("documented", [module, interval_estimate], ids=["mean score", "interval estimate"])
def test_the_examples_of_the_documentation_run(documented: object) -> None:
    assert doctest.testmod(documented).failed == 0  # type: ignore[arg-type]


def test_it_is_the_mean_interval_of_what_lacks() -> None:
    scores = np.random.default_rng(1).beta(8, 2, 400)
    found, lacking = mean_score(scores, alpha=ALPHA), mean_interval(1 - scores, alpha=ALPHA)
    assert lacking.alarm_lower is not None
    assert found.alarm_upper == pytest.approx(1 - lacking.alarm_lower)
    assert found.value == pytest.approx(scores.mean())
    assert found.alarm_lower is None


@given(hnp.arrays(np.float64, st.integers(0, 200), elements=st.floats(0, 1)))
def test_bounds_enclose_the_mean_inside_0_and_1(scores: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    found = mean_score(scores, alpha=ALPHA)
    assert (found.n, found.missing) == (len(scores), 0)
    if found.value is not None:
        assert found.value == pytest.approx(scores.mean(), abs=1e-9)
        bounds = [found.lower, found.upper, found.alarm_upper]
        assert all(bound is None or -1e-9 <= bound <= 1 + 1e-9 for bound in bounds)
        assert found.alarm_upper is None or found.alarm_upper >= found.value - 1e-9


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -0.1, 1.1])
def test_what_is_no_score_is_missing(bad: float) -> None:
    found = mean_score([0.5] * 40 + [bad] * 3, alpha=ALPHA)
    assert (found.value, found.n, found.missing) == (0.5, 40, 3)


def test_without_scores_there_is_no_value() -> None:
    assert mean_score([np.nan] * 5, alpha=ALPHA).value is None
    assert mean_score([1.0] * 29, alpha=ALPHA).lower is None


SHARES = {
    "mostly perfect": (0.9, 0.5),
    "all or nothing": (0.85, 0.0),
    "rarely bad": (0.98, 0.0),
    "middling": (0.3, 0.7),
}
"""Share of perfect answers, and the mean score of the others (0: all of them have none)."""


@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize(("perfect", "other"), SHARES.values(), ids=SHARES.keys())
def test_a_limit_at_the_true_mean_is_rarely_called_missed(perfect: float, other: float, n: int) -> None:
    """Seeded: with alpha = 1 %, 2,000 samples yield more than 35 false alarms less than once in a thousand."""
    rng = np.random.default_rng(5)
    truth = perfect + (1 - perfect) * other
    alarms = 0
    for _ in range(2000):
        rest = rng.beta(4 * other, 4 * (1 - other), n) if other else np.zeros(n)
        bound = mean_score(np.where(rng.random(n) < perfect, 1.0, rest), alpha=0.01).alarm_upper
        alarms += bound is not None and bound < truth
    assert alarms <= 35


def test_a_drop_from_95_to_70_percent_is_found_with_200_scores() -> None:
    rng, found = np.random.default_rng(6), 0
    for _ in range(200):
        bound = mean_score((rng.random(200) < 0.7).astype(float), alpha=ALPHA).alarm_upper
        found += bound is not None and bound < 0.85
    assert found >= 160
