from collections.abc import Callable

import numpy as np
import pytest

from ragvigil_monitor.signals.cost_per_query import COST_PER_QUERY
from ragvigil_monitor.signals.signal import Look

Looks = Callable[..., Look]
EVERY_MINUTE = np.arange(0, 24, 1 / 60)


def test_mean_median_and_99th_percentile_are_the_series(add_answers: Callable[..., None], look: Looks) -> None:
    costs = np.random.default_rng(1).permutation(np.arange(1, 1441)) / 1000
    add_answers(EVERY_MINUTE, stages={"generate": 50.0}, cost_usd=costs)
    found = COST_PER_QUERY.estimate(look())
    assert found["mean"].value == pytest.approx(0.7205)
    assert found["p50"].value == pytest.approx(0.720)
    assert found["p99"].value == pytest.approx(1.426)
    assert {estimate.n for estimate in found.values()} == {1440}


def test_an_answer_without_any_cost_is_missing_and_not_free(add_answers: Callable[..., None], look: Looks) -> None:
    costs = np.where(np.arange(1440) % 4 == 0, np.nan, 2.0)
    add_answers(EVERY_MINUTE, stages={"generate": 50.0}, cost_usd=costs)
    found = COST_PER_QUERY.estimate(look())["mean"]
    assert (found.value, found.n, found.missing) == (2.0, 1080, 360)


def test_an_answer_with_some_known_cost_is_known(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(EVERY_MINUTE, stages={"retrieve": 5.0, "generate": 50.0}, cost_usd=2.0)
    assert COST_PER_QUERY.estimate(look())["mean"].missing == 0


def test_a_cost_of_zero_is_a_cost(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(EVERY_MINUTE, stages={"generate": 50.0}, cost_usd=0.0)
    found = COST_PER_QUERY.estimate(look())["p50"]
    assert (found.value, found.n, found.missing) == (0, 1440, 0)


@pytest.mark.parametrize("cost", [-1.0, np.inf, np.nan], ids=["negative", "infinite", "absent"])
def test_a_cost_that_cannot_be_is_missing(add_answers: Callable[..., None], look: Looks, cost: float) -> None:
    add_answers(EVERY_MINUTE, stages={"generate": 50.0}, cost_usd=cost)
    found = COST_PER_QUERY.estimate(look())
    assert {(each.value, each.n, each.missing) for each in found.values()} == {(None, 0, 1440)}


def test_spans_without_an_answer_cost_nobody_anything(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(EVERY_MINUTE, stages={"generate": 50.0}, cost_usd=2.0, linked=False)
    assert COST_PER_QUERY.estimate(look())["mean"].missing == 1440


def test_probes_cost_the_answer_nothing(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(EVERY_MINUTE, stages={"generate": 50.0}, cost_usd=2.0, probe_id="probe")
    assert COST_PER_QUERY.estimate(look())["mean"].n == 0


def test_without_answers_there_are_no_series(look: Looks) -> None:
    assert COST_PER_QUERY.estimate(look()) == {}
