import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from ragvigil_monitor.statistics import marker_bayes_factor as module
from ragvigil_monitor.statistics.marker_bayes_factor import LARGEST, marker_bayes_factor
from ragvigil_monitor.statistics.onset import onset

FLAT = np.full(120, 1 / 120)


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@given(marker_h=st.floats(1, 118))
def test_hours_that_are_equally_likely_speak_neither_for_a_marker_nor_against_it(marker_h: float) -> None:
    assert marker_bayes_factor(FLAT, marker_h) == pytest.approx(1.0)


def test_it_is_the_ratio_of_posterior_to_prior_odds() -> None:
    """Half of the probability within three of 120 hours: odds 1 against odds of 3 to 117."""
    probabilities = np.full(120, 0.5 / 117)
    probabilities[49:52] = 0.5 / 3
    assert marker_bayes_factor(probabilities, 50.0) == pytest.approx(1 / (3 / 117))


@pytest.mark.parametrize(("marker_h", "share"), [(46.0, 0.0), (47.5, 0.5), (48.0, 1.0), (50.0, 1.0), (50.5, 0.5)])
def test_the_onset_may_lie_from_an_hour_before_the_marker_to_two_hours_after_it(marker_h: float, share: float) -> None:
    """The change fell into the hour that ends at 50 h."""
    probabilities = np.zeros(120)
    probabilities[49 - 1], probabilities[50 - 1] = 0.0, 1.0
    prior = 3 / 120
    expected = min(LARGEST, share / max(1 - share, 1e-300) * (1 - prior) / prior)
    assert marker_bayes_factor(probabilities, marker_h) == pytest.approx(expected)


@pytest.mark.parametrize("marker_h", [-2.5, 121.5, 1e9])
def test_a_marker_outside_the_hours_has_nothing_for_it(marker_h: float) -> None:
    assert marker_bayes_factor(FLAT, marker_h) == 0.0


def test_a_span_that_holds_every_hour_says_nothing() -> None:
    assert marker_bayes_factor(np.array([0.5, 0.5]), 1.0) == 1.0


@pytest.mark.parametrize("marker_h", [float("nan"), float("inf")])
def test_a_marker_without_a_time_is_refused(marker_h: float) -> None:
    with pytest.raises(ValueError, match="marker has a time"):
        marker_bayes_factor(FLAT, marker_h)


@pytest.mark.parametrize("probabilities", [np.array([]), np.full(4, 0.3), np.array([np.nan, 1.0])])
def test_what_is_no_posterior_is_refused(probabilities: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="must sum to 1"):
        marker_bayes_factor(probabilities, 1.0)


def test_a_clear_step_speaks_for_the_marker_beside_it_only() -> None:
    """Compared with the exact binomial likelihoods of a known rise, where every hour is worth all of its answers."""
    counts, totals = [2] * 60 + [12] * 20, [40] * 80
    found = onset(counts, totals)
    assert found is not None
    assert marker_bayes_factor(found.probabilities, 59.5) > 1000
    assert marker_bayes_factor(found.probabilities, 20.0) < 1e-3
    exact = [np.sum(stats.binom.logpmf(counts, totals, np.where(np.arange(80) < k, 0.05, 0.3))) for k in range(80)]
    assert found.at == int(np.argmax(exact))
