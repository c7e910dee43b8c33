"""OTLP requests made by hand: what a sender could put on the wire, right or wrong."""

import json
import random
from array import array
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil import attributes as names

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
RESOURCE = {names.SERVICE_NAME: "shop", names.SERVICE_VERSION: "1.4.2", names.SERVICE_INSTANCE_ID: "process-1"}
FIELDS: dict[type, Any] = {
    bool: "bool_value",
    int: "int_value",
    float: "double_value",
    bytes: "bytes_value",
    str: "string_value",
}
PROTOBUF = {"Content-Type": "application/x-protobuf"}


def nanoseconds(moment: datetime) -> int:
    """Nanoseconds since the epoch, exact to the microsecond."""
    return round(moment.timestamp() * 1_000_000) * 1000


def any_value(value: object) -> AnyValue:
    """A Python value as OTLP holds it; an AnyValue stays as it is."""
    match value:
        case AnyValue():
            return value
        case list():
            return AnyValue(array_value=ArrayValue(values=map(any_value, value)))
        case dict():
            return AnyValue(kvlist_value=KeyValueList(values=pairs(value)))
        case None:
            return AnyValue()
    scalar: dict[str, Any] = {FIELDS[type(value)]: value}
    return AnyValue(**scalar)


def pairs(values: Mapping[str, object]) -> list[KeyValue]:
    """Attributes as OTLP holds them."""
    return [KeyValue(key=key, value=any_value(value)) for key, value in values.items()]


def trace_id(number: int) -> bytes:
    """A trace id."""
    return number.to_bytes(16)


def span_id(number: int) -> bytes:
    """A span id."""
    return number.to_bytes(8)


def span(
    number: int = 1,
    attributes: Mapping[str, object] | None = None,
    *,
    trace: int = 1,
    parent: int | None = None,
    started_at: datetime = NOW,
    duration_ms: float = 120.0,
    **fields: Any,
) -> Span:
    """One span; `fields` replace those of the message."""
    start = nanoseconds(started_at)
    given = {
        "trace_id": trace_id(trace),
        "span_id": span_id(number),
        "parent_span_id": b"" if parent is None else span_id(parent),
        "name": "work",
        "start_time_unix_nano": start,
        "end_time_unix_nano": start + round(duration_ms * 1e6),
        "attributes": pairs(attributes or {}),
    }
    return Span(**{**given, **fields})


def traces(
    *spans: Span, resource: Mapping[str, object] = RESOURCE, scope: Mapping[str, str] | None = None
) -> ExportTraceServiceRequest:
    """An export request of one resource and scope."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.extend(pairs(resource))
    group.scope_spans.add(scope=scope).spans.extend(spans)
    return request


def record(
    event_name: str = names.EVENT_FEEDBACK,
    attributes: Mapping[str, object] | None = None,
    *,
    occurred_at: datetime = NOW,
    **fields: Any,
) -> LogRecord:
    """One log record; `fields` replace those of the message."""
    time = nanoseconds(occurred_at)
    given = {
        "time_unix_nano": time,
        "observed_time_unix_nano": time,
        "event_name": event_name,
        "attributes": pairs(attributes or {}),
    }
    return LogRecord(**{**given, **fields})


def logs(*records: LogRecord, resource: Mapping[str, object] = RESOURCE) -> ExportLogsServiceRequest:
    """An export request of one resource."""
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.resource.attributes.extend(pairs(resource))
    group.scope_logs.add().log_records.extend(records)
    return request


def flattened(prefix: str, documents: Sequence[tuple[str, float]]) -> dict[str, object]:
    """Documents as OpenInference spells them, one attribute a value."""
    return {
        f"{prefix}.{rank}.{part}": value
        for rank, (document_id, score) in enumerate(documents)
        for part, value in ((names.DOCUMENT_ID, document_id), (names.DOCUMENT_SCORE, score))
    }


def documents_json(documents: Sequence[tuple[str, float | None]]) -> str:
    """Documents as one JSON attribute."""
    return json.dumps([{"id": document_id, "score": score} for document_id, score in documents])


def vector(dimension: int = 384, seed: int = 0) -> bytes:
    """A query vector as it travels: float32, little endian."""
    chance = random.Random(seed)
    return array("f", [chance.gauss(0, 1) for _ in range(dimension)]).tobytes()


def rag_trace(number: int, *, started_at: datetime = NOW) -> list[Span]:
    """A realistic answer: six spans, 20 documents, a 384-float vector, in both vocabularies."""
    chance = random.Random(number)
    found = [(f"module.function_{chance.randrange(3000)}", chance.random()) for _ in range(20)]
    first = number * 6 + 1
    belongs = {names.ANSWER_SPAN_ID: span_id(first).hex()}

    def stage(place: int, name: str, kind: str, values: Mapping[str, object]) -> Span:
        attributes = {names.STAGE: name, **belongs, **values, names.SPAN_KIND: kind}
        return span(first + place, attributes, trace=number + 1, parent=first, started_at=started_at, name=name)

    return [
        span(first, _answer_attributes(number, found), trace=number + 1, started_at=started_at, name="ask"),
        stage(1, "embed", "EMBEDDING", {names.REQUEST_MODEL: "mini", names.QUERY_VECTOR: vector(seed=number)}),
        stage(2, "retrieve", "RETRIEVER", _retriever_attributes(found)),
        stage(3, "rerank", "RERANKER", _reranker_attributes(found)),
        stage(4, "assemble", "CHAIN", {names.CONTEXT_TOKENS: 812, names.CONTEXT_TRUNCATED: False}),
        stage(5, "generate", "LLM", _generator_attributes(number)),
    ]


def _answer_attributes(number: int, found: Sequence[tuple[str, float]]) -> dict[str, object]:
    return {
        names.ANSWER_ID: f"answer-{number}",
        names.SESSION_ID: f"session-{number // 3}",
        names.CONVERSATION_ID: f"session-{number // 3}",
        names.INTENT: "how_to",
        f"{names.SLICE_PREFIX}team": "data",
        names.INPUT_VALUE: f"How do I parse dates in format {number} with the standard library?",
        names.OUTPUT_VALUE: "Use strptime with a format string. " * 8,
        names.CITATIONS: json.dumps([{"doc_id": found[0][0], "rank": 1}]),
        names.SPAN_KIND: "CHAIN",
    }


def _retriever_attributes(found: Sequence[tuple[str, float]]) -> dict[str, object]:
    predicate = {
        "op": "and",
        "args": [
            {"op": "eq", "field": "team", "value_hmac": "ab" * 32},
            {"op": "eq", "field": "kind", "value": "function"},
        ],
    }
    clauses = [
        {"path": "/args/0", "role": "entitlement", "origin": "caller"},
        {"path": "/args/1", "role": "relevance", "origin": "rule"},
    ]
    return {
        names.RETRIEVAL_QUERY_TEXT: "parse dates",
        names.RETRIEVAL_TOP_K: 20,
        names.FILTER_STATE: "known",
        names.FILTER_AST: json.dumps(predicate),
        names.FILTER_CLAUSES: json.dumps(clauses),
        names.SCORE_KIND: "similarity",
        **flattened(names.RETRIEVAL_DOCUMENTS, found),
        names.STAGE_OUTPUT_DOCUMENTS: documents_json(found),
        names.GENAI_RETRIEVAL_DOCUMENTS: documents_json(found),
    }


def _reranker_attributes(found: Sequence[tuple[str, float]]) -> dict[str, object]:
    return {
        names.RERANKER_MODEL_NAME: "cross",
        names.RERANKER_TOP_K: 5,
        **flattened(names.RERANKER_INPUT_DOCUMENTS, found),
        **flattened(names.RERANKER_OUTPUT_DOCUMENTS, found[:5]),
        names.STAGE_INPUT_DOCUMENTS: documents_json(found),
        names.STAGE_OUTPUT_DOCUMENTS: documents_json(found[:5]),
    }


def _generator_attributes(number: int) -> dict[str, object]:
    return {
        names.REQUEST_MODEL: "large",
        names.LLM_MODEL_NAME: "large",
        names.USAGE_INPUT_TOKENS: 900,
        names.LLM_TOKENS_PROMPT: 900,
        names.USAGE_OUTPUT_TOKENS: 120,
        names.LLM_TOKENS_COMPLETION: 120,
        names.STAGE_COST: 0.002,
        names.LLM_COST_TOTAL: 0.002,
        names.RESPONSE_ID: f"response-{number}",
    }


def unlinked_trace(number: int, *, started_at: datetime = NOW) -> list[Span]:
    """A realistic answer whose stages do not say to which answer they belong; the answer comes last."""
    answer, *stages = rag_trace(number, started_at=started_at)
    for stage in stages:
        kept = [pair for pair in stage.attributes if pair.key != names.ANSWER_SPAN_ID]
        assert len(kept) < len(stage.attributes)
        del stage.attributes[:]
        stage.attributes.extend(kept)
    return [*stages, answer]
