"""Received, stored, exported, received again: the tables are the same."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.samples.filled_stores import dump
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import (
    NOW,
    RESOURCE,
    any_value,
    documents_json,
    flattened,
    logs,
    pairs,
    rag_trace,
    record,
    span,
    span_id,
    trace_id,
    traces,
    vector,
)

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import ANSWER_QUESTION, ANSWER_TEXT
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.bodies import JSON
from ragvigil_monitor.receiver.columns import FIRST_CHOICE, SECOND_CHOICE
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.files.found import Found, Signal
from ragvigil_monitor.receiver.files.lines import lines
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.transfer.otlp_lines import LINE_BYTES, log_lines, trace_lines

TABLES = ("spans", "answers", "query_vectors", "log_events", "process_counts")
START, END = NOW - timedelta(days=400), NOW + timedelta(days=2)
NOW_US = microseconds(NOW)


@pytest.fixture(scope="module")
def stores() -> Iterator[tuple[Store, Store]]:
    pair = fresh_store(), fresh_store()
    yield pair
    for store in pair:
        store.close()


def put(store: Store, batch: Batch) -> None:
    with store.transaction() as writer:
        write(writer, batch, NOW)


def emptied(store: Store) -> Store:
    with store.transaction() as writer:
        for name in TABLES:
            writer.run(f"DELETE FROM {name}")  # noqa: S608
    return store


def exported(store: Store, start: datetime = START, end: datetime = END) -> list[bytes]:
    return [*trace_lines(store, start, end), *log_lines(store, start, end)]


def receive(store: Store, body: bytes) -> None:
    for found in lines(BytesIO(body), 0, 1 << 25, is_whole=True):
        assert isinstance(found, Found)
        decode = decode_traces if found.signal is Signal.TRACES else decode_logs
        put(store, decode(found.body, NOW_US + 5_000_000, content_type=JSON))


def assert_comes_back(stores: tuple[Store, Store], *batches: Batch) -> None:
    first, second = (emptied(store) for store in stores)
    for batch in batches:
        put(first, batch)
    receive(second, b"".join(exported(first)))
    for name in TABLES:
        assert comparable(second, name) == comparable(first, name), name


def comparable(store: Store, name: str) -> list[dict[str, Any]]:
    """The rows of a table; attributes have no order."""
    rows = dump(store, BY_NAME[name])
    return [
        {**row, "attributes": json.loads(row["attributes"] or "null")} if "attributes" in row else row for row in rows
    ]


def read(*spans: Span, resource: Mapping[str, object] = RESOURCE) -> Batch:
    return decode_traces(traces(*spans, resource=resource).SerializeToString(), NOW_US)


def read_records(*records: Any, resource: Mapping[str, object] = RESOURCE) -> Batch:
    return decode_logs(logs(*records, resource=resource).SerializeToString(), NOW_US)


def test_realistic_answers_come_back(stores: tuple[Store, Store]) -> None:
    assert_comes_back(stores, *(read(*rag_trace(number)) for number in range(50)))


def test_log_records_feedback_and_counters_come_back(stores: tuple[Store, Store]) -> None:
    counters = {name: place for place, name in enumerate((names.SPANS_STARTED, names.SPANS_EXPORTED))}
    assert_comes_back(
        stores,
        read_records(
            record("", {"event.name": "custom", "n": 1}, body=any_value({"a": [1, None, "x"]}), severity_text="WARN"),
            record("plain", body=any_value("text"), trace_id=trace_id(7), span_id=span_id(8), severity_number=9),
            record(attributes={names.FEEDBACK_ID: "f-1", names.FEEDBACK_KIND: "thumbs_down"}),
            record(names.EVENT_PROCESS_COUNTS, counters),
            record("", observed_time_unix_nano=0),
            resource=RESOURCE,
        ),
    )


def test_large_items_are_spread_over_lines_that_a_receiver_takes(stores: tuple[Store, Store]) -> None:
    sizes = [250_000] * 30 + [10] * 300 + [LINE_BYTES + 1000, 10]
    spans = [span(number, {"input.value": "q" * size}) for number, size in enumerate(sizes)]
    assert_comes_back(stores, read(*spans), read_records(*(record("a", {"text": "x" * 800_000}) for _ in range(9))))
    made = exported(stores[0])
    too_long = [line for line in made if len(line) > LINE_BYTES + 1000]
    assert len(too_long) == 1
    assert len(made) < 10


def test_a_status_that_otlp_does_not_know_is_exported_as_unset(stores: tuple[Store, Store]) -> None:
    store = emptied(stores[0])
    put(store, read(span(1)))
    with store.transaction() as writer:
        writer.run("UPDATE spans SET status = 'weird'")
    (line,) = exported(store)
    assert json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["status"]["code"] == 0


def test_an_export_into_the_same_store_adds_nothing(stores: tuple[Store, Store]) -> None:
    store = emptied(stores[0])
    put(store, read(*rag_trace(1)))
    put(store, read_records(record("plain", body=any_value("text"), severity_number=9), record("other")))
    before = {name: dump(store, BY_NAME[name]) for name in TABLES}
    receive(store, b"".join(exported(store)))
    assert {name: dump(store, BY_NAME[name]) for name in TABLES} == before


@pytest.mark.parametrize(
    "attributes",
    [
        {names.USAGE_INPUT_TOKENS: "many", names.LLM_TOKENS_PROMPT: 5},
        {names.USAGE_INPUT_TOKENS: 5, names.LLM_TOKENS_PROMPT: 6},
        {names.REQUEST_MODEL: 1, names.EMBEDDING_MODEL_NAME: 2, names.LLM_MODEL_NAME: "m", names.RESPONSE_MODEL: "n"},
        {names.ANSWER_ID: "a", names.SESSION_ID: 1, names.CONVERSATION_ID: "s"},
        {names.ANSWER_ID: "a", names.SESSION_ID: "s", names.CONVERSATION_ID: "t"},
        {names.ANSWER_ID: "a", f"{names.SLICE_PREFIX}x": 1, names.SAMPLING_PROBABILITY: 7.0},
        {names.ANSWER_ID: "a", f"{names.SLICE_PREFIX}x": "y", names.SAMPLING_PROBABILITY: 0.25, names.INPUT_VALUE: 3},
        {names.SPAN_KIND: "RETRIEVER", names.FILTER_STATE: "odd", names.INPUT_VALUE: "q"},
        {names.SPAN_KIND: "RETRIEVER", names.FILTER_AST: "{cut", names.FILTER_CLAUSES: [{"path": ""}]},
        {names.OPERATION_NAME: "retrieval", names.RETRIEVAL_QUERY_TEXT: "q", names.INPUT_VALUE: "other"},
        {names.STAGE_OUTPUT_DOCUMENTS: "[{cut", names.GENAI_RETRIEVAL_DOCUMENTS: documents_json([("a", 0.5)])},
        {names.STAGE_OUTPUT_DOCUMENTS: '[{"id": "a", "score": 1, "title": "t"}]'},
        {names.STAGE_OUTPUT_DOCUMENTS: "[]"},
        {names.GENAI_RETRIEVAL_DOCUMENTS: '[{"id": 5}]', **flattened(names.RETRIEVAL_DOCUMENTS, [("a", 0.5)])},
        {names.STAGE_OUTPUT_DOCUMENTS: "[1]", **flattened(names.RETRIEVAL_DOCUMENTS, [("a", 0.5), ("b", 2)])},
        {
            **flattened(names.RERANKER_OUTPUT_DOCUMENTS, [("a", 0.5), ("b", 0.25)]),
            f"{names.RERANKER_OUTPUT_DOCUMENTS}.7.document.score": 0.125,
            f"{names.RERANKER_OUTPUT_DOCUMENTS}.x.document.id": "odd",
        },
        {"otel.events": "no list", "otel.links": [1]},
        {"otel.events": [{"name": "e", "time_unix_nano": 5, "a": 1}]},
        {"nothing": None, "empty": [], "none": {}, "deep": {"a": [{"b": 1.5}]}, "big": 2**63 - 1, "": "no name"},
        {"infinite": float("inf"), "no number": float("nan"), "whole": 3.0, "huge": 1e308},
        {names.TIME_TO_FIRST_CHUNK: 0.1234567},
    ],
    ids=lambda attributes: ",".join(attributes)[:60],
)
def test_what_did_not_fit_a_column_comes_back(stores: tuple[Store, Store], attributes: dict[str, object]) -> None:
    assert_comes_back(stores, read(span(1, attributes)))


@pytest.mark.parametrize(
    "fields",
    [
        {"status": Status(code=Status.STATUS_CODE_ERROR, message="boom")},
        {"status": Status(code=Status.STATUS_CODE_OK)},
        {"dropped_attributes_count": 3},
        {"start_time_unix_nano": 0},
        {"end_time_unix_nano": 0},
        {"end_time_unix_nano": 10**18},
        {"start_time_unix_nano": NOW_US * 1000 + 789, "end_time_unix_nano": NOW_US * 1000 + 123_456_789},
        {"parent_span_id": b"short"},
        {"events": [Span.Event(name="e", time_unix_nano=7, attributes=pairs({"a": 1, "name": "inner"}))]},
        {"events": [Span.Event(name="e", attributes=pairs({"time_unix_nano": "text"}))]},
        {"links": [Span.Link(trace_id=trace_id(3), span_id=span_id(4), attributes=pairs({"a": True}))]},
        {"links": [Span.Link()]},
    ],
    ids=lambda fields: ",".join(fields),
)
def test_fields_come_back(stores: tuple[Store, Store], fields: dict[str, Any]) -> None:
    assert_comes_back(stores, read(span(1, {"a": "b"}, **fields)))


@pytest.mark.parametrize("resource", [{}, {names.SERVICE_NAME: "s", "host.name": "h", "k": [1]}], ids=["none", "more"])
def test_senders_come_back(stores: tuple[Store, Store], resource: dict[str, object]) -> None:
    batches = [read(span(1), span(2, parent=1), resource=resource), read_records(record("x"), resource=resource)]
    assert_comes_back(stores, *batches)


@pytest.mark.parametrize("dimension", [1, 8, 384, 1536])
def test_vectors_come_back_bit_by_bit(stores: tuple[Store, Store], dimension: int) -> None:
    spans = [span(n + 1, {names.QUERY_VECTOR: vector(dimension, seed=n)}, trace=n + 1) for n in range(200)]
    assert_comes_back(stores, read(*spans))


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        ["[]", "{}", '[{"id": "a", "score": 0.5}]', '{"op": "and", "args": []}', "known", "RETRIEVER", "1"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(
    [
        *FIRST_CHOICE,
        *SECOND_CHOICE,
        names.ANSWER_ID,
        names.SESSION_ID,
        names.CONVERSATION_ID,
        names.USER_ID,
        names.ENDUSER_PSEUDO_ID,
        names.INTENT,
        names.INPUT_VALUE,
        names.OUTPUT_VALUE,
        ANSWER_QUESTION,
        ANSWER_TEXT,
        names.CITATIONS,
        names.REFUSAL,
        names.CONFIDENCE,
        names.SAMPLING_PROBABILITY,
        f"{names.SLICE_PREFIX}a",
        names.OPERATION_NAME,
        names.STAGE_INPUT_DOCUMENTS,
        names.STAGE_OUTPUT_DOCUMENTS,
        names.GENAI_RETRIEVAL_DOCUMENTS,
        *(
            f"{prefix}.{rank}.{part}"
            for prefix in (names.RETRIEVAL_DOCUMENTS, names.RERANKER_INPUT_DOCUMENTS, names.RERANKER_OUTPUT_DOCUMENTS)
            for rank in (0, 1, 3)
            for part in (names.DOCUMENT_ID, names.DOCUMENT_SCORE)
        ),
        "otel.events",
        "otel.links",
    ]
) | st.text(max_size=10)
ATTRIBUTES = st.dictionaries(KEYS, VALUES, max_size=12)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ATTRIBUTES, min_size=1, max_size=4), st.dictionaries(st.text(max_size=10), VALUES, max_size=4))
def test_whatever_the_attributes_are_they_come_back(
    stores: tuple[Store, Store], several: list[dict[str, object]], resource: dict[str, object]
) -> None:
    spans = [
        span(number + 1, attributes, parent=number or None, started_at=NOW - timedelta(days=number))
        for number, attributes in enumerate(several)
    ]
    records = [record(f"event {number}", attributes) for number, attributes in enumerate(several)]
    assert_comes_back(stores, read(*spans, resource=resource), read_records(*records, resource=resource))
