"""What users said, over HTTP."""

from datetime import datetime

import pytest
from tests.samples.reviews import insert_events, thumbs_down
from tests.samples.servers import running_service
from tests.samples.world import World

from ragvigil_monitor.feedback import join_feedback
from ragvigil_monitor.job import Job
from ragvigil_monitor.schedule import run_due


def test_feedback_is_counted_by_what_became_of_it(empty: World) -> None:
    answer = {"trace_id": b"t" * 16, "span_id": b"s" * 8, "started_at": empty.ago(hours=5)}
    empty.put(answers=[answer])
    nobody = {**answer, "trace_id": b"x" * 16}
    insert_events(empty.store, [thumbs_down(answer), thumbs_down(nobody)])
    with running_service(empty.store, empty.keys) as service:
        run_due(service, empty.now, listed=lambda _settings: [Job("join_feedback", 0, join_feedback)])
    (total,) = empty.get("/feedback")
    assert (total["service"], total["kind"], total["known"]) == ("shop", "thumbs_down", True)
    assert (total["given"], total["joined"], total["parked"], total["unmatched"]) == (2, 1, 1, 0)


def test_nobody_said_anything(empty: World) -> None:
    assert empty.get("/feedback") == []


@pytest.mark.parametrize("days", [0, 91, "many"])
def test_an_impossible_window_is_refused(empty: World, days: object) -> None:
    status, detail = empty.refusal("/feedback", days=days)
    assert status == 422
    assert "days" in detail


def test_an_alarm_is_no_part_of_the_history_until_somebody_decides(empty: World) -> None:
    decision = {
        "series": "all",
        "starts_at": "2026-11-28T00:00:00Z",
        "ends_at": "2026-11-29T00:00:00+00:00",
        "counts": True,
        "reason": "the new normal since the redesign",
        "by": "ada",
    }
    assert empty.get("/guardrails/regeneration_rate/history") == []
    (span,) = empty.client.post("/guardrails/regeneration_rate/history", json=decision).raise_for_status().json()
    assert (span["series"], span["counts"]) == ("all", True)
    assert datetime.fromisoformat(span["decided_at"]) == empty.now
    assert empty.get("/guardrails/regeneration_rate/history") == [span]
    assert empty.get("/guardrails/refusal_rate/history") == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"ends_at": "2026-11-27T00:00:00Z"}, "ends_at must come after starts_at"),
        ({"starts_at": "2026-11-28T00:00:00"}, "starts_at"),
        ({"by": ""}, "by"),
        ({"series": ""}, "series"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused(empty: World, wrong: dict[str, str], said: str) -> None:
    body = {
        "starts_at": "2026-11-28T00:00:00Z",
        "ends_at": "2026-11-29T00:00:00Z",
        "counts": False,
        "reason": "outage",
        "by": "ada",
        **wrong,
    }
    response = empty.client.post("/guardrails/regeneration_rate/history", json=body)
    assert response.status_code == 422
    assert said in response.json()["detail"]
    assert empty.get("/guardrails/regeneration_rate/history") == []


def test_a_guardrail_without_history_is_named(empty: World) -> None:
    status, detail = empty.refusal("/guardrails/latency_p95/history")
    assert status == 404
    assert "regeneration_rate" in detail
