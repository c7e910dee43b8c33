"""Bodies that would be heavy as objects are recognised while they are bytes."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.samples.heavy import field, in_json, in_scope, in_span
from tests.samples.mutations import PROTOBUF, originals
from tests.samples.otlp import rag_trace, traces

from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.receiver.otlp_json import MAX_VALUES, from_json
from ragvigil_monitor.receiver.parts import MAX_ITEMS, MAX_PARTS, check_parts, has_more_parts

TRACES = ExportTraceServiceRequest
PADDING = field(2, field(5, b"x" * (1 << 20)))
"""A span that is long enough for the body to be counted."""


def parts_of(message: Any) -> int:
    """The messages and repeated texts inside a message, counted in its objects."""
    found = 0
    for kind, value in message.ListFields():
        each = list(value) if kind.is_repeated else [value]
        found += len(each) if kind.message_type or kind.is_repeated else 0
        found += sum(parts_of(one) for one in each) if kind.message_type else 0
    return found


@given(st.sampled_from([each for each in originals() if each.content_type == PROTOBUF]), st.integers(1, 3))
@settings(max_examples=30, derandomize=True)
def test_as_many_parts_are_counted_as_there_are(sent: Any, times: int) -> None:
    kind = TRACES if sent.path == "/v1/traces" else ExportLogsServiceRequest
    found = parts_of(kind.FromString(sent.body * times))
    assert has_more_parts(kind, sent.body * times, found - 1)
    assert not has_more_parts(kind, sent.body * times, found)


@pytest.mark.parametrize(
    ("limit", "what", "build"),
    [
        (MAX_ITEMS, "spans or log records", lambda number: in_scope(PADDING + field(2, b"") * (number - 3))),
        (MAX_PARTS, "attributes and values", lambda number: in_span(b"\x4a\x00" * (number - 3))),
        (MAX_PARTS, "attributes and values", lambda number: in_span(b"\xca\x80\x00\x00" * (number - 3))),
        (MAX_PARTS, "attributes and values", lambda number: in_span(b"\xfb\x01" + b"\x5a\x00" * (number - 3))),
    ],
    ids=["spans", "attributes", "long tags", "behind a group"],
)
def test_the_limit_is_taken_and_one_more_is_refused_with_what_to_do(limit: int, what: str, build: Any) -> None:
    check_parts(TRACES, build(limit))
    with pytest.raises(BadTelemetry, match=f"more than {limit:,} {what}; send smaller batches") as refused:
        check_parts(TRACES, build(limit + 1))
    assert refused.value.status == 413


def test_what_is_malformed_is_left_to_the_parser() -> None:
    whole = traces(*rag_trace(0)).SerializeToString() * 80
    for body in (whole[:-1], b"\xff" * (2 << 20), b"\x0a\xff\xff\xff\xff\x0f" + bytes(2 << 20)):
        check_parts(TRACES, body)


def test_a_long_body_of_ordinary_traces_is_taken() -> None:
    one = traces(*rag_trace(0)).SerializeToString()
    check_parts(TRACES, one * ((32 << 20) // len(one)))


@pytest.mark.parametrize(
    "body",
    [
        in_json(",".join(["{}"] * (MAX_VALUES + 1))),
        b'{"x":[' + b",".join([b"0"] * (MAX_VALUES + 2)) + b"]}",
        b"[" * (MAX_VALUES + 1),
        b'{"a":' * (MAX_VALUES + 1),
        b'"" ' * (2 * MAX_VALUES + 2) + b"," * (MAX_VALUES + 1),
    ],
    ids=["objects", "numbers", "deep lists", "deep objects", "texts"],
)
def test_json_of_too_many_values_is_refused(body: bytes) -> None:
    with pytest.raises(BadTelemetry, match=f"more than {MAX_VALUES:,} values; send smaller batches") as refused:
        from_json(TRACES, body)
    assert refused.value.status == 413


def test_json_of_too_many_spans_is_refused() -> None:
    with pytest.raises(BadTelemetry, match="spans or log records"):
        from_json(TRACES, in_json(",".join(["{}"] * (MAX_ITEMS + 1))))


def test_what_looks_like_values_inside_texts_is_no_reason_to_refuse_json() -> None:
    text = '{[,\\"' * MAX_VALUES
    message, _ = from_json(TRACES, in_json(f'{{"name":"{text}"}}'))
    assert len(message.resource_spans[0].scope_spans[0].spans[0].name) == 4 * MAX_VALUES


@pytest.mark.parametrize("body", [b'{"' + b'\\"{' * 3_000_000, b'"' * 6_000_001, b'{"a\\' * 3_000_000])
def test_texts_that_never_end_take_no_more_time_than_others(body: bytes) -> None:
    began = time.monotonic()
    with pytest.raises(BadTelemetry):
        from_json(TRACES, body)
    assert time.monotonic() - began < 30
