import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.statistics import onset as module
from ragvigil_monitor.statistics.onset import onset

# Coal-mining disasters a year, 1851 to 1962: Jarrett, A note on the intervals between coal-mining disasters,
# Biometrika 66 (1979).
COAL = [
    *(4, 5, 4, 1, 0, 4, 3, 4, 0, 6, 3, 3, 4, 0, 2, 6, 3, 3, 5, 4, 5, 3, 1, 4, 4, 1, 5, 5, 3, 4, 2, 5, 2, 2, 3, 4, 2),
    *(1, 3, 2, 2, 1, 1, 1, 1, 3, 0, 0, 1, 0, 1, 1, 0, 0, 3, 1, 0, 3, 2, 2, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 2, 1, 0),
    *(0, 0, 1, 1, 0, 2, 3, 3, 1, 1, 2, 1, 1, 1, 1, 2, 4, 2, 0, 0, 0, 1, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1),
]


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


def test_the_change_in_coal_mining_disasters_is_found_where_it_is_published() -> None:
    """Around 1890 by every published analysis (Raftery & Akman, Biometrika 73 (1986)); read backwards it is a rise."""
    per_year = np.array(COAL)[::-1]
    found = onset(per_year, np.full(len(per_year), 100))
    assert found is not None
    years = [1962 - hour for hour in (found.latest, found.at, found.earliest)]
    assert years[0] <= 1890 <= years[2] + 1
    assert 1886 <= years[1] <= 1893
    assert found.bayes_factor > 1000


def simulated(rng: np.random.Generator, step: int, before: float, after: float) -> tuple[list[int], list[int]]:
    totals = rng.poisson(60, 120)
    rates = np.where(np.arange(120) < step, before, after)
    return list(rng.binomial(totals, rates)), list(totals)


def test_the_interval_holds_the_true_hour_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(300):
        step = int(rng.integers(20, 110))
        found = onset(*simulated(rng, step, 0.05, 0.2))
        held += found is not None and found.earliest <= step <= found.latest
    assert held / 300 >= 0.78


def test_a_constant_rate_is_rarely_taken_for_a_step() -> None:
    rng = np.random.default_rng(2)
    found = [onset(*simulated(rng, 60, 0.05, 0.05)) for _ in range(300)]
    assert sum(each is not None for each in found) <= 15


def test_a_clear_step_is_found_in_the_right_hour() -> None:
    rng = np.random.default_rng(3)
    found = [onset(*simulated(rng, 80, 0.05, 0.8)) for _ in range(50)]
    assert all(each is not None and abs(each.at - 80) <= 1 for each in found)


def overdispersed(rng: np.random.Generator, rates: np.ndarray, correlation: float) -> tuple[np.ndarray, np.ndarray]:
    totals, s = rng.poisson(100, len(rates)), 1 / correlation - 1
    return rng.binomial(totals, rng.beta(rates * s, (1 - rates) * s)), totals


def test_hours_that_vary_beyond_chance_widen_the_interval_instead_of_misleading_it() -> None:
    rng = np.random.default_rng(4)
    held = []
    for _ in range(300):
        step = int(rng.integers(40, 110))
        found = onset(*overdispersed(rng, np.where(np.arange(120) < step, 0.08, 0.16), 0.01))
        if found is not None:
            held.append(found.earliest <= step <= found.latest)
    assert len(held) >= 270
    assert np.mean(held) >= 0.78


def test_hours_that_vary_beyond_chance_are_rarely_taken_for_a_step() -> None:
    rng = np.random.default_rng(5)
    found = [onset(*overdispersed(rng, np.full(120, 0.08), 0.01)) for _ in range(300)]
    assert sum(each is not None for each in found) <= 6


@pytest.mark.parametrize(("before", "after"), [(0.02, 0.10), (0.90, 0.98)], ids=["rare", "nearly all"])
def test_a_rate_near_one_is_dated_like_a_rate_near_zero(before: float, after: float) -> None:
    rng = np.random.default_rng(6)
    found = [onset(*simulated(rng, 90, before, after)) for _ in range(50)]
    assert all(each is not None and abs(each.at - 90) <= 4 for each in found)


def test_an_onset_cannot_lie_after_the_last_traffic_or_before_the_first() -> None:
    empty = np.zeros(7)
    counts, totals = simulated(np.random.default_rng(8), 80, 0.05, 0.2)
    found = onset(*(np.concatenate([empty, each, empty]) for each in (counts, totals)))
    assert found is not None
    assert not found.probabilities[:7].any()
    assert not found.probabilities[-7:].any()


def test_an_interval_of_a_higher_level_is_longer() -> None:
    found = onset(*simulated(np.random.default_rng(7), 80, 0.05, 0.12))
    assert found is not None
    lengths = [last - first for first, last in (found.interval(level) for level in (0.5, 0.8, 0.95, 1.0))]
    assert lengths == sorted(lengths)
    assert lengths[-1] > lengths[0]


def test_a_fall_is_no_onset() -> None:
    assert onset([9] * 10 + [1] * 10, [20] * 20) is None


def test_hours_without_traffic_widen_the_interval_over_the_gap() -> None:
    found = onset([1] * 10 + [0] * 5 + [18] * 10, [20] * 10 + [0] * 5 + [20] * 10)
    assert found is not None
    assert (found.earliest <= 11, found.latest >= 14) == (True, True)


@pytest.mark.parametrize(
    ("counts", "totals"),
    [([], []), ([5], [10]), ([0, 0, 0], [0, 0, 0]), ([0, 5, 0], [0, 10, 0]), ([10] * 9, [10] * 9), ([0] * 9, [10] * 9)],
    ids=["nothing", "one hour", "no traffic", "traffic in one hour", "all above", "none above"],
)
def test_without_two_levels_it_is_undecided(counts: list[int], totals: list[int]) -> None:
    assert onset(counts, totals) is None


@pytest.mark.parametrize(
    ("counts", "totals"),
    [([1, 2], [3]), ([4, 1], [3, 3]), ([-1, 1], [3, 3]), ([float("nan"), 1], [3, 3]), ([1, 1], [float("inf"), 3])],
    ids=["lengths differ", "more than all", "negative", "NaN", "infinite"],
)
def test_impossible_counts_are_refused(counts: list[float], totals: list[float]) -> None:
    with pytest.raises(ValueError, match="count"):
        onset(counts, totals)


@given(hours=st.lists(st.tuples(st.integers(0, 200), st.floats(0, 1)), min_size=2, max_size=60))
def test_an_onset_lies_inside_its_interval_and_inside_the_hours(hours: list[tuple[int, float]]) -> None:
    totals = [n for n, _ in hours]
    found = onset([int(n * share) for n, share in hours], totals)
    if found is not None:
        assert 1 <= found.earliest <= found.latest <= len(hours) - 1
        assert 1 <= found.at <= len(hours) - 1
        assert found.bayes_factor >= 3
        assert found.probabilities.shape == (len(hours) - 1,)
        assert found.probabilities.sum() == pytest.approx(1.0)
        assert found.interval(0.8) == (found.earliest, found.latest)


def test_counts_of_a_million_an_hour_do_not_overflow() -> None:
    found = onset([50_000] * 60 + [200_000] * 60, [1_000_000] * 120)
    assert found is not None
    assert (found.at, found.earliest, found.latest) == (60, 60, 60)
