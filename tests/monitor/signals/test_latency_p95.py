from collections.abc import Callable

import numpy as np
import pytest

from ragvigil_monitor.signals.latency_p95 import LATENCY_P95
from ragvigil_monitor.signals.signal import Look

Looks = Callable[..., Look]
EVERY_MINUTE = np.arange(0, 24, 1 / 60)


def test_answers_and_every_stage_are_a_series(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(EVERY_MINUTE, 100.0, stages={"retrieve": 20.0, "custom": 3.0})
    found = LATENCY_P95.estimate(look())
    assert {series: (estimate.value, estimate.n) for series, estimate in found.items()} == {
        "answer": (100, 1440),
        "retrieve": (20, 1440),
        "custom": (3, 1440),
    }


def test_it_is_the_order_statistic_of_the_durations(add_answers: Callable[..., None], look: Looks) -> None:
    durations = np.random.default_rng(1).permutation(np.arange(1, 1441)).astype(float)
    add_answers(EVERY_MINUTE, durations)
    found = LATENCY_P95.estimate(look())["answer"]
    assert found.value == 1368
    assert (found.lower, found.upper) == (1351, 1385)


def test_the_window_includes_its_start_and_not_its_end(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(np.array([5.0, 5.5, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert LATENCY_P95.estimate(look(6, 1))["answer"].n == 2


def test_an_unknown_duration_is_missing_not_zero(add_answers: Callable[..., None], look: Looks) -> None:
    durations = np.where(np.arange(1440) % 10 == 0, np.nan, 50.0)
    add_answers(EVERY_MINUTE, durations, stages={"retrieve": durations})
    found = LATENCY_P95.estimate(look())
    assert {series: (each.value, each.n, each.missing) for series, each in found.items()} == {
        "answer": (50, 1296, 144),
        "retrieve": (50, 1296, 144),
    }


def test_probes_are_not_traffic(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(EVERY_MINUTE, stages={"retrieve": 20.0})
    add_answers(EVERY_MINUTE, stages={"retrieve": 9000.0}, probe_id="probe")
    assert LATENCY_P95.estimate(look())["retrieve"].value == 20


def test_a_stage_counts_even_where_its_answer_is_unknown(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(EVERY_MINUTE, stages={"retrieve": 20.0}, linked=False)
    assert LATENCY_P95.estimate(look())["retrieve"].n == 1440


def test_a_stage_named_answer_does_not_mix_with_the_answers(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(EVERY_MINUTE, 100.0, stages={"answer": 5.0})
    assert LATENCY_P95.estimate(look())["answer"].value == 100


def test_durations_that_are_no_numbers_are_counted_as_missing(add_answers: Callable[..., None], look: Looks) -> None:
    add_answers(np.arange(0, 4, 1.0), np.array([1.0, np.nan, np.inf, 2.0]))
    found = LATENCY_P95.estimate(look())["answer"]
    assert (found.n, found.missing, found.value) == (2, 2, 2)


def test_without_traffic_there_are_no_series(look: Looks) -> None:
    assert LATENCY_P95.estimate(look()) == {}


@pytest.mark.parametrize(("n", "bounded"), [(71, False), (72, True)])
def test_an_upper_bound_needs_72_answers(add_answers: Callable[..., None], look: Looks, n: int, bounded: bool) -> None:
    add_answers(np.linspace(0, 23, n), np.arange(n) + 1.0)
    assert (LATENCY_P95.estimate(look())["answer"].upper is not None) is bounded
