from datetime import UTC, datetime, timedelta
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from ragvigil_monitor.demo.latency import MEDIAN_MS, Latency

MORNING = datetime(2026, 11, 3, 10, tzinfo=UTC)


def drawn(latency: Latency, stage: str, count: int = 4000) -> NDArray[np.float64]:
    rng = Random(f"3/{stage}")
    days = (MORNING + timedelta(days=number % 28) for number in range(count))
    return np.array([latency.draw_ms(stage, day, rng) for day in days])


def test_a_healthy_reranker_has_its_p95_near_200_ms() -> None:
    assert np.percentile(drawn(Latency.normal(1), "rerank"), 95) == pytest.approx(200, rel=0.1)


def test_a_healthy_answer_has_its_p95_near_a_second() -> None:
    whole = sum(drawn(Latency.normal(1), stage) for stage in MEDIAN_MS)
    assert np.percentile(whole, 95) == pytest.approx(1000, rel=0.1)


def test_slowing_a_stage_multiplies_each_of_its_durations_and_no_other() -> None:
    normal = Latency.normal(1)
    slow = normal.slowed("rerank", 2.5)
    np.testing.assert_allclose(drawn(slow, "rerank", 50), 2.5 * drawn(normal, "rerank", 50))
    for stage in MEDIAN_MS.keys() - {"rerank"}:
        np.testing.assert_array_equal(drawn(slow, stage, 50), drawn(normal, stage, 50))


def test_busy_hours_are_slower() -> None:
    latency, night = Latency.normal(1), MORNING.replace(hour=3)
    assert latency.draw_ms("embed", MORNING, Random(1)) > latency.draw_ms("embed", night, Random(1))


def test_days_differ_and_one_day_is_one_mood() -> None:
    latency = Latency.normal(1)
    moods = {latency.draw_ms("embed", MORNING + timedelta(days=day), Random(1)) for day in range(5)}
    assert len(moods) == 5
    assert latency.draw_ms("embed", MORNING, Random(1)) in moods


def test_an_unknown_stage_is_an_error() -> None:
    with pytest.raises(KeyError, match="frobnicate"):
        Latency.normal(1).draw_ms("frobnicate", MORNING, Random(1))
