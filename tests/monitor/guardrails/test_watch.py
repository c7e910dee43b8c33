from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragvigil_monitor.api.models import Alert, AlertState
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

AddAnswers = Callable[..., None]
MakeService = Callable[..., Service]
JudgeUntil = Callable[[Service, float], dict[str, int]]
Alerts = Callable[[], list[Alert]]


@pytest.fixture
def service(make_service: MakeService, hourly_settings: dict[str, Any]) -> Service:
    return make_service(**hourly_settings)


def traffic(rng: np.random.Generator, hours: float, per_hour: int = 100) -> NDArray[np.float64]:
    return np.sort(rng.uniform(0, hours, int(hours * per_hour)))


def add_incident(
    add: AddAnswers, *, hours: float = 72, slow_from: float = 48, slow_to: float = 999, rng_seed: int = 1
) -> None:
    """Reranking takes 90 ms and, in the incident, 600 ms; intent `search` in one answer of two."""
    rng = np.random.default_rng(rng_seed)
    after_h = traffic(rng, hours)
    rerank = rng.lognormal(np.log(90), 0.2, len(after_h))
    rerank += np.where((after_h >= slow_from) & (after_h < slow_to), 510.0, 0.0)
    searches = rng.random(len(after_h)) < 0.5
    for intent, chosen in (("search", searches), ("ask", ~searches)):
        for version in ("1.0", "1.1"):
            some = chosen & ((after_h >= slow_from) == (version == "1.1"))
            add(
                after_h[some],
                rerank[some] + 700,
                stages={"rerank": rerank[some], "generate": 200.0},
                cost_usd=0.004,
                intent=intent,
                version=version,
                slices='{"team": "data"}' if intent == "ask" else None,
            )


def states(store: Store) -> dict[tuple[str, str], str]:
    return {(row["guardrail"], row["series"]): row["state"] for row in store.rows("guardrail_states_now")}


def test_in_control_every_guarded_series_is_ok_and_nothing_fires(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil, alerts: Alerts
) -> None:
    add_incident(add_answers, slow_from=999)
    judge_until(service, 72)
    assert states(service.store) == {
        ("latency_p95", "answer"): "ok",
        ("latency_p95", "rerank"): "ok",
        ("cost_per_query", "mean"): "ok",
    }
    assert alerts() == []


def test_a_slow_stage_opens_one_alert_that_says_what_how_much_and_since_when(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil, alerts: Alerts, monday: datetime
) -> None:
    add_incident(add_answers)
    judge_until(service, 72)
    (alert,) = alerts()
    began_at = monday + timedelta(hours=48)
    assert (alert.guardrail, alert.series, alert.state) == ("latency_p95", "rerank", AlertState.FIRING)
    assert alert.opened_at - began_at == timedelta(hours=1)
    assert alert.last_breach_at == monday + timedelta(hours=72)
    assert alert.sentence.startswith("p95 rerank latency over the last 1 h: ")
    assert alert.sentence.endswith("SLO 300 ms.")
    assert alert.onset_earliest is not None
    assert alert.onset_latest is not None
    assert alert.onset_earliest <= began_at <= alert.onset_latest
    assert alert.onset_latest - alert.onset_earliest <= timedelta(hours=3)


def test_its_evidence_names_slices_traces_and_the_release(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil, alerts: Alerts, monday: datetime
) -> None:
    add_incident(add_answers)
    judge_until(service, 72)
    evidence = alerts()[0].evidence
    assert (evidence.window_end, evidence.limit, evidence.unit) == (monday + timedelta(hours=72), 300, "ms")
    assert evidence.lower is not None
    assert evidence.alarm_lower is not None
    assert 300 < evidence.alarm_lower <= evidence.lower
    assert {(each.name, each.value) for each in evidence.slices} == {
        ("service_version", "1.1"),
        ("intent", "search"),
        ("intent", "ask"),
        ("team", "data"),
    }
    assert evidence.slices[0].n == evidence.n
    assert evidence.slices[0].estimate == evidence.value
    assert evidence.slices[0].excess == pytest.approx(0.95 * evidence.n)
    assert len(set(evidence.trace_ids)) == 10
    assert all(len(trace_id) == 32 for trace_id in evidence.trace_ids)
    assert [release.value for release in evidence.releases] == ["1.1"]
    assert evidence.triage is not None
    assert evidence.triage.verdict == "regression-suspected"
    assert evidence.triage.sentence.startswith("Regression suspected: release shop 1.1 (first seen 3 Jun ")


def test_traces_are_the_worst_first(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil, alerts: Alerts
) -> None:
    after_h = np.linspace(0, 5, 500, endpoint=False)
    add_answers(after_h, 5000.0 + np.arange(500))
    judge_until(service, 5)
    assert [int(trace_id, 16) for trace_id in alerts()[0].evidence.trace_ids] == list(range(499, 489, -1))


def test_an_alert_on_the_answer_names_the_stage_that_is_in_breach_too(
    make_service: MakeService,
    hourly_settings: dict[str, Any],
    add_answers: AddAnswers,
    judge_until: JudgeUntil,
    alerts: Alerts,
) -> None:
    hourly_settings["guardrails"]["latency_p95"]["slo_ms"]["answer"] = 1000
    add_incident(add_answers)
    judge_until(make_service(**hourly_settings), 72)
    answer, rerank = alerts()
    assert (answer.series, answer.evidence.also_in_breach) == ("answer", ["rerank"])
    assert (rerank.series, rerank.evidence.also_in_breach) == ("rerank", ["answer"])


def test_it_is_resolved_six_hours_after_the_day_window_is_in_control_again(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil, alerts: Alerts, monday: datetime
) -> None:
    add_incident(add_answers, hours=96, slow_to=52)
    judge_until(service, 96)
    (alert,) = alerts()
    assert alert.state is AlertState.RESOLVED
    assert alert.resolved_at is not None
    assert alert.resolved_at - alert.last_breach_at >= timedelta(hours=6)
    assert alert.resolved_at <= monday + timedelta(hours=52 + 24 + 7)


def test_a_rise_of_the_mean_cost_is_found_and_counted_in_budgets(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil, alerts: Alerts
) -> None:
    rng = np.random.default_rng(2)
    after_h = traffic(rng, 96, 60)
    costs = rng.lognormal(np.log(0.008), 0.4, len(after_h)) * np.where(after_h >= 48, 1.4, 1)
    add_answers(after_h, stages={"generate": 100.0}, cost_usd=np.where(rng.random(len(after_h)) < 0.1, np.nan, costs))
    judge_until(service, 96)
    (alert,) = alerts()
    assert (alert.guardrail, alert.series) == ("cost_per_query", "mean")
    evidence = alert.evidence
    assert evidence.value is not None
    assert evidence.missing > 0
    assert f"{evidence.missing} more without a usable value" in alert.sentence
    overspent = evidence.n * (evidence.value / 0.01 - 1)
    assert evidence.slices[0].excess == pytest.approx(overspent)


def test_traffic_that_stops_is_missing_evidence_and_resolves_nothing(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil, alerts: Alerts
) -> None:
    add_incident(add_answers, hours=50)
    judge_until(service, 100)
    assert set(states(service.store).values()) == {"no_data"}
    assert [alert.state for alert in alerts()] == [AlertState.FIRING]


def test_a_guarded_stage_that_never_arrives_is_missing_evidence(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil
) -> None:
    add_answers(np.arange(0, 24, 0.05))
    judge_until(service, 24)
    assert states(service.store)["latency_p95", "rerank"] == "no_data"


def test_before_the_first_answer_every_guardrail_warms_up(service: Service, judge_until: JudgeUntil) -> None:
    judge_until(service, 5)
    assert set(states(service.store).values()) == {"warming_up"}
    assert len(states(service.store)) == 3


def test_stages_without_an_slo_are_estimated_and_not_judged(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil, monday: datetime
) -> None:
    add_incident(add_answers, hours=24)
    judge_until(service, 24)
    points = service.store.rows(
        "signal_points",
        signal="latency_p95",
        series="generate",
        window_s=86400,
        start=monday,
        end=monday + timedelta(days=2),
        bucket_s=1,
    )
    assert {point["state"] for point in points} == {"unguarded"}
    assert points[-1]["value"] == 200
    assert points[-1]["limit"] is None


def test_a_disabled_guardrail_is_shown_and_raises_nothing(
    make_service: MakeService,
    hourly_settings: dict[str, Any],
    add_answers: AddAnswers,
    judge_until: JudgeUntil,
    alerts: Alerts,
) -> None:
    hourly_settings["guardrails"]["latency_p95"]["enabled"] = False
    add_incident(add_answers)
    service = make_service(**hourly_settings)
    judge_until(service, 72)
    assert alerts() == []
    assert [guardrail for guardrail, _ in states(service.store)] == ["cost_per_query"]


def test_a_limit_that_is_taken_away_resolves_its_alert_and_forgets_its_state(
    make_service: MakeService,
    hourly_settings: dict[str, Any],
    add_answers: AddAnswers,
    judge_until: JudgeUntil,
    alerts: Alerts,
) -> None:
    add_incident(add_answers)
    judge_until(make_service(**hourly_settings), 60)
    hourly_settings["guardrails"]["latency_p95"]["enabled"] = False
    service = make_service(**hourly_settings)
    judge_until(service, 61)
    assert [alert.state for alert in alerts()] == [AlertState.RESOLVED]
    assert ("latency_p95", "rerank") not in states(service.store)


def test_a_clear_onset_is_kept(
    service: Service, add_answers: AddAnswers, judge_until: JudgeUntil, alerts: Alerts
) -> None:
    add_incident(add_answers, hours=200)
    judge_until(service, 80)
    early = alerts()[0]
    judge_until(service, 200)
    late = alerts()[0]
    assert late.last_breach_at > early.last_breach_at
    assert (late.onset_at, late.onset_earliest, late.onset_latest) == (
        early.onset_at,
        early.onset_earliest,
        early.onset_latest,
    )
