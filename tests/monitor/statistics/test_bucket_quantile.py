"""Quantiles from logarithmic buckets: within one percent of those of the values, bounds on the safe side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.fresh_stores import fresh_store

from ragvigil_monitor.statistics.bucket_quantile import GAMMA, ZERO, bucket_quantile_interval
from ragvigil_monitor.statistics.quantile_interval import quantile_interval

values = st.lists(st.floats(1e-5, 1e9, allow_nan=False), min_size=1, max_size=400)


def buckets_of(given: list[float]) -> list[int]:
    """As the store does it."""
    return [int(np.ceil(np.log(each) / np.log(GAMMA))) for each in given]


@given(sample=values, q=st.sampled_from([0.5, 0.95, 0.99]))
def test_it_is_within_one_percent_of_the_values_and_its_bounds_are_outside(sample: list[float], q: float) -> None:
    exact = quantile_interval(sample, q, alpha=0.001)
    found = bucket_quantile_interval(buckets_of(sample), np.ones(len(sample)), q, missing=2, alpha=0.001)
    assert (found.n, found.missing, found.needed) == (exact.n, 2, exact.needed)
    assert found.value == pytest.approx(exact.value, rel=0.01 + 1e-9)
    for name, side in (("lower", -1), ("upper", 1), ("alarm_lower", -1)):
        bound, true = getattr(found, name), getattr(exact, name)
        assert (bound is None) == (true is None)
        if bound is not None:
            assert bound == pytest.approx(true, rel=0.0203)
            assert side * (bound - true) >= -1e-9 * true


def test_counts_of_the_same_bucket_add_up() -> None:
    apart = bucket_quantile_interval([5, 5, 9], [10, 20, 1], 0.5, missing=0, alpha=0.01)
    assert apart == bucket_quantile_interval([9, 5], [1, 30], 0.5, missing=0, alpha=0.01)


def test_nothing_and_zeros() -> None:
    assert bucket_quantile_interval([], [], 0.95, missing=4, alpha=0.01).missing == 4
    zeros = bucket_quantile_interval([ZERO], [100], 0.5, missing=0, alpha=0.01)
    assert (zeros.value, zeros.lower, zeros.alarm_lower) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("value", [1e-7, 0.0, -3.0, 1e-6, 0.5, 1.0, 99.0, 3.6e6])
def test_the_store_sorts_a_value_into_a_bucket_that_holds_it(value: float) -> None:
    store = fresh_store()
    (found,) = store._cursor().execute("SELECT log_bucket(?)", [value]).fetchall()[0]
    store.close()
    if value <= 1e-6:
        assert found == ZERO
    else:
        assert GAMMA ** (found - 1) <= value * (1 + 1e-9)
        assert value <= GAMMA**found * (1 + 1e-9)


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_what_is_no_number_has_no_bucket(value: float | None) -> None:
    store = fresh_store()
    assert store._cursor().execute("SELECT log_bucket(?::DOUBLE)", [value]).fetchall() == [(None,)]
    store.close()
