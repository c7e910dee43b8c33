from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from ragvigil_monitor.api.models import Alert
from ragvigil_monitor.drift.comparing import newest_comparison
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.guardrails.budget import alarm_budget
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.query_drift import DRIFT_GUARDRAIL, AboveQuietDays
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.query_drift import MIX, NOVELTY, Drift
from ragvigil_monitor.signals.signal import Look, Window
from ragvigil_monitor.statistics.gumbel_limit import GumbelLimit
from ragvigil_monitor.store import Store

Add = Callable[..., None]
Run = Callable[..., dict[str, int]]
Alerts = Callable[[], list[Alert]]
QUIET = GumbelLimit(10.0, 2.0, 27)
ENCODER = Encoder("encoder-1", 96)
TWO_WEEKS_H = 14 * 24


def only_drift(**drift: Any) -> dict[str, Any]:
    """Settings with no other guardrail, 0.1 false alarms a week, and references of two weeks."""
    others = {name: {"enabled": False} for name in ("latency_p95", "regeneration_rate")}
    return {
        "schedule": {"tick_s": 0, "lateness_s": 0},
        "alarms": {"false_alarms_per_week": 0.1},
        "guardrails": {**others, "query_drift": {"reference_weeks": 2, **drift}},
    }


@pytest.fixture
def judged(memory_store: Store, monday: datetime) -> Callable[..., list[tuple[State, str]]]:
    """State and sentence of both series, the day after Monday, given what the signal found of each."""

    def judge(drift: Drift | None, *, answered_before: bool = True, alpha: float = 0.001) -> list[tuple[State, str]]:
        look = Look(memory_store, Window(monday + timedelta(days=1), 86400), Settings.load(), alpha)
        found = {} if drift is None else {MIX: drift, NOVELTY: drift}
        findings = AboveQuietDays().findings(look, found, answered_before=answered_before)
        return [(finding.state, finding.sentence) for finding in findings]

    return judge


def test_above_the_limit_of_quiet_days_is_a_breach_and_below_it_is_not(judged: Any) -> None:
    limit = QUIET.at(0.024)
    values = [limit - 0.01, limit + 0.01, -3.0]
    states = [judged(Drift(value, 500, 0, ENCODER, None, QUIET))[0][0] for value in values]
    assert states == [State.OK, State.BREACH, State.OK]


def test_the_sentence_gives_value_limit_and_expected_false_alarms(judged: Any) -> None:
    (_, mix), (_, novelty) = judged(Drift(123.4, 1432, 3, ENCODER, None, QUIET))
    assert mix == (
        "Query mix over the last 24 h: 123 (n = 1432, 3 more unusable or of another encoder), limit 17.4 "
        "(0.17 false alarms a week, by a replay of 27 days)."
    )
    assert novelty.startswith("Query novelty over the last 24 h: 123 ")


@pytest.mark.parametrize("n", [0, 1, 49])
def test_fewer_than_fifty_vectors_decide_nothing(judged: Any, n: int) -> None:
    state, sentence = judged(Drift(500.0 if n > 1 else None, n, 0, ENCODER, None, QUIET))[0]
    assert state is State.NO_POWER
    assert sentence.endswith(f"{n} query vectors, limit 17.4. A verdict needs {50 - n} more.")


def test_until_the_first_vector_it_says_what_it_waits_for(judged: Any) -> None:
    for answered_before, beginning in (
        (False, "No answer has arrived yet"),
        (True, "No answer so far came with a query"),
    ):
        state, sentence = judged(None, answered_before=answered_before)[0]
        assert state is State.WARMING_UP
        assert sentence.startswith(beginning)
        assert "4 weeks" in sentence


def test_until_a_reference_it_is_uncalibrated_and_says_how_far_it_is(judged: Any, monday: datetime) -> None:
    (state, sentence), _ = judged(Drift(None, 480, 0, ENCODER, monday - timedelta(days=11)))
    assert state is State.WARMING_UP
    assert sentence == (
        "Query mix is uncalibrated: encoder-1 (96 numbers) has 12 of the 28 days of query vectors that a reference "
        "takes; n = 480 over the last 24 h."
    )


def test_a_long_history_of_rare_queries_says_why_there_is_no_reference(judged: Any, monday: datetime) -> None:
    (_, sentence), _ = judged(Drift(None, 5, 0, ENCODER, monday - timedelta(days=90)))
    assert "28 days of query vectors, but not ten of them with 50 or more" in sentence


@pytest.mark.parametrize(
    ("unusable", "words"), [(0, "last 24 h, although"), (7, "last 24 h (and 7 that cannot be used)")]
)
def test_a_day_without_vectors_after_some_came_is_missing_evidence(judged: Any, unusable: int, words: str) -> None:
    (state, sentence), _ = judged(Drift(None, 0, unusable))
    assert state is State.NO_DATA
    assert words in sentence
    assert sentence.endswith("missing evidence.")


def test_a_tighter_budget_has_a_higher_limit(judged: Any) -> None:
    drift = Drift(19.0, 500, 0, ENCODER, None, QUIET)
    assert judged(drift, alpha=0.001)[0][0] is State.BREACH
    assert judged(drift, alpha=0.0001)[0][0] is State.OK


def test_its_looks_take_their_share_of_the_common_budget() -> None:
    settings = Settings.load(**only_drift(every_s=7200))
    assert alarm_budget(settings, [DRIFT_GUARDRAIL]).looks_per_week == 2 * 84
    assert DRIFT_GUARDRAIL.waiting(settings).keys() == {MIX, NOVELTY}


@pytest.mark.slow
def test_a_new_topic_is_found_dated_and_explained_and_quiet_weeks_are_quiet(
    memory_store: Store,
    make_service: Callable[..., Service],
    add_queries: Add,
    run_drift: Run,
    alerts: Alerts,
    monday: datetime,
) -> None:
    new_h = TWO_WEEKS_H + 7 * 24 + 5
    add_queries(0, new_h + 48, new_from_h=new_h, new=0.2)
    service = make_service(**only_drift())
    run_drift(service, new_h)
    assert alerts() == []
    for hours in (*range(1, 19), 48):
        run_drift(service, new_h + hours)
    found = {alert.series: alert for alert in alerts()}
    novelty = found[NOVELTY]
    new_at = monday + timedelta(hours=new_h)
    assert timedelta() < novelty.opened_at - new_at <= timedelta(hours=18)
    assert novelty.onset_at is not None
    assert abs(novelty.onset_at - new_at) <= timedelta(hours=6)
    assert "MMD² 0." in novelty.sentence
    assert "permutations" in novelty.sentence
    assert "The intent new adds" in novelty.sentence
    assert novelty.evidence.slices[0].value == "new"
    assert len(novelty.evidence.trace_ids) == 10
    kept = newest_comparison(memory_store, Encoder("encoder-1", 12), novelty.opened_at, monday + timedelta(days=60))
    assert kept is not None
    assert kept.end == max(alert.opened_at for alert in found.values())


def test_a_disabled_guardrail_is_drawn_and_raises_nothing(
    memory_store: Store, make_service: Callable[..., Service], add_queries: Add, run_drift: Run, alerts: Alerts
) -> None:
    add_queries(0, TWO_WEEKS_H + 48, new_from_h=TWO_WEEKS_H)
    run_drift(make_service(**only_drift(enabled=False, every_s=21600)), TWO_WEEKS_H + 48)
    assert alerts() == []
    assert memory_store.rows("guardrail_states_of", guardrail="query_drift") == []


def test_a_change_of_the_encoder_is_not_taken_for_drift(
    memory_store: Store,
    make_service: Callable[..., Service],
    add_queries: Add,
    add_vectors: Add,
    run_drift: Run,
    alerts: Alerts,
) -> None:
    add_queries(0, TWO_WEEKS_H)
    rng = np.random.default_rng(2)
    add_vectors(np.sort(rng.uniform(TWO_WEEKS_H, TWO_WEEKS_H + 24, 480)), rng.normal(size=(480, 12)), model="encoder-2")
    run_drift(make_service(**only_drift(every_s=21600)), TWO_WEEKS_H + 24)
    assert alerts() == []
    (mix, novelty) = memory_store.rows("guardrail_states_of", guardrail="query_drift")
    assert {mix["state"], novelty["state"]} == {"warming_up"}
    assert "encoder-2 (12 numbers) has 1 of the 14 days" in mix["sentence"]


def test_an_alert_is_resolved_after_a_day_below_the_limit_although_others_take_six_hours(
    memory_store: Store, make_service: Callable[..., Service], add_queries: Add, run_drift: Run, alerts: Alerts
) -> None:
    over_h = TWO_WEEKS_H + 48
    add_queries(0, over_h, new_from_h=TWO_WEEKS_H, new=0.5)
    add_queries(over_h, over_h + 96, seed=1)
    run_drift(make_service(**only_drift(every_s=10800)), over_h + 96)
    novelty = next(alert for alert in alerts() if alert.series == NOVELTY)
    assert novelty.resolved_at is not None
    assert novelty.resolved_at - novelty.last_breach_at >= timedelta(hours=24)
