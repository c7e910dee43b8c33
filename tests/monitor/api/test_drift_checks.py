"""What another implementation says of drift evidence, beside the alert and among the monitor's problems."""

from datetime import datetime, timedelta

from tests.samples.conclusions import SLOW_ALERT
from tests.samples.cross_checks import add_cross_check
from tests.samples.world import World

from ragvigil_monitor.guardrails.models import Evidence


def add_drift_alert(world: World, opened_at: datetime) -> None:
    evidence = Evidence(
        window_start=opened_at - timedelta(days=1),
        window_end=opened_at,
        value=40.0,
        lower=None,
        upper=None,
        alarm_lower=None,
        limit=20.0,
        unit="",
        n=500,
        missing=0,
        slices=[],
        trace_ids=[],
        releases=[],
    )
    unknown = dict.fromkeys(("onset_at", "onset_earliest", "onset_latest"))
    with world.store.transaction() as writer:
        writer.execute(
            "upsert_alert",
            alert_id="drift-1",
            guardrail="query_drift",
            series="mix",
            opened_at=opened_at,
            last_breach_at=opened_at,
            sentence="Query mix …",
            evidence=evidence.model_dump_json(),
            **unknown,
        )


def test_a_drift_alert_carries_the_check_of_its_evidence(empty: World) -> None:
    opened_at = empty.now - timedelta(hours=2)
    add_drift_alert(empty, opened_at)
    assert empty.get("/alerts/drift-1")["cross_check"] is None
    add_cross_check(empty.store, opened_at - timedelta(hours=1), mmd2=0.111)
    add_cross_check(empty.store, opened_at)
    for alert in (empty.get("/alerts/drift-1"), empty.get("/alerts")[0], empty.get("/status")["alerts"][0]):
        assert "by alibi-detect 0.11.4: 0.00274, builtin differs by 3e-17" in alert["cross_check"]
    assert empty.get("/status")["problems"] == []


def test_checks_of_quiet_days_after_the_last_evidence_are_not_those_of_the_alert(empty: World) -> None:
    opened_at = empty.now - timedelta(days=3)
    add_drift_alert(empty, opened_at)
    add_cross_check(empty.store, opened_at)
    add_cross_check(empty.store, opened_at + timedelta(days=2), mmd2=0.0001, p=0.9)
    said = empty.get("/alerts/drift-1")["cross_check"]
    assert said.startswith(f"MMD² of the day up to {opened_at:%Y-%m-%d %H:%M} UTC, encoder-1 (12 numbers), by ")
    assert ": 0.00274, builtin" in said


def test_other_alerts_have_none(disposable: World) -> None:
    add_cross_check(disposable.store, disposable.now)
    assert disposable.get(f"/alerts/{SLOW_ALERT}")["cross_check"] is None


def test_a_disagreement_is_a_problem_until_a_later_check_agrees(empty: World) -> None:
    end = empty.now.replace(minute=0) - timedelta(days=1)
    add_cross_check(empty.store, end, difference=0.001)
    (problem,) = empty.get("/status")["problems"]
    assert problem["part"] == "drift evidence"
    assert "They disagree" in problem["detail"]
    add_cross_check(empty.store, end + timedelta(hours=1))
    assert empty.get("/status")["problems"] == []


def test_a_disagreement_of_long_ago_is_forgotten(empty: World) -> None:
    add_cross_check(empty.store, empty.now - timedelta(days=8), difference=0.001)
    assert empty.get("/status")["problems"] == []
