"""What the API tells of the one answer that every sender here sends."""

from datetime import UTC, datetime
from typing import Any

BEGAN = datetime(2026, 11, 30, 2, 59, tzinfo=UTC)


def assert_is_the_answer(answer: dict[str, Any], service: str, began: datetime = BEGAN) -> None:
    """The answer and its two stages, value by value; AssertionError for the first that differs."""
    spans = {span["name"]: span for span in answer["spans"]}
    assert (answer["service"], answer["service_version"], answer["answer_id"]) == (service, "2.1", "answer-1")
    assert (datetime.fromisoformat(answer["started_at"]), answer["duration_ms"]) == (began, 250.0)
    assert (answer["question"], answer["answer"]) == ("Wie groß ist 🚀 Ägypten?", "1,002,450 km²")
    assert (answer["refusal"], answer["confidence"]) == (False, 0.75)
    assert sorted(span["name"] for span in answer["spans"]) == ["ask", "complete", "search"]
    _assert_root(spans["ask"])
    _assert_search(spans["search"], spans["ask"]["span_id"])
    _assert_complete(spans["complete"])


def _assert_root(span: dict[str, Any]) -> None:
    assert (span["parent_span_id"], span["kind"]) == (None, "CHAIN")
    assert (span["attributes"]["tags"], span["attributes"]["count"]) == (["a", "b"], 42)


def _assert_search(span: dict[str, Any], root_id: str) -> None:
    assert (span["kind"], span["filter_state"], span["query_text"]) == ("RETRIEVER", "unknown", "Ägypten")
    assert (span["parent_span_id"], span["duration_ms"]) == (root_id, 50.0)
    assert span["output_documents"] == [{"id": "doc-1", "score": 0.5}, {"id": "doc-2", "score": 0.25}]
    (event,), (link,) = span["attributes"]["otel.events"], span["attributes"]["otel.links"]
    assert (event["name"], event["shards"], link["span_id"]) == ("asked", 3, root_id)


def _assert_complete(span: dict[str, Any]) -> None:
    assert (span["kind"], span["input_tokens"]) == ("LLM", 900)
    assert (span["status"], span["status_message"]) == ("error", "cut off")
