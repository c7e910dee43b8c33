"""The whole chain of a rate: events into hours, hours into a band, the band into an alert."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from ragvigil_monitor.api.models import Alert, AlertState, State
from ragvigil_monitor.guardrails.evidence import evidence
from ragvigil_monitor.guardrails.finding import Beyond, Finding, Limits
from ragvigil_monitor.guardrails.onset_dating import OnsetTimes
from ragvigil_monitor.guardrails.regeneration_rate import REGENERATION_GUARDRAIL
from ragvigil_monitor.guardrails.verdict import Verdict
from ragvigil_monitor.job import Job
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Window
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.store import Store

pytestmark = pytest.mark.timeout(900)

WEEK_H = 168
INTENTS = {"ask": (0.5, 0.04), "find": (0.3, 0.10), "sum": (0.2, 0.03)}
"""Share of the answers and usual regeneration rate."""
Column = NDArray[Any]
AddAnswers = Callable[..., None]
WatchUntil = Callable[[Service, float], dict[str, int]]
Alerts = Callable[[], list[Alert]]
Plant = Callable[..., None]


@pytest.fixture
def plant(memory_store: Store, add_answers: AddAnswers, monday: datetime) -> Plant:
    """Answers of so many weeks, and a regenerate event on each that is regenerated.

    From `since_h` to `until_h` the rate of `find` is `ratio` times its usual one.
    """

    def add(
        seed: int, weeks: float, *, per_hour: float = 60, since_h: float = 1e9, until_h: float = 1e9, ratio: float = 2.0
    ) -> None:
        rng = np.random.default_rng(seed)
        after_h = _arrivals(rng, int(weeks * WEEK_H), per_hour)
        intent = rng.choice(list(INTENTS), len(after_h), p=[share for share, _ in INTENTS.values()])
        rates = np.array([INTENTS[name][1] for name in intent])
        changed = (intent == "find") & (after_h >= since_h) & (after_h < until_h)
        regenerated = rng.random(len(after_h)) < rates * np.where(changed, ratio, 1)
        first = 0
        for name in INTENTS:
            chosen = intent == name
            add_answers(after_h[chosen], intent=name)
            _feedback(memory_store, monday, np.flatnonzero(regenerated[chosen]) + first, after_h[chosen], first)
            first += int(chosen.sum())

    return add


@pytest.fixture
def service(make_service: Callable[..., Service]) -> Service:
    return make_service(
        schedule={"tick_s": 0, "lateness_s": 0, "catch_up_days": 90},
        guardrails={"latency_p95": {"enabled": False, "windows_h": [24], "every_s": 86400}},
    )


def _arrivals(rng: np.random.Generator, hours: int, per_hour: float) -> Column:
    hour = np.arange(hours)
    by_day = 1 + 0.8 * np.sin((hour % 24 - 8) / 24 * 2 * np.pi)
    counts = rng.poisson(per_hour * by_day * np.where(hour // 24 % 7 < 5, 1, 0.5))
    return np.sort(np.repeat(hour, counts) + rng.uniform(0, 1, counts.sum()))


def _feedback(store: Store, monday: datetime, answers: Column, after_h: Column, first: int) -> None:
    moments = [(monday + timedelta(hours=float(after_h[n - first]), minutes=2)).replace(tzinfo=None) for n in answers]
    times = pa.array(moments, pa.timestamp("us"))
    rows = {
        "event_id": [f"feedback {number}" for number in answers],
        "event_name": ["ragvigil.feedback"] * len(answers),
        "occurred_at": times,
        "observed_at": times,
        "service": ["shop"] * len(answers),
        "trace_id": [int(number).to_bytes(16) for number in answers],
        "span_id": [b"answer00"] * len(answers),
        "attributes": ['{"ragvigil.feedback.kind": "regenerate"}'] * len(answers),
    }
    with store.transaction() as writer:
        writer.execute_with("insert_log_events", pa.table(rows))


def _answers_of(store: Store, intent: str, since: datetime) -> Column:
    """The numbers of the answers of an intent that started at a time or later."""
    query = "SELECT answer_id::BIGINT AS number FROM answers WHERE intent = $1 AND started_at >= $2"
    found = store._cursor().execute(query, [intent, since.replace(tzinfo=None)]).fetchnumpy()
    return np.asarray(found["number"])


def of_rate(alerts: list[Alert]) -> list[Alert]:
    return [alert for alert in alerts if alert.guardrail == "regeneration_rate"]


def states(store: Store) -> dict[str, str]:
    rows = store.rows("guardrail_states_of", guardrail="regeneration_rate")
    return {row["series"]: row["state"] for row in rows}


def test_a_window_is_judged_half_an_hour_after_its_end(
    service: Service, add_answers: AddAnswers, watch_until: WatchUntil
) -> None:
    add_answers(np.arange(0, 12, 0.1))
    assert watch_until(service, 10.4)["regeneration_rate"] == 9
    assert watch_until(service, 10.5)["regeneration_rate"] == 1


def test_in_its_first_week_every_series_warms_up(service: Service, plant: Plant, watch_until: WatchUntil) -> None:
    plant(1, 0.5)
    watch_until(service, 84)
    assert set(states(service.store).values()) == {"warming_up"}


def _counting(settings: Settings) -> list[Job]:
    return [job for job in jobs(settings) if job.name in {"join_feedback", "regeneration_rate_counts"}]


def test_a_slice_is_compared_with_its_own_history(
    memory_store: Store, plant: Plant, service: Service, monday: datetime
) -> None:
    """`find` is always regenerated more often than the others; what changed, on the last day, is `sum`."""
    plant(4, 2, since_h=0, ratio=3)
    end = monday + timedelta(weeks=2)
    changed = _answers_of(memory_store, "sum", end - timedelta(days=1))
    _feedback(memory_store, monday, changed, np.full(changed.max() + 1, 2 * WEEK_H - 24), 0)
    run_due(service, end + timedelta(hours=2), listed=_counting)
    beyond = Beyond(0.5, tolerated=0.12, history_start=end - timedelta(days=14))
    estimate = IntervalEstimate(0.2, None, None, None, 1, 0, 0)
    finding = Finding("all", Window(end, 24 * 3600), estimate, State.BREACH, "", Limits(upper=0.1), beyond)
    slices = evidence(memory_store, REGENERATION_GUARDRAIL, Verdict(finding), OnsetTimes()).slices
    assert (slices[0].name, slices[0].value) == ("intent", "sum")
    by_intent = {each.value: each.excess for each in slices if each.name == "intent"}
    assert by_intent.get("find", 0) < by_intent["sum"] / 5


@pytest.mark.slow
def test_twice_as_many_in_one_intent_are_found_dated_and_explained(
    service: Service, plant: Plant, watch_regenerations_until: WatchUntil, alerts: Alerts, monday: datetime
) -> None:
    since_h = 5 * WEEK_H + 30
    plant(1, 6, since_h=since_h)
    watch_regenerations_until(service, 6 * WEEK_H)
    began_at = monday + timedelta(hours=since_h)
    found = next(alert for alert in of_rate(alerts()) if alert.series == "intent=find" and alert.opened_at >= began_at)
    assert found.opened_at - began_at <= timedelta(hours=30)
    assert found.sentence.startswith("Behaviour changed: last ")
    assert found.onset_earliest is not None
    assert found.onset_latest is not None
    assert found.onset_earliest - timedelta(hours=3) <= began_at <= found.onset_latest + timedelta(hours=3)
    shown = found.evidence
    assert shown.unit == "ratio"
    assert shown.value is not None
    assert shown.limit is not None
    assert shown.expected is not None
    assert shown.expected == pytest.approx(0.10, abs=0.015)
    assert shown.expected < shown.limit < shown.value
    assert shown.slices[0].excess == pytest.approx(shown.n * (shown.value - shown.expected), rel=0.35)
    assert len(shown.trace_ids) == 10
    assert shown.split is None


@pytest.mark.slow
def test_a_rate_that_falls_is_a_change_too(
    service: Service, plant: Plant, watch_regenerations_until: WatchUntil, alerts: Alerts, monday: datetime
) -> None:
    since_h = 5 * WEEK_H + 30
    plant(2, 5.7, since_h=since_h, ratio=0.2, per_hour=100)
    watch_regenerations_until(service, 5.7 * WEEK_H)
    found = [alert for alert in of_rate(alerts()) if alert.opened_at >= monday + timedelta(hours=since_h)]
    assert "intent=find" in {alert.series for alert in found}
    falling = next(alert for alert in found if alert.series == "intent=find")
    assert "lower limit" in falling.sentence
    assert falling.evidence.limit is not None
    assert falling.evidence.value is not None
    assert falling.evidence.value < falling.evidence.limit
    assert falling.onset_at is not None
    assert abs(falling.onset_at - monday - timedelta(hours=since_h)) <= timedelta(hours=12)


@pytest.mark.slow
def test_without_an_incident_alarms_stay_within_the_budget_and_a_replay_finds_the_same(
    service: Service, plant: Plant, watch_regenerations_until: WatchUntil, alerts: Alerts
) -> None:
    """Three weeks judged after one of warming up, with a budget of one alarm a week."""
    plant(3, 4)
    for week in range(1, 5):
        watch_regenerations_until(service, week * WEEK_H)
    step_by_step = of_rate(alerts())
    assert len(step_by_step) <= 3
    assert all(alert.state is AlertState.RESOLVED for alert in step_by_step[:-1])
    for table in ("alerts", "job_watermarks", "estimates", "guardrail_states", "rate_counts", "feedback"):
        service.store._cursor().execute(f"DELETE FROM {table}")  # noqa: S608 - names from the line above
    watch_regenerations_until(service, 4 * WEEK_H)
    assert of_rate(alerts()) == step_by_step


def test_the_rates_that_nobody_asked_to_be_paged_for_are_only_shown(
    service: Service, add_answers: AddAnswers, watch_until: WatchUntil, alerts: Alerts
) -> None:
    add_answers(np.arange(0, 12, 0.1))
    watch_until(service, 40)
    shown = service.store._cursor().execute(
        "SELECT DISTINCT signal, state FROM estimates WHERE signal IN ('thumbs_down_rate', 'refusal_rate')"
    )
    assert shown.fetchall() == [("thumbs_down_rate", "unguarded")]
