from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.demo.incidents import (
    INCIDENTS,
    Incident,
    Planted,
    changed,
    cost_rise,
    plant,
    slow_reranker,
    wrong_hard_filter,
)
from ragvigil_monitor.demo.parts import Parts

SIX_WEEKS = timedelta(days=42)


def planted_with(seed: int, end: datetime) -> tuple[Planted, ...]:
    return plant(INCIDENTS, end - SIX_WEEKS, end, seed=seed)


@pytest.mark.parametrize("seed", range(40))
def test_each_incident_happens_once_after_day_28_for_five_days_or_more(now: datetime, seed: int) -> None:
    planted = planted_with(seed, now)
    assert sorted(one.incident.kind for one in planted) == sorted(incident.kind for incident in INCIDENTS)
    for one in planted:
        assert one.planted_at >= now - SIX_WEEKS + timedelta(days=28)
        assert timedelta(days=5) <= one.ended_at - one.planted_at <= timedelta(days=7)
        assert one.ended_at <= now


def test_seeds_differ_in_times_in_releases_and_in_overlap(now: datetime) -> None:
    runs = [planted_with(seed, now) for seed in range(40)]
    assert len({run[0].planted_at for run in runs}) == 40
    assert {one.released for run in runs for one in run} == {True, False}
    assert len({tuple(one.incident.kind for one in run) for run in runs}) > 10
    assert any(one.planted_at > run[0].ended_at for run in runs for one in run)


@pytest.mark.parametrize("seed", range(40))
def test_one_incident_goes_on_to_the_end(now: datetime, seed: int) -> None:
    planted = planted_with(seed, now)
    assert [one.ended_at == now for one in planted].count(True) == 1
    assert all(one.goes_on == (one.ended_at == now) for one in planted)


@pytest.mark.parametrize("seed", range(20))
def test_an_incident_that_only_a_release_can_bring_comes_with_one(now: datetime, seed: int) -> None:
    (one,) = plant([wrong_hard_filter], now - SIX_WEEKS, now, seed=seed)
    assert one.released


def test_a_single_incident_goes_on_to_the_end(now: datetime) -> None:
    (alone,) = plant(INCIDENTS[:1], now - SIX_WEEKS, now, seed=3)
    assert alone.ended_at == now


def test_an_incident_is_on_from_its_planting_until_just_before_its_end(now: datetime) -> None:
    one = planted_with(1, now)[0]
    moment = timedelta(microseconds=1)
    moments = (one.planted_at - moment, one.planted_at, one.ended_at - moment, one.ended_at)
    assert [one.is_active(at) for at in moments] == [False, True, True, False]


def test_incidents_that_overlap_change_both_their_parts(healthy: Parts, now: datetime) -> None:
    slow, costly = (
        Planted(incident, now, now + timedelta(days=5), released=False) for incident in (slow_reranker, cost_rise)
    )
    parts = changed(healthy, [slow, costly], now + timedelta(days=1))
    assert parts.latency.median_ms["rerank"] == 2.5 * healthy.latency.median_ms["rerank"]
    assert parts.prices == healthy.prices.raised(1.4)
    assert changed(healthy, [slow, costly], now - timedelta(days=1)) is healthy


def test_kinds_and_guardrails_are_named_once() -> None:
    assert len({incident.kind for incident in INCIDENTS}) == len(INCIDENTS)
    assert {incident.kind: incident.guardrail for incident in INCIDENTS} == {
        "slow_reranker": "latency_p95",
        "cost_rise": "cost_per_query",
        "new_topic": "query_drift",
        "regenerations": "regeneration_rate",
        "wrong_hard_filter": "false_exclusion",
        "unsupported_claims": "faithfulness",
    }


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda incident: incident.kind)
def test_the_monitor_knows_the_guardrail(incident: Incident) -> None:
    from ragvigil_monitor.settings import Guardrails

    assert incident.guardrail in Guardrails.model_fields


@given(seed=st.integers(0, 10**9), days=st.floats(0.5, 365))
def test_a_scaled_run_scales_its_incidents(seed: int, days: float) -> None:
    end = datetime.fromisoformat("2026-11-30T12:00:00+00:00")
    length = timedelta(days=days)
    for one in plant(INCIDENTS, end - length, end, seed=seed):
        moment = timedelta(microseconds=2)
        assert (one.planted_at - (end - length)) / length >= 28 / 42 - 1e-9
        assert 5 / 42 - 1e-9 <= (one.ended_at - one.planted_at) / length <= 7 / 42 + 1e-9
        assert one.ended_at <= end + moment


def test_an_incident_leaves_the_healthy_parts_alone(healthy: Parts) -> None:
    before = replace(healthy), dict(healthy.latency.median_ms)
    for incident in INCIDENTS:
        assert incident.change(healthy) != healthy
    assert (healthy, dict(healthy.latency.median_ms)) == before
