"""Lists of answers: newest, slowest, costliest, as a whole or in one stage."""

from datetime import timedelta
from typing import Any

import pytest
from tests.samples.world import World


def test_the_newest_come_first_with_their_cost(sampled: World) -> None:
    rows = sampled.get("/answers", limit=20)
    times = [row["started_at"] for row in rows]
    assert times == sorted(times, reverse=True)
    assert len(rows) == 20
    assert all(0.001 < row["cost_usd"] < 0.003 for row in rows)
    assert rows[0]["stage_duration_ms"] is None


def test_the_cost_of_an_answer_is_the_sum_of_its_stages(empty: World) -> None:
    empty.put(
        answers=[{"span_id": b"answer01"}],
        spans=[
            {"span_id": b"answer01", "answer_span_id": b"answer01", "cost_usd": 9.0},
            {"span_id": b"embed001", "answer_span_id": b"answer01", "stage": "embed", "cost_usd": 0.25},
            {"span_id": b"chat0001", "answer_span_id": b"answer01", "stage": "generate", "cost_usd": 0.5},
            {
                "span_id": b"probe001",
                "answer_span_id": b"answer01",
                "stage": "retrieve",
                "cost_usd": 7.0,
                "probe_id": "p",
            },
        ],
    )
    for order in ("newest", "slowest", "costliest"):
        assert [row["cost_usd"] for row in empty.get("/answers", order=order)] == [0.75]
    trace_id = "0" * 31 + "1"
    assert empty.get(f"/answers/{trace_id}")[0]["cost_usd"] == 0.75


def test_an_answer_without_prices_has_no_cost_and_ranks_last(empty: World) -> None:
    empty.put(
        answers=[
            {"span_id": b"answer01", "answer_id": "unpriced"},
            {"span_id": b"answer02", "answer_id": "cheap", "started_at": empty.ago(minutes=9)},
        ],
        spans=[{"span_id": b"chat0002", "answer_span_id": b"answer02", "stage": "generate", "cost_usd": 0.001}],
    )
    rows = empty.get("/answers", order="costliest")
    assert [(row["answer_id"], row["cost_usd"]) for row in rows] == [("cheap", 0.001), ("unpriced", None)]


@pytest.mark.parametrize(("order", "field"), [("slowest", "duration_ms"), ("costliest", "cost_usd")])
def test_the_worst_come_first(sampled: World, order: str, field: str) -> None:
    values = [row[field] for row in sampled.get("/answers", order=order, limit=200)]
    assert values == sorted(values, reverse=True)
    assert len(values) == 200


def test_a_stage_ranks_by_its_own_time(sampled: World) -> None:
    rows = sampled.get("/answers", order="slowest", stage="rerank", limit=10)
    values = [row["stage_duration_ms"] for row in rows]
    assert values == sorted(values, reverse=True)
    assert all(row["stage_duration_ms"] < row["duration_ms"] for row in rows)


def test_a_stage_that_no_answer_has_lists_nothing(sampled: World) -> None:
    assert sampled.get("/answers", stage="rewrite") == []


def test_an_intent_narrows_the_list(sampled: World) -> None:
    for order in ("newest", "slowest"):
        assert {row["intent"] for row in sampled.get("/answers", intent="policy", order=order)} == {"policy"}
    assert sampled.get("/answers", intent="'; DROP TABLE answers; --") == []


def test_a_time_range_holds_its_start_and_not_its_end(empty: World) -> None:
    empty.put(
        answers=[
            {"answer_id": str(m), "started_at": empty.ago(minutes=m), "trace_id": bytes(15) + bytes([m])}
            for m in (1, 2, 3)
        ]
    )
    start, end = empty.now - timedelta(minutes=2), empty.now - timedelta(minutes=1)
    for order in ("newest", "slowest"):
        rows = empty.get("/answers", start=start.isoformat(), end=end.isoformat(), order=order)
        assert [row["answer_id"] for row in rows] == ["2"]


def test_older_than_a_day_is_left_out_unless_asked_for(sampled: World) -> None:
    assert len(sampled.get("/answers", limit=500)) == 200
    start = (sampled.now - timedelta(days=3)).isoformat()
    assert len(sampled.get("/answers", start=start, limit=500)) == 500


def test_an_empty_store_lists_nothing(empty: World) -> None:
    assert empty.get("/answers") == empty.get("/answers", order="costliest") == []


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"order": "funniest"}, "query.order"),
        ({"limit": 0}, "query.limit"),
        ({"limit": -1}, "query.limit"),
        ({"limit": 10**9}, "query.limit"),
        ({"stage": "x" * 300}, "query.stage"),
        ({"start": "2026-11-29T00:00:00"}, "query.start"),
        ({"start": "2026-10-01T00:00:00Z", "end": "2026-11-29T00:00:00Z"}, "at most 31 days"),
        ({"start": "2026-11-30T00:00:00Z", "end": "2026-11-29T00:00:00Z"}, "start must lie before end"),
    ],
)
def test_a_list_that_cannot_be_is_refused(sampled: World, parameters: dict[str, Any], said: str) -> None:
    status, detail = sampled.refusal("/answers", **parameters)
    assert status == 422
    assert said in detail
