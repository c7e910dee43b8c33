"""Columns of spans that other instrumentations made."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.samples.otlp import NOW, flattened, nanoseconds, pairs, rag_trace, span, traces

from ragvigil import attributes as names
from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.conventions.all import CONVENTIONS
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds

WHERE = "db.chroma.query.where"
CHROMA = {"db.system": "chroma", "db.operation": "query"}


def event(name: str, after_ms: float = 0, attributes: Mapping[str, object] | None = None) -> Span.Event:
    time = nanoseconds(NOW) + int(after_ms * 1e6)
    return Span.Event(name=name, time_unix_nano=time, attributes=pairs(attributes or {}))


def result(document_id: str | None, distance: object) -> Span.Event:
    named = {} if document_id is None else {"db.query.result.id": document_id}
    return event("db.query.result", attributes={**named, "db.query.result.distance": distance})


def queried(columns_of: Any, attributes: Any = (), **given: Any) -> Any:
    return columns_of({**CHROMA, **dict(attributes)}, name="chroma.query", **given)


@pytest.mark.parametrize(
    ("attributes", "kind", "stage"),
    [
        ({names.SPAN_KIND: "LLM"}, "LLM", "generate"),
        ({names.SPAN_KIND: "RETRIEVER"}, "RETRIEVER", "retrieve"),
        ({names.SPAN_KIND: "RERANKER"}, "RERANKER", "rerank"),
        ({names.SPAN_KIND: "EMBEDDING"}, "EMBEDDING", "embed"),
        ({names.SPAN_KIND: "CHAIN"}, "CHAIN", None),
        ({names.OPERATION_NAME: "text_completion"}, "LLM", "generate"),
        ({names.OPERATION_NAME: "invoke_agent"}, "AGENT", None),
        ({names.OPERATION_NAME: "invoke_workflow"}, "CHAIN", None),
        ({names.OPERATION_NAME: "create_agent"}, None, None),
        ({names.OPERATION_NAME: "vector_db_retrieve"}, "RETRIEVER", "retrieve"),
        ({"llm.request.type": "chat"}, "LLM", "generate"),
        ({"llm.request.type": "embedding"}, "EMBEDDING", "embed"),
        ({"traceloop.span.kind": "workflow", "traceloop.entity.name": "ask"}, "CHAIN", None),
        ({"traceloop.span.kind": "agent", "traceloop.entity.name": "ask"}, "AGENT", None),
        (
            {"traceloop.span.kind": "workflow", "traceloop.entity.name": "a", names.OPERATION_NAME: "embeddings"},
            "EMBEDDING",
            "embed",
        ),
        (
            {"traceloop.span.kind": "task", "traceloop.entity.name": "VectorIndexRetriever.task"},
            "RETRIEVER",
            "retrieve",
        ),
        ({"traceloop.span.kind": "task", "traceloop.entity.name": "LLMRerank.task"}, "RERANKER", "rerank"),
        ({"traceloop.span.kind": "wrong", "traceloop.entity.name": "ask"}, None, None),
        ({names.OPERATION_NAME: ["chat"], "llm.request.type": 5}, None, None),
        ({names.STAGE: "draft", names.SPAN_KIND: "LLM"}, "LLM", "draft"),
    ],
    ids=str,
)
def test_kind_and_stage_follow_from_what_each_convention_says(
    columns_of: Any, attributes: dict[str, Any], kind: str | None, stage: str | None
) -> None:
    found = columns_of(attributes)
    assert (found["kind"], found["stage"]) == (kind, stage)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("qdrant.query_points", "RETRIEVER"),
        ("qdrant.upsert", None),
        ("qdrant.query_batch_points", None),
        ("SELECT", None),
    ],
)
def test_a_call_of_a_vector_database_is_a_search_by_its_name(columns_of: Any, name: str, kind: str | None) -> None:
    assert columns_of({"db.system": "Qdrant"}, name=name)["kind"] == kind


def test_every_column_that_a_convention_fills_exists() -> None:
    filled = {column for convention in CONVENTIONS for column in convention.columns.values()}
    assert filled <= set(tables.SPANS.names)


def test_results_that_are_events_are_documents_with_distances(columns_of: Any) -> None:
    found = queried(columns_of, events=[result("a", "0.5"), result("b", 1.5)])
    assert json.loads(found["output_documents"]) == [{"id": "a", "score": 0.5}, {"id": "b", "score": 1.5}]
    assert found["score_kind"] == "distance"


@pytest.mark.parametrize("distance", ["near", math.nan, math.inf, True, "nan"], ids=repr)
def test_a_distance_that_is_none_is_unknown(columns_of: Any, distance: object) -> None:
    found = queried(columns_of, events=[result("a", distance), result("b", 1.5)])
    assert [each["id"] for each in json.loads(found["output_documents"])] == ["a", "b"]
    assert json.loads(found["output_documents"])[0]["score"] in {None, 1.0}


def test_documents_without_id_are_counted_not_invented(columns_of: Any, flaws_of: Any) -> None:
    given = {"events": [result("a", 0.5), result(None, 1.5)]}
    found = queried(columns_of, **given)
    assert json.loads(found["output_documents"]) == [{"id": "a", "score": 0.5}]
    assert found["attributes"]["otel.documents_without_id"] == 1
    assert flaws_of(CHROMA, name="chroma.query", **given) == {"flawed_document_without_id"}


@pytest.mark.parametrize(
    ("attributes", "without_id", "documents"),
    [
        ({"retrieval.documents.0.document.content": "x", "retrieval.documents.1.document.content": "y"}, 2, None),
        ({"retrieval.documents.0.document.score": 0.5}, 1, None),
        ({"output.value": '{"documents": [{"id": "a"}, {"id": null}, {}]}'}, 2, ["a"]),
        ({"output.value": '{"documents": []}'}, None, []),
        (
            {**flattened(names.RETRIEVAL_DOCUMENTS, [("a", 1.0)]), "retrieval.documents.1.document.score": 0.5},
            1,
            ["a"],
        ),
        ({"traceloop.entity.output": '{"documents": [{"page_content": "x"}]}'}, 1, None),
        ({"traceloop.entity.output": '["{\\"node\\": {\\"id_\\": \\"a\\"}, \\"score\\": 0.5}"]'}, None, ["a"]),
        ({"traceloop.entity.output": '["text"]'}, None, None),
    ],
    ids=str,
)
def test_whatever_is_told_of_documents_is_read(
    columns_of: Any, attributes: dict[str, Any], without_id: int | None, documents: list[str] | None
) -> None:
    found = columns_of({names.SPAN_KIND: "RETRIEVER", **attributes})
    told = found["output_documents"]
    assert found["attributes"].get("otel.documents_without_id") == without_id
    assert (told and [each["id"] for each in json.loads(told)]) == documents


def test_several_searches_in_one_call_are_not_taken_for_one(columns_of: Any) -> None:
    events = [result("a", 0.5), result("b", 1.5)]
    found = queried(columns_of, {"db.chroma.query.embeddings_count": 2}, events=events)
    assert found["output_documents"] is None


def test_a_filter_that_can_be_read_is_known_and_kept_as_it_was_sent(columns_of: Any) -> None:
    found = queried(columns_of, {WHERE: "{'$and': [{'lang': 'en'}, {'year': {'$gte': 2020}}]}"})
    assert found["filter_state"] == "known"
    assert [each["op"] for each in json.loads(found["filter_ast"])["args"]] == ["eq", "gte"]
    assert found["filter_clauses"] is None
    assert WHERE in found["attributes"]


@pytest.mark.parametrize(
    "where",
    ["{'lang': ", "__import__('os')", "{'$never': 1}", "{}", "[]", "7", "{'a': None}", "(" * 5000, "9" * 20_000, 5, ""],
    ids=lambda where: str(where)[:20],
)
def test_a_filter_that_cannot_be_read_is_unknown(columns_of: Any, where: object) -> None:
    found = queried(columns_of, {WHERE: where})
    assert (found["filter_state"], found["filter_ast"]) == ("unknown", None)
    assert found["attributes"][WHERE] == where


@pytest.mark.parametrize(
    "where",
    ["{'a': '\\ud800'}", "{'\\ud800': 1}", f"{{'a': {2**70}}}", "{[]: 1}", "{'a': ...}", "-" * 9000],
    ids=lambda where: str(where)[:20],
)
def test_one_that_json_cannot_say_is_unknown_and_counted(columns_of: Any, flaws_of: Any, where: str) -> None:
    found = queried(columns_of, {WHERE: where})
    assert (found["filter_state"], found["filter_ast"]) == ("unknown", None)
    assert flaws_of({**CHROMA, WHERE: where}, name="chroma.query") == {"flawed_unreadable_filter"}


def test_a_limit_that_is_not_finite_is_a_part_that_is_not_known(columns_of: Any) -> None:
    found = queried(columns_of, {WHERE: "{'a': 1e999}"})
    assert found["filter_state"] == "partial"
    assert json.loads(found["filter_ast"])["args"][0]["op"] == "opaque"


def test_a_filter_beside_another_that_is_not_read_is_unknown(columns_of: Any) -> None:
    found = queried(columns_of, {WHERE: "{'lang': 'en'}", "db.chroma.query.where_document": "{'$contains': 'x'}"})
    assert (found["filter_state"], found["filter_ast"]) == ("unknown", None)


def test_no_filter_told_is_never_none(columns_of: Any) -> None:
    assert queried(columns_of)["filter_state"] == "unknown"


@pytest.mark.parametrize("name", ["First Token Stream Event", "gen_ai.content.completion.chunk"])
def test_the_first_streamed_part_gives_the_time_to_the_first_token(columns_of: Any, name: str) -> None:
    chunks = [event(name, after_ms) for after_ms in (25, 50, 75)]
    found = columns_of({names.SPAN_KIND: "LLM"}, events=[*chunks, event("exception")])
    assert found["time_to_first_token_ms"] == 25
    assert [each["name"] for each in found["attributes"]["otel.events"]] == [name, "exception"]


def test_a_part_before_the_call_gives_no_time(columns_of: Any) -> None:
    found = columns_of({names.SPAN_KIND: "LLM"}, events=[event("First Token Stream Event", -5)])
    assert found["time_to_first_token_ms"] is None


def test_the_library_is_kept_where_its_spans_were_understood_and_nowhere_else() -> None:
    scope = {"name": "openinference.instrumentation.openai", "version": "0.1.66"}
    understood, other = span(1, {names.SPAN_KIND: "LLM"}, flags=0x300), span(2, {"http.route": "/ask"}, kind=2)
    request = traces(understood, other, *rag_trace(5), scope=scope)
    rows = decode_traces(request.SerializeToString(), microseconds(NOW)).spans
    kept = [json.loads(row[-1] or "{}") for row in rows]
    assert {name: value for name, value in kept[0].items() if name.startswith("otel.")} == {
        "otel.scope.name": scope["name"],
        "otel.scope.version": scope["version"],
        "otel.parent.is_remote": True,
    }
    assert kept[1]["otel.span.kind"] == "SERVER"
    assert not any("otel.scope.name" in each for each in kept[1:])
