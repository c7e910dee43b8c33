import doctest
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from ragvigil_monitor.statistics import review_size as module
from ragvigil_monitor.statistics.hajek import hajek_rate
from ragvigil_monitor.statistics.review_size import more_reviews, reviews_needed


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("truth", "tail", "expected"),
    [(0.06, 0.025, 188), (0.08, 0.025, 98), (0.04, 0.001, 1101), (0.04, 0.025, 616)],
)
def test_the_sizes_for_a_limit_of_two_percent_are_the_known_ones(truth: float, tail: float, expected: int) -> None:
    assert reviews_needed(truth, 0.02, tail=tail) == expected


def power(n: int, truth: float, limit: float) -> float:
    """Written out: the probability of all counts whose exact lower bound exceeds the limit."""
    counts = np.arange(n + 1)
    above = [binomtest(int(x), n).proportion_ci(0.95).low > limit for x in counts]
    return float(binom.pmf(counts, n, truth)[above].sum())


def test_the_power_is_reached_at_the_size_and_not_just_before() -> None:
    needed = reviews_needed(0.3, 0.15)
    assert needed is not None
    assert power(needed, 0.3, 0.15) >= 0.8
    assert power(needed - 1, 0.3, 0.15) < 0.8


@given(st.integers(0, 20), st.sampled_from([1, 3, 8, 13, 19]))
def test_a_rate_below_is_the_mirror_image_of_one_above(truth: int, limit: int) -> None:
    found, mirrored = reviews_needed(truth / 20, limit / 20), reviews_needed(1 - truth / 20, 1 - limit / 20)
    assert (found is None) == (mirrored is None) == (truth == limit)
    assert (found or 0) == pytest.approx(mirrored or 0, abs=2)


def test_a_rate_on_the_limit_is_never_told_apart() -> None:
    assert reviews_needed(0.15, 0.15) is None
    assert reviews_needed(0.1501, 0.15) is None


def rate(events: int, n: int, pi: float = 0.02) -> Any:
    return hajek_rate([1] * events + [0] * (n - events), [1] * n, [pi] * n)


@pytest.mark.parametrize(("events", "n"), [(60, 100), (0, 100)], ids=["above", "below"])
def test_a_verdict_needs_no_more_reviews(events: int, n: int) -> None:
    assert more_reviews(rate(events, n), 0.15) == 0


def test_an_undecided_rate_says_how_many_more_it_needs() -> None:
    found, whole = more_reviews(rate(8, 100), 0.15), reviews_needed(0.08, 0.15)
    assert found is not None
    assert whole is not None
    assert whole - 100 <= found <= whole - 80


def test_unequal_weights_need_more_reviews_than_equal_ones() -> None:
    equal = more_reviews(rate(4, 40), 0.15)
    pi = np.tile([0.02, 0.5], 20)
    unequal = more_reviews(hajek_rate(([1] + [0] * 9) * 4, [1] * 40, pi), 0.15)
    assert equal is not None
    assert unequal is None or unequal > equal


def test_without_evidence_a_half_of_the_limit_is_assumed() -> None:
    assert more_reviews(hajek_rate([], [], []), 0.15) == reviews_needed(0.075, 0.15)


def test_an_alarm_at_a_stricter_level_needs_more_reviews_than_an_interval() -> None:
    found = rate(10, 40)
    usual, strict = more_reviews(found, 0.15), more_reviews(found, 0.15, alarm=1e-4)
    assert found.lower < 0.15 < found.value
    assert usual is not None
    assert strict is not None
    assert 0 < usual < strict


def test_an_interval_that_has_a_verdict_may_not_be_an_alarm_yet() -> None:
    found = hajek_rate([1] * 12 + [0] * 28, [1] * 40, [0.02] * 40, alpha=1e-6)
    assert more_reviews(found, 0.1) == 0
    assert (more_reviews(found, 0.1, alarm=1e-6) or 0) > 0


def test_a_rate_below_the_limit_needs_no_alarm_to_be_told() -> None:
    found = rate(0, 20)
    assert more_reviews(found, 0.15, alarm=1e-6) == more_reviews(found, 0.15)
