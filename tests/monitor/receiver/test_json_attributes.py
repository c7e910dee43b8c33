"""The fast way makes the same messages of attributes as protobuf's own, and fails where that does."""

import copy
import json
from contextlib import suppress
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.samples.otlp import logs, rag_trace, record, span, traces

from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.receiver.json_attributes import parsed
from ragvigil_monitor.receiver.otlp_json import from_json

FINE: Any = [{"key": "a", "value": {"stringValue": "b"}}]


def by_protobuf(document: Any, kind: type) -> Any:
    try:
        return ParseDict(document, kind(), ignore_unknown_fields=True)
    except (ParseError, ValueError, TypeError, AttributeError):
        return "fails"


def by_us(document: Any, kind: type) -> Any:
    try:
        return parsed(document, kind())
    except ParseError:
        return "fails"


def assert_the_same(document: Any, kind: type = ExportTraceServiceRequest) -> None:
    expected = by_protobuf(copy.deepcopy(document), kind)
    assert by_us(document, kind) == expected


def one_span(attributes: Any, **more: Any) -> Any:
    spans = [{"name": "first", "attributes": FINE}, {"name": "second", "attributes": attributes, **more}]
    return {"resourceSpans": [{"resource": {"attributes": FINE}, "scopeSpans": [{"spans": spans}]}]}


def test_realistic_requests() -> None:
    request = traces(*rag_trace(1), *rag_trace(2), span(1, {"l": [1, "x"], "d": {"a": None}, "b": b"\x00"}))
    assert_the_same(MessageToDict(request))
    assert by_us(MessageToDict(request), ExportTraceServiceRequest) == request
    several = logs(record("a", {"n": 1}), record("b", {"x": 0.5, "y": True}))
    assert by_us(MessageToDict(several), ExportLogsServiceRequest) == several


@pytest.mark.parametrize(
    "attributes",
    [
        None, {}, "text", 5, [None], [5], [True], [{}], [{"key": "a"}],
        [{"key": 5, "value": {"stringValue": "x"}}],
        [{"key": "a", "value": None}], [{"key": "a", "value": {}}], [{"key": "a", "value": {"stringValue": 5}}],
        [{"key": "a", "value": {"intValue": 5}}], [{"key": "a", "value": {"intValue": "5.0"}}],
        [{"key": "a", "value": {"intValue": "9223372036854775808"}}], [{"key": "a", "value": {"intValue": "-5"}}],
        [{"key": "a", "value": {"intValue": "--5"}}], [{"key": "a", "value": {"intValue": "-"}}],
        [{"key": "a", "value": {"intValue": "٣"}}], [{"key": "a", "value": {"intValue": True}}],
        [{"key": "a", "value": {"doubleValue": "NaN"}}], [{"key": "a", "value": {"doubleValue": 5}}],
        [{"key": "a", "value": {"boolValue": "true"}}], [{"key": "a", "value": {"string_value": "x"}}],
        [{"key": "a", "value": {"stringValue": "x", "intValue": "5"}}], [{"key": "a", "value": {"odd": 1}}],
        [{"key": "a", "value": {"stringValue": "x"}, "more": 1}], [{"key": "a", "value": {"bytesValue": "AAE="}}],
        [{"key": "a", "value": {"arrayValue": {"values": [{"intValue": "1"}]}}}],
    ],
    ids=json.dumps,
)  # fmt: skip
def test_odd_attributes(attributes: Any) -> None:
    assert_the_same(one_span(attributes))


@pytest.mark.parametrize(
    "document",
    [
        {"resource_spans": one_span(FINE)["resourceSpans"]},
        {"resourceSpans": [{"scope_spans": [{"spans": [{"attributes": FINE}]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": FINE}, 5]}]}]},
        {"resourceSpans": [None]},
        {"resourceSpans": {"scopeSpans": []}},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"attributes": FINE}]}]}]},
        {"resourceSpans": [{"scope_spans": [{"spans": [{}]}]}], "resourceLogs": [{"scopeLogs": [{"logRecords": [
            {"attributes": FINE}]}]}]},
        {},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_odd_requests(document: Any) -> None:
    assert_the_same(document)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
    | st.integers(-(2**65), 2**65).map(str),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(
        st.sampled_from(["stringValue", "intValue", "doubleValue", "boolValue", "arrayValue", "values", "key"]),
        inner, max_size=2),
    max_leaves=6,
)  # fmt: skip


@given(VALUES)
def test_whatever_comes_as_a_value(value: Any) -> None:
    assert_the_same(one_span([{"key": "a", "value": value}]))


@pytest.mark.parametrize("attributes", [["x"], ["key"], [[]], [FINE[0], "x"], [[FINE[0]]]], ids=json.dumps)
def test_texts_and_lists_are_no_attributes(attributes: Any) -> None:
    assert by_us(one_span(attributes), ExportTraceServiceRequest) == "fails"


CONFUSED: st.SearchStrategy[Any] = st.sampled_from([None, True, 5, -1, 0.5, [None], [5], {}, {"a": 1}, [{}], 2**70])
REALISTIC = {
    ExportTraceServiceRequest: MessageToDict(traces(*rag_trace(1), span(1, {"l": [1, "x"], "d": {"a": None}}))),
    ExportLogsServiceRequest: MessageToDict(logs(record("a", {"n": 1, "l": [True, 0.5]}))),
}


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every container with every key or index of it."""
    keys = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
    return [(node, key) for key in keys] + [place for key in keys for place in places(node[key])]


@pytest.mark.parametrize("kind", REALISTIC, ids=["traces", "logs"])
@given(st.data())
def test_another_type_anywhere(kind: type, data: st.DataObject) -> None:
    document = copy.deepcopy(REALISTIC[kind])
    for _ in range(data.draw(st.integers(1, 2))):
        container, key = data.draw(st.sampled_from(places(document)), "place")
        container[key] = copy.deepcopy(data.draw(CONFUSED, "instead"))
    assert_the_same(document, kind)
    with suppress(BadTelemetry):
        from_json(kind, json.dumps(document).encode())
