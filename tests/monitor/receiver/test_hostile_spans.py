"""Spans as nobody should send them: kept where possible, each flaw counted, never a crash."""

import itertools
import json
import math
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import NOW, nanoseconds, rag_trace, span, span_id, trace_id, traces

from ragvigil import attributes as names
from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.repair import repaired
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.store import Store

NOW_US = microseconds(NOW)


@pytest.mark.parametrize(
    "ids",
    [
        {"trace_id": b""},
        {"span_id": b""},
        {"trace_id": bytes(16)},
        {"span_id": bytes(8)},
        {"trace_id": trace_id(1)[1:]},
        {"span_id": span_id(1) + b"\x01"},
    ],
    ids=["no trace", "no span", "zero trace", "zero span", "short trace", "long span"],
)
def test_a_span_without_proper_ids_is_rejected_and_its_neighbour_kept(batch_of: Any, ids: dict[str, Any]) -> None:
    batch = batch_of(span(1, **ids), span(2))
    assert [row[1] for row in batch.spans] == [span_id(2)]
    assert batch.outcomes == {("shop", "rejected_bad_id"): 1}
    assert batch.rejected() == 1
    assert batch.remarks() == "rejected_bad_id: 1"


def test_a_parent_id_of_another_length_is_no_parent(columns_of: Any) -> None:
    assert columns_of(parent_span_id=b"\x01\x02")["parent_span_id"] is None


BEFORE, AFTER = nanoseconds(NOW - timedelta(minutes=1)), nanoseconds(NOW)


@pytest.mark.parametrize(
    ("start", "end", "started_at", "flaw"),
    [
        (AFTER, BEFORE, AFTER, "flawed_negative_duration"),
        (0, AFTER, AFTER, "flawed_bad_time"),
        (BEFORE, 0, BEFORE, "flawed_bad_time"),
        (0, 0, AFTER, "flawed_bad_time"),
        (2**64 - 1, 2**64 - 1, AFTER, "flawed_bad_time"),
        (BEFORE, 2**64 - 1, BEFORE, "flawed_bad_time"),
        (nanoseconds(NOW + timedelta(hours=2)), nanoseconds(NOW + timedelta(hours=2)), AFTER, "flawed_bad_time"),
        (BEFORE // 1000, AFTER // 1000, AFTER, "flawed_bad_time"),
    ],
    ids=["end first", "no start", "no end", "none", "largest", "end never", "two hours ahead", "microseconds"],
)
def test_impossible_times_are_counted_and_leave_the_duration_unknown(
    columns_of: Any, flaws_of: Any, start: int, end: int, started_at: int, flaw: str
) -> None:
    fields = {"start_time_unix_nano": start, "end_time_unix_nano": end}
    assert columns_of(**fields)["started_at"] == started_at // 1000
    assert columns_of(**fields)["duration_ms"] is None
    assert flaws_of(**fields) == {flaw}


def test_a_clock_that_is_a_little_ahead_is_believed(flaws_of: Any) -> None:
    assert flaws_of(started_at=NOW + timedelta(minutes=59)) == set()


@pytest.mark.parametrize(
    ("attribute", "value", "column"),
    [
        (names.STAGE_COST, math.nan, "cost_usd"),
        (names.STAGE_COST, math.inf, "cost_usd"),
        (names.STAGE_COST, -0.01, "cost_usd"),
        (names.STAGE_COST, "0.01", "cost_usd"),
        (names.STAGE_COST, True, "cost_usd"),
        (names.LLM_COST_TOTAL, math.nan, "cost_usd"),
        (names.USAGE_INPUT_TOKENS, -1, "input_tokens"),
        (names.USAGE_INPUT_TOKENS, 1.5, "input_tokens"),
        (names.USAGE_INPUT_TOKENS, "900", "input_tokens"),
        (names.USAGE_OUTPUT_TOKENS, [1], "output_tokens"),
        (names.RETRIEVAL_TOP_K, 2**31, "top_k"),
        (names.TIME_TO_FIRST_CHUNK, -1.0, "time_to_first_token_ms"),
        (names.REQUEST_MODEL, 7, "model"),
        (names.SPAN_KIND, {"a": 1}, "kind"),
        (names.CACHE_ANSWER_HIT, "yes", "answer_cache_hit"),
        (names.FILTER_AST, '{"op": "and", "args": [{"op"', "filter_ast"),
        (names.FILTER_CLAUSES, '[{"path": "/args/0", "ro', "filter_clauses"),
        (names.FILTER_AST, 3, "filter_ast"),
    ],
    ids=str,
)
def test_a_value_that_its_column_does_not_take_is_unknown_counted_and_kept(
    columns_of: Any, flaws_of: Any, attribute: str, value: object, column: str
) -> None:
    assert columns_of({attribute: value})[column] is None
    assert attribute in columns_of({attribute: value})["attributes"]
    assert flaws_of({attribute: value}) == {f"flawed_bad_{column}"}


@pytest.mark.parametrize("value", [["a"], {"a": 1}, b"a", None, AnyValue()], ids=repr)
@pytest.mark.parametrize(
    "attribute",
    [names.OPERATION_NAME, names.ANSWER_ID, names.ANSWER_SPAN_ID, names.GENAI_RETRIEVAL_DOCUMENTS, names.FILTER_STATE],
)
def test_any_type_where_a_text_belongs_is_survived(columns_of: Any, attribute: str, value: object) -> None:
    assert attribute in columns_of({attribute: value, names.SPAN_KIND: "RETRIEVER"})["attributes"]


def test_an_unheard_of_filter_state_is_unknown(columns_of: Any, flaws_of: Any) -> None:
    attributes = {names.SPAN_KIND: "RETRIEVER", names.FILTER_STATE: "open"}
    assert columns_of(attributes)["filter_state"] == "unknown"
    assert columns_of(attributes)["attributes"][names.FILTER_STATE] == "open"
    assert flaws_of(attributes) == {"flawed_bad_filter_state"}


def test_a_flaw_counts_the_span_once(batch_of: Any) -> None:
    batch = batch_of(span(1, {names.STAGE_COST: -1.0, names.LLM_COST_TOTAL: -1.0}))
    assert batch.outcomes == {("shop", "flawed_bad_cost_usd"): 1}


def test_a_hundred_thousand_attributes_are_kept(columns_of: Any) -> None:
    many: dict[str, object] = {f"key.{number}": number for number in range(100_000)}
    assert columns_of(many, parent=9)["attributes"] == many


def test_deep_values_are_kept_as_far_as_protobuf_allows(columns_of: Any) -> None:
    deep: object = "bottom"
    for _ in range(40):
        deep = [deep]
    assert columns_of({"deep": deep}, parent=9)["attributes"] == {"deep": deep}


def test_a_body_that_nests_deeper_than_protobuf_allows_is_refused() -> None:
    value = AnyValue(string_value="bottom").SerializeToString()
    for _ in range(200):
        value = length_delimited(5, length_delimited(1, value))
    pair = length_delimited(1, b"deep") + length_delimited(2, value)
    bare = span(1).SerializeToString() + length_delimited(9, pair)
    body = length_delimited(1, length_delimited(2, length_delimited(2, bare)))
    with pytest.raises(BadTelemetry, match="ExportTraceServiceRequest"):
        decode_traces(body, NOW_US)


def length_delimited(field: int, content: bytes) -> bytes:
    """One field of wire type 2."""
    length, size = bytearray(), len(content)
    while size > 127:
        length.append(size % 128 + 128)
        size //= 128
    return bytes([field * 8 + 2, *length, size]) + content


@pytest.mark.parametrize("body", [b"\xff", b"not protobuf", b"\x0a\xff\xff\xff\xff\x0f", b"\x00" * 50], ids=repr)
def test_a_body_that_is_no_protobuf_is_refused(body: bytes) -> None:
    with pytest.raises(BadTelemetry, match="not an ExportTraceServiceRequest"):
        decode_traces(body, NOW_US)
    with pytest.raises(BadTelemetry, match="not an ExportLogsServiceRequest"):
        decode_logs(body, NOW_US)


@pytest.mark.parametrize("wrong", [b"\xed\xa0\x80", b"\xff", b"\xc3"], ids=["lone surrogate", "byte", "cut off"])
def test_text_that_is_not_utf8_is_replaced_and_counted(wrong: bytes) -> None:
    sent = [span(1, {"MARK": "a MARK b", "deep": [{"x": "MARK"}]}, name="MARK", parent=9), span(2, {"other": "ä"})]
    body = traces(*sent).SerializeToString()
    broken = body.replace(b"MARK", wrong.ljust(4, b"."))
    batch = decode_traces(broken, NOW_US)
    first, second = (dict(zip(tables.SPANS.names, row, strict=True)) for row in batch.spans)
    text = wrong.ljust(4, b".").decode("utf-8", "replace")
    assert first["name"] == text
    assert json.loads(first["attributes"]) == {text: f"a {text} b", "deep": [{"x": text}]}
    assert json.loads(second["attributes"])["other"] == "ä"
    assert batch.outcomes == {("shop", "flawed_text_not_utf8"): 4}


@given(st.binary(max_size=60))
def test_any_bytes_are_decoded_or_refused(body: bytes) -> None:
    with suppress(BadTelemetry):
        decode_traces(body, NOW_US)
    with suppress(BadTelemetry):
        decode_logs(body, NOW_US)


def test_a_message_without_flaws_needs_no_repair() -> None:
    assert repaired(ExportTraceServiceRequest, WHOLE) is None


def test_nul_bytes_arrive_in_the_store_as_they_were_sent(memory_store: Store, batch_of: Any) -> None:
    batch = batch_of(span(1, {"a\0b": "c\0d", names.STAGE: "s\0t", names.FILTER_AST: '{"v": "x\\u0000"}'}, name="n\0"))
    stored = store_and_fetch(memory_store, batch)
    assert (stored["name"], stored["stage"]) == ("n\0", "s\0t")
    assert json.loads(stored["attributes"])["a\0b"] == "c\0d"


def store_and_fetch(store: Store, batch: Batch, trace: int = 1) -> dict[str, Any]:
    with store.transaction() as writer:
        write(writer, batch, NOW)
    around = {"start": NOW - timedelta(days=20_000), "end": NOW + timedelta(days=1)}
    return store.rows("spans_of_trace", trace_id=trace_id(trace), limit=1, **around)[0]


def stored_spans(store: Store, batch: Batch, trace: int) -> list[bytes]:
    """What is in the store, probes too, which no page shows."""
    keys = pa.table({"trace_id": [trace_id(trace)], "span_id": [span_id(1)]})
    around = {"earliest": NOW - timedelta(days=20_000), "latest": NOW + timedelta(days=1)}
    with store.transaction() as writer:
        write(writer, batch, NOW)
        return [row["span_id"] for row in writer.execute_with("known_spans", keys, **around)]


scalars = st.one_of(
    st.text(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.booleans(), st.binary(max_size=40), st.none()
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
known_names = sorted(value for name, value in vars(names).items() if name.isupper() and isinstance(value, str))
keys = (
    st.sampled_from(known_names)
    | st.text()
    | st.sampled_from(
        [
            f"{prefix}.0.{part}"
            for prefix in (names.RETRIEVAL_DOCUMENTS, names.RERANKER_INPUT_DOCUMENTS)
            for part in (names.DOCUMENT_ID, names.DOCUMENT_SCORE)
        ]
    )
)
json_like = st.text(alphabet='[]{}":,idscore0123456789.eE+-\\u \x00', max_size=40)


@settings(max_examples=150, deadline=None)
@example(attributes={names.PROBE_ID: "1"}, start=0, end=0, resource={})
@given(
    attributes=st.dictionaries(keys, values | json_like, max_size=8),
    start=st.integers(0, 2**64 - 1),
    end=st.integers(0, 2**64 - 1),
    resource=st.dictionaries(keys, values, max_size=3),
)
def test_whatever_attributes_hold_the_span_reaches_the_store(
    attributes: dict[str, object], start: int, end: int, resource: dict[str, object]
) -> None:
    trace = next(TRACES)
    sent = span(1, attributes, trace=trace, start_time_unix_nano=start, end_time_unix_nano=end)
    batch = decode_traces(traces(sent, resource=resource).SerializeToString(), NOW_US)
    assert stored_spans(SHARED, batch, trace) == [span_id(1)]


TRACES = itertools.count(1)
SHARED = fresh_store()
WHOLE = traces(*rag_trace(0)).SerializeToString()


@settings(max_examples=300, deadline=None)
@given(
    position=st.integers(0, len(WHOLE) - 1), replacement=st.binary(min_size=0, max_size=6), removed=st.integers(0, 12)
)
def test_a_mutated_body_is_refused_or_stored(position: int, replacement: bytes, removed: int) -> None:
    body = WHOLE[:position] + replacement + WHOLE[position + removed :]
    try:
        batch = decode_traces(body, NOW_US)
    except BadTelemetry:
        return
    with SHARED.transaction() as writer:
        write(writer, batch, NOW)
