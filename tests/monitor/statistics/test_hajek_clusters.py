"""Units that were drawn together, such as the retrievals of one answer."""

import numpy as np
import pytest
from scipy.stats import beta, norm
from scipy.stats import t as student_t

from ragvigil_monitor.statistics.hajek import hajek_rate


def test_clusters_of_one_change_nothing() -> None:
    rng = np.random.default_rng(1)
    y, pi = rng.random(80) < 0.2, rng.choice([0.02, 0.1, 1.0], 80)
    assert hajek_rate(y, np.ones(80), pi, clusters=np.arange(80)) == hajek_rate(y, np.ones(80), pi)


def test_a_cluster_is_worth_one_unit_if_its_units_agree() -> None:
    y = np.repeat([1, 0], [6, 94])
    once = hajek_rate(y, np.ones(100), np.full(100, 0.1))
    five_times = hajek_rate(np.repeat(y, 5), np.ones(500), np.full(500, 0.1), clusters=np.repeat(np.arange(100), 5))
    for name in ("value", "lower", "upper", "alarm_lower", "n", "events", "n_eff"):
        assert getattr(five_times, name) == pytest.approx(getattr(once, name))


def test_the_lower_bound_is_that_of_the_formula() -> None:
    rng = np.random.default_rng(2)
    of, y, pi = np.sort(rng.integers(0, 60, 200)), (rng.random(200) < 0.3) * 1.0, rng.choice([0.1, 0.5], 200)
    found = hajek_rate(y, np.ones(200), pi, clusters=of)
    p, n = np.average(y, weights=1 / pi), len(np.unique(of))
    terms = np.sqrt(1 - pi) / pi * (y - p)
    variance = sum(terms[of == each].sum() ** 2 for each in np.unique(of)) / (1 / pi).sum() ** 2
    n_eff = min(n, p * (1 - p) / variance) * (norm.ppf(0.975) / student_t.ppf(0.975, n - 1)) ** 2
    assert (found.value, found.n, found.n_eff) == pytest.approx((p, n, n_eff))
    assert found.lower == pytest.approx(beta.ppf(0.025, p * n_eff, n_eff - p * n_eff + 1))
    assert found.events == sum(y[of == each].any() for each in np.unique(of))


def test_without_an_event_clusters_count_and_not_units() -> None:
    found = hajek_rate([0] * 500, [1] * 500, [0.1] * 500, clusters=np.repeat(np.arange(100), 5))
    alone = hajek_rate([0] * 100, [1] * 100, [0.1] * 100)
    assert found.upper == pytest.approx(alone.upper)
    assert found.n == 100


def test_a_cluster_outside_of_the_denominator_is_not_counted() -> None:
    found = hajek_rate([1, 0, np.nan], [1, 0, 1], [0.5] * 3, clusters=[1, 2, 3])
    assert (found.n, found.events, found.missing) == (1, 1, 1)


def test_every_unit_needs_its_cluster() -> None:
    with pytest.raises(ValueError, match="2 clusters"):
        hajek_rate([1, 0, 0], [1] * 3, [0.5] * 3, clusters=[1, 2])


def test_intervals_hold_the_rate_of_clustered_traffic_and_alarms_stay_rare() -> None:
    """2,000 answers of 1 to 5 retrievals that share their fate; 1,000 samples of a tenth of the answers."""
    rng = np.random.default_rng(20_261_201)
    covered = pooled = false_alarms = 0
    for _ in range(1000):
        of = np.repeat(np.arange(2000), rng.integers(1, 6, 2000))
        y = (rng.random(2000) < 0.04)[of]
        drawn = (rng.random(2000) < 0.1)[of]
        given = y[drawn], np.ones(drawn.sum()), np.full(drawn.sum(), 0.1)
        found, naive = hajek_rate(*given, clusters=of[drawn], alpha=0.005), hajek_rate(*given)
        covered += (found.lower or 0) <= y.mean() <= (found.upper or 0)
        pooled += (naive.lower or 0) <= y.mean() <= (naive.upper or 0)
        false_alarms += (found.alarm_lower or 0) > y.mean()
    print(f"{covered} of 1000 hold the rate, {pooled} as if independent, {false_alarms} false alarms")
    assert covered >= 940 > pooled
    assert false_alarms <= 12
