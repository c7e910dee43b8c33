"""The first look."""

from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
from tests.samples.conclusions import COST_ALERT, OLD_ALERT, SLOW_ALERT
from tests.samples.world import World


def test_status_counts_answers_of_a_day_and_names_the_newest(sampled: World) -> None:
    status = sampled.get("/status")
    assert status["answers_last_24h"] == 200
    assert status["last_answer_at"] == "2026-11-30T02:59:48Z"
    assert status["now"] == "2026-11-30T03:00:00Z"


def test_status_holds_unresolved_alerts_only(sampled: World) -> None:
    alerts = {alert["alert_id"]: alert["state"] for alert in sampled.get("/status")["alerts"]}
    assert alerts == {SLOW_ALERT: "firing", COST_ALERT: "acknowledged"}
    assert OLD_ALERT not in alerts


def test_status_holds_every_guardrail(sampled: World) -> None:
    states = {(one["guardrail"], one["series"]): one["state"] for one in sampled.get("/status")["guardrails"]}
    assert states["latency_p95", "rerank"] == "breach"
    assert states["cost_per_query", "mean"] == "ok"
    assert len(states) == 5


def test_status_says_what_the_false_alarm_budget_is(sampled: World) -> None:
    budget = sampled.get("/status")["budget"]
    assert budget["per_week"] == 1.0
    assert budget["alpha_per_look"] * budget["looks_per_week"] <= 1.0 + 1e-9


def test_a_store_without_anything_has_a_status(empty: World) -> None:
    status = empty.get("/status")
    assert status["last_answer_at"] is None
    assert status["answers_last_24h"] == 0
    assert status["alerts"] == status["guardrails"] == status["problems"] == []


def test_an_answer_of_the_day_before_yesterday_is_the_newest_but_not_counted(empty: World) -> None:
    empty.put(answers=[{"started_at": empty.ago(hours=30)}])
    status = empty.get("/status")
    assert status["answers_last_24h"] == 0
    assert status["last_answer_at"] == "2026-11-28T21:00:00Z"


def test_a_failing_job_is_a_problem_of_the_monitor(empty: World) -> None:
    with empty.store.transaction() as writer:
        writer.execute("note_job_problem", job="latency_p95", failed_at=empty.now, error="disk full")
    (problem,) = empty.get("/status")["problems"]
    assert problem == {"part": "job latency_p95", "since": "2026-11-30T03:00:00Z", "detail": "disk full"}


def test_a_notification_that_was_given_up_is_a_problem_for_a_week(empty: World) -> None:
    given_up = [_delivery(empty.now, days) for days in (1, 8)]
    with empty.store.transaction() as writer:
        writer._cursor.register("given_up", pa.Table.from_pylist(given_up))
        writer._cursor.execute("INSERT INTO deliveries BY NAME SELECT * FROM given_up")
    (problem,) = empty.get("/status")["problems"]
    assert problem["part"] == "webhook notification (opened)"
    assert problem["detail"] == "given up after 12 attempts: 503"


def _delivery(now: datetime, days: int) -> dict[str, Any]:
    return {
        "delivery_id": f"d{days}",
        "alert_id": "a",
        "channel": "webhook",
        "transition": "opened",
        "state": "given_up",
        "payload": "{}",
        "created_at": (now - timedelta(days=days)).replace(tzinfo=None),
        "attempts": 12,
        "last_error": "503",
    }
