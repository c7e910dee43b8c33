"""Feedback by token from a process that never saw the answer, into the store of `ragvigil serve`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

REACT = Path(__file__).with_name("react.py")
SECRET = "secret of the shop"


def react(monitor: Any, token: str, feedback_id: str, secret: str = SECRET) -> str:
    """React in a process of its own; what it printed."""
    command = [sys.executable, str(REACT), monitor.url, secret, token, feedback_id]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def stored_feedback(monitor: Any) -> list[dict[str, Any]]:
    """The rows of `log_events`, read after the service has stopped."""
    assert monitor.serving.stop() == 0
    with duckdb.connect(str(monitor.database), read_only=True) as connection:
        found = connection.execute(
            "SELECT event_id, event_name, hex(trace_id) AS trace_id, hex(span_id) AS span_id, service, attributes, "
            "occurred_at, observed_at FROM log_events ORDER BY event_id"
        )
        columns = [column[0] for column in found.description or []]
        return [dict(zip(columns, row, strict=True)) for row in found.fetchall()]


@pytest.fixture
def asked(monitor: Any, start_shop: Any) -> dict[str, Any]:
    """An answer of the shop that is stored, with its token."""
    shop = start_shop()
    said = shop.get("/chat", params={"question": "dates"}).json()
    assert shop.post("/flush").json() == {"sent": True}
    return {"token": said["token"], **monitor.only_answer()}


def test_feedback_is_stored_in_the_trace_of_its_answer(monitor: Any, asked: dict[str, Any]) -> None:
    assert react(monitor, asked["token"], "f-1") == "True"
    (row,) = stored_feedback(monitor)
    assert (row["event_id"], row["event_name"], row["service"]) == ("f-1", "ragvigil.feedback", "feedback")
    assert row["trace_id"].lower() == asked["trace_id"]
    assert row["span_id"].lower() == asked["span_id"]
    attributes = json.loads(row["attributes"])
    assert attributes["ragvigil.answer.id"] == asked["answer_id"]
    assert attributes["ragvigil.feedback.kind"] == "thumbs_down"
    assert attributes["ragvigil.feedback.reason"] == "incomplete"
    assert isinstance(attributes["ragvigil.answer.started_at_unix_nano"], int)


def test_the_same_feedback_sent_twice_is_stored_once(monitor: Any, asked: dict[str, Any]) -> None:
    for feedback_id in ("f-1", "f-1", "f-2"):
        assert react(monitor, asked["token"], feedback_id) == "True"
    assert [row["event_id"] for row in stored_feedback(monitor)] == ["f-1", "f-2"]


def test_a_foreign_or_forged_token_stores_nothing(monitor: Any, asked: dict[str, Any]) -> None:
    assert react(monitor, asked["token"], "f-1", secret="secret of another shop") == "False"
    assert react(monitor, asked["token"][:-1], "f-2") == "False"
    assert stored_feedback(monitor) == []


def test_probes_are_stored_and_are_no_traffic(monitor: Any, start_shop: Any) -> None:
    shop = start_shop("--probe")
    shop.get("/ask", params={"question": "dates"})
    assert shop.post("/flush").json() == {"sent": True}
    answer = monitor.only_answer()
    assert [span["stage"] for span in answer["spans"]] == [None, "embed", "retrieve", "generate"]
    assert monitor.serving.stop() == 0
    with duckdb.connect(str(monitor.database), read_only=True) as connection:
        found = connection.execute(
            "SELECT hex(trace_id), probe_id, top_k, json_array_length(output_documents), filter_clauses, attributes "
            "FROM spans WHERE probe_id IS NOT NULL"
        ).fetchall()
    ((trace_id, probe_id, top_k, documents, clauses, attributes),) = found
    assert trace_id.lower() != answer["trace_id"]
    retrieval = next(span for span in answer["spans"] if span["stage"] == "retrieve")
    assert probe_id == f"{answer['trace_id']}-{retrieval['span_id']}"
    assert (top_k, documents) == (6, 6)
    assert [clause["role"] for clause in json.loads(clauses)] == ["entitlement"]
    assert json.loads(attributes)["ragvigil.probe.dropped_clauses"] == ["/args/1"]
