"""The whole chain on six weeks of synthetic traffic: how often it cries wolf, and how fast it finds a rise."""

from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from ragvigil_monitor.api.models import Alert
from ragvigil_monitor.service import Service

pytestmark = pytest.mark.timeout(900)

WEEKS = 6
PER_WEEK = 1.0
SIGMA = 0.4
TRUE_P95_MS = {
    name: float(np.exp(np.log(median) + SIGMA * 1.6448536)) for name, median in (("answer", 900), ("rerank", 90))
}
TRUE_MEAN_USD = 0.004
SLOWER_FROM_H = 680
DEARER_FROM_H = 700
Alerts = Callable[[], list[Alert]]
Column = NDArray[np.float64]


def arrivals(rng: np.random.Generator, hours: int) -> Column:
    """About 1,430 answers a day: many by day, few by night, fewer at the weekend."""
    hour = np.arange(hours)
    rate = 75 * (1 + 0.8 * np.sin((hour % 24 - 8) / 24 * 2 * np.pi)) * np.where(hour // 24 % 7 < 5, 1.0, 0.5)
    counts = rng.poisson(rate * 0.93)
    return np.sort(np.repeat(hour, counts) + rng.uniform(0, 1, counts.sum()))


def plant(
    add_answers: Callable[..., None], rng: np.random.Generator, *, slower: float = 1.0, dearer: float = 1.0
) -> int:
    """Six weeks of answers, one in twenty without a cost; how many they are."""
    after_h = arrivals(rng, WEEKS * 168)
    n = len(after_h)
    costs = rng.lognormal(np.log(TRUE_MEAN_USD) - 0.125, 0.5, n) * np.where(after_h >= DEARER_FROM_H, dearer, 1.0)
    stages = {
        "rerank": rng.lognormal(np.log(90), SIGMA, n) * np.where(after_h >= SLOWER_FROM_H, slower, 1.0),
        "generate": 300.0,
    }
    add_answers(
        after_h,
        rng.lognormal(np.log(900), SIGMA, n),
        stages=stages,
        cost_usd=np.where(rng.random(n) < 0.05, np.nan, costs),
    )
    return n


@pytest.fixture
def service_with_room(make_service: Callable[..., Service]) -> Callable[[float], Service]:
    """A service whose limits lie above the truth by a factor."""

    def make(room: float) -> Service:
        slo_ms = {series: room * ms for series, ms in TRUE_P95_MS.items()}
        return make_service(
            schedule={"tick_s": 0, "lateness_s": 0},
            retention={"enabled": False},
            alarms={"false_alarms_per_week": PER_WEEK},
            guardrails={
                "latency_p95": {"slo_ms": slo_ms, "every_s": 3600, "windows_h": [1, 24]},
                "regeneration_rate": {"enabled": False},
                "query_drift": {"enabled": False},
                "false_exclusion": {"enabled": False},
                "faithfulness": {"enabled": False},
                "cost_per_query": {
                    "budget_usd": {"mean": room * TRUE_MEAN_USD},
                    "every_s": 3600,
                    "windows_h": [24],
                },
            },
        )

    return make


@pytest.mark.slow
def test_without_an_incident_false_alarms_stay_within_the_budget(
    service_with_room: Callable[[float], Service],
    add_answers: Callable[..., None],
    watch_until: Callable[[Service, float], dict[str, int]],
    alerts: Alerts,
) -> None:
    """Limits at the truth, where false alarms are most frequent. Seeds 1 to 10 gave 8 in 60 weeks; 60 are allowed."""
    answers = plant(add_answers, np.random.default_rng(1))
    assert 57_000 <= answers <= 63_000
    looks = watch_until(service_with_room(1.0), WEEKS * 168)
    assert looks["latency_p95"] == looks["cost_per_query"] == WEEKS * 168
    assert len(alerts()) <= WEEKS * PER_WEEK


@pytest.mark.slow
def test_planted_rises_are_found_within_hours_and_nothing_else_is(
    service_with_room: Callable[[float], Service],
    add_answers: Callable[..., None],
    watch_until: Callable[[Service, float], dict[str, int]],
    alerts: Alerts,
    monday: datetime,
) -> None:
    """Limits 15 % above the truth; some day reranking takes twice as long, and answers cost 1.4 times as much."""
    plant(add_answers, np.random.default_rng(2), slower=2.0, dearer=1.4)
    watch_until(service_with_room(1.15), WEEKS * 168)
    found = {(alert.guardrail, alert.series): (alert.opened_at - monday) / timedelta(hours=1) for alert in alerts()}
    assert set(found) == {("latency_p95", "rerank"), ("cost_per_query", "mean")}
    assert 0 < found["latency_p95", "rerank"] - SLOWER_FROM_H <= 6
    assert 0 < found["cost_per_query", "mean"] - DEARER_FROM_H <= 24
