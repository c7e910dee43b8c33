"""OTLP/JSON: read like protobuf, but for ids in hexadecimal."""

import base64
import json
import re
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.samples.otlp import NOW, logs, rag_trace, record, span, span_id, trace_id, traces

from ragvigil import attributes as names
from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.bodies import JSON
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.parts import MAX_ITEMS
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.telemetry_tables import SPANS

NOW_US = microseconds(NOW)
TRACE_ID, SPAN_ID = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"


def as_otlp_json(message: Message) -> bytes:
    """What a sender of OTLP/JSON writes: protobuf's JSON with ids in hexadecimal."""
    return json.dumps(_hexadecimal(MessageToDict(message))).encode()


def _hexadecimal(value: Any) -> Any:
    if isinstance(value, list):
        return [_hexadecimal(each) for each in value]
    if not isinstance(value, dict):
        return value
    ids = {"traceId", "spanId", "parentSpanId"}
    return {name: base64.b64decode(each).hex() if name in ids else _hexadecimal(each) for name, each in value.items()}


def read(*spans: dict[str, Any]) -> Batch:
    """The batch of spans in JSON, with the ids that the specification gives as an example."""
    ids = {"traceId": TRACE_ID, "spanId": SPAN_ID, "startTimeUnixNano": str(NOW_US * 1000)}
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [{**ids, **each} for each in spans]}]}]}
    return decode_traces(json.dumps(document).encode(), NOW_US, content_type=JSON)


def column(batch: Batch, name: str) -> list[object]:
    """One column of the spans."""
    return [row[SPANS.names.index(name)] for row in batch.spans]


def assert_same(one: Batch, other: Batch) -> None:
    """Two batches that would store the same."""
    assert one.spans == other.spans
    assert one.answers == other.answers
    assert one.query_vectors == other.query_vectors
    assert one.log_events == other.log_events
    assert one.outcomes == other.outcomes


def test_spans_are_read_as_from_protobuf() -> None:
    link = Span.Link(trace_id=trace_id(9), span_id=span_id(8))
    values = {"a": [1, "x", None], "b": {"c": 2.5}, "n": float("nan"), "big": 2**62, "raw": b"\xff\x00", "yes": True}
    request = traces(*rag_trace(0), *rag_trace(1), span(7, values, links=[link]))
    from_json = decode_traces(as_otlp_json(request), NOW_US, content_type=JSON)
    assert len(from_json.spans) == 13
    assert len(from_json.query_vectors) == 2
    assert_same(from_json, decode_traces(request.SerializeToString(), NOW_US))


def test_log_records_are_read_as_from_protobuf() -> None:
    said = {names.FEEDBACK_ID: "f-1", names.FEEDBACK_KIND: "thumbs_up"}
    request = logs(record(attributes=said, trace_id=trace_id(3), span_id=span_id(4)), record("something.else"))
    from_json = decode_logs(as_otlp_json(request), NOW_US, content_type=JSON)
    assert len(from_json.log_events) == 2
    assert_same(from_json, decode_logs(request.SerializeToString(), NOW_US))


def in_snake_case(value: Any) -> Any:
    if isinstance(value, list):
        return [in_snake_case(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name): in_snake_case(value[name]) for name in value}


@pytest.mark.parametrize("request_", [traces(*rag_trace(1)), logs(record())], ids=["traces", "logs"])
def test_names_as_the_definition_has_them_are_read_alike(request_: Message) -> None:
    decode = decode_traces if isinstance(request_, ExportTraceServiceRequest) else decode_logs
    usual = as_otlp_json(request_)
    other = json.dumps(in_snake_case(json.loads(usual))).encode()
    assert b"_unix_nano" in other
    assert_same(decode(other, NOW_US, content_type=JSON), decode(usual, NOW_US, content_type=JSON))


def test_spans_in_the_other_spelling_are_bounded_too() -> None:
    body = json.dumps({"resource_spans": [{"scope_spans": [{"spans": [{}] * (MAX_ITEMS + 1)}]}]}).encode()
    with pytest.raises(BadTelemetry) as refused:
        decode_traces(body, NOW_US, content_type=JSON)
    assert refused.value.status == 413


@pytest.mark.parametrize("identity", [TRACE_ID, TRACE_ID.upper()], ids=["lower", "upper"])
def test_ids_are_hexadecimal(identity: str) -> None:
    batch = read({"traceId": identity, "parentSpanId": SPAN_ID[::-1], "links": [{"traceId": TRACE_ID}]})
    assert column(batch, "trace_id") == [bytes.fromhex(TRACE_ID)]
    assert column(batch, "parent_span_id") == [bytes.fromhex(SPAN_ID[::-1])]
    assert TRACE_ID in str(column(batch, "attributes"))


def test_whole_numbers_may_be_numbers_or_texts_and_enumerations_numbers() -> None:
    values = [{"key": f"n{place}", "value": {"intValue": number}} for place, number in enumerate(["7", 7])]
    batch = read({"startTimeUnixNano": NOW_US * 1000, "attributes": values, "status": {"code": 2}})
    assert column(batch, "attributes") == ['{"n0":7,"n1":7}']
    assert column(batch, "status") == ["error"]


def test_unknown_members_are_ignored() -> None:
    assert len(read({"invented": {"traceId": 5}}).spans) == 1


@pytest.mark.parametrize(
    "body", [b'{"resourceLogs":[]}', b'{"resourceSpan":[{}]}', b'{"spans":[1]}'], ids=["logs", "misspelt", "bare"]
)
def test_a_request_of_which_nothing_would_be_left_is_refused(body: bytes) -> None:
    (name,) = json.loads(body)
    with pytest.raises(BadTelemetry, match=f"it has no resourceSpans, only '{name}'"):
        decode_traces(body, NOW_US, content_type=JSON)


def test_an_empty_request_is_one() -> None:
    assert decode_traces(b"{}", NOW_US, content_type=JSON).rows() == 0


@pytest.mark.parametrize("identity", ["", "zz", "5b8efff7", 7, None, "é" * 32, {"x": 1}], ids=repr)
def test_a_span_without_a_proper_id_is_rejected_and_the_others_kept(identity: object) -> None:
    batch = read({"traceId": identity}, {})
    assert len(batch.spans) == 1
    assert batch.rejected() == 1


def test_half_a_surrogate_pair_is_replaced_and_counted() -> None:
    cut_off = {"key": "q", "value": {"stringValue": "Was kostet 🧾"[:-1] + "\ud83e"}}
    batch = read({"attributes": [cut_off]})
    assert column(batch, "attributes") == ['{"q":"Was kostet \ufffd"}']
    assert "flawed_text_not_utf8: 1" in batch.remarks()


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'"text"',
        b"{",
        b"\xff\xfe{}",
        b'{"resourceSpans": 7}',
        b'{"resourceSpans": [7]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": 7}]}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"startTimeUnixNano": "soon"}]}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"startTimeUnixNano": -1}]}]}]}',
        b'{"resourceSpans": [{"resource": {"droppedAttributesCount": NaN}}]}',
        b"[" * 100_000,
        b'{"resourceSpans":' * 2000 + b"1" + b"}" * 2000,
        ExportTraceServiceRequest().SerializeToString() + traces(span()).SerializeToString(),
    ],
    ids=lambda body: repr(body[:50]),
)
def test_what_is_no_request_is_refused_with_the_reason(body: bytes) -> None:
    with pytest.raises(BadTelemetry, match="in OTLP/JSON: "):
        decode_traces(body, NOW_US, content_type=JSON)


@pytest.mark.parametrize("body", [b"", b"{}", b'{"resourceSpans": []}', b'{"resourceSpans": null}'], ids=repr)
def test_an_empty_request_is_none(body: bytes) -> None:
    assert decode_traces(body, NOW_US, content_type=JSON).rows() == 0


def test_values_nested_too_deeply_are_refused() -> None:
    deep: dict[str, Any] = {"stringValue": "here"}
    for _ in range(200):
        deep = {"arrayValue": {"values": [deep]}}
    with pytest.raises(BadTelemetry, match="in OTLP/JSON: "):
        read({"attributes": [{"key": "deep", "value": deep}]})
