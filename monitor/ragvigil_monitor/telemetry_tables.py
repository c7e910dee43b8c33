"""The columns that the receiver fills, in the order of the tables in `store/migrations`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

Row = list[Any]
SpanKey = tuple[bytes, bytes]

_TIME = pa.timestamp("us")

SPANS: Final = pa.schema(
    {
        "trace_id": pa.binary(),
        "span_id": pa.binary(),
        "parent_span_id": pa.binary(),
        "answer_span_id": pa.binary(),
        "started_at": _TIME,
        "duration_ms": pa.float64(),
        "service": pa.string(),
        "service_version": pa.string(),
        "instance_id": pa.string(),
        "name": pa.string(),
        "kind": pa.string(),
        "stage": pa.string(),
        "status": pa.string(),
        "status_message": pa.string(),
        "probe_id": pa.string(),
        "provider": pa.string(),
        "model": pa.string(),
        "input_tokens": pa.int64(),
        "output_tokens": pa.int64(),
        "cached_tokens": pa.int64(),
        "cost_usd": pa.float64(),
        "time_to_first_token_ms": pa.float64(),
        "embedding_cache_hit": pa.bool_(),
        "retrieval_cache_hit": pa.bool_(),
        "answer_cache_hit": pa.bool_(),
        "query_text": pa.string(),
        "top_k": pa.int32(),
        "score_kind": pa.string(),
        "filter_state": pa.string(),
        "filter_ast": pa.string(),
        "filter_clauses": pa.string(),
        "input_documents": pa.string(),
        "output_documents": pa.string(),
        "dropped_attributes": pa.int32(),
        "attributes": pa.string(),
    }
)

ANSWERS: Final = pa.schema(
    {
        "trace_id": pa.binary(),
        "span_id": pa.binary(),
        "answer_id": pa.string(),
        "started_at": _TIME,
        "duration_ms": pa.float64(),
        "service": pa.string(),
        "service_version": pa.string(),
        "status": pa.string(),
        "session_id": pa.string(),
        "user_id": pa.string(),
        "intent": pa.string(),
        "slices": pa.string(),
        "question": pa.string(),
        "answer": pa.string(),
        "citations": pa.string(),
        "refusal": pa.bool_(),
        "confidence": pa.float64(),
        "regeneration_of": pa.string(),
        "sampling_probability": pa.float64(),
    }
)

QUERY_VECTORS: Final = pa.schema(
    {
        "trace_id": pa.binary(),
        "span_id": pa.binary(),
        "answer_span_id": pa.binary(),
        "started_at": _TIME,
        "model": pa.string(),
        "dimension": pa.int32(),
        "norm": pa.float32(),
        "unit_f16": pa.binary(),
    }
)

LOG_EVENTS: Final = pa.schema(
    {
        "event_id": pa.string(),
        "event_name": pa.string(),
        "occurred_at": _TIME,
        "observed_at": _TIME,
        "service": pa.string(),
        "instance_id": pa.string(),
        "trace_id": pa.binary(),
        "span_id": pa.binary(),
        "body": pa.string(),
        "attributes": pa.string(),
    }
)

PROCESS_COUNTS: Final = pa.schema(
    {
        "instance_id": pa.string(),
        "service": pa.string(),
        "service_version": pa.string(),
        "reported_at": _TIME,
        "started": pa.int64(),
        "exported": pa.int64(),
        "spooled": pa.int64(),
        "dropped": pa.int64(),
    }
)

FILE_POSITIONS: Final = pa.schema(
    {"folder": pa.string(), "inode": pa.string(), "position": pa.int64(), "tail": pa.string()}
)

INGEST_COUNTS: Final = pa.schema({"service": pa.string(), "outcome": pa.string(), "items": pa.int64()})


def positions(schema: pa.Schema) -> Mapping[str, int]:
    """Where each column stands in a row."""
    return {name: position for position, name in enumerate(schema.names)}


def span_key(row: Row) -> SpanKey:
    """Trace and span id of a row of spans, answers or query vectors, whose first columns they are."""
    return row[0], row[1]


def to_arrow(schema: pa.Schema, rows: Sequence[Sequence[Any]]) -> pa.Table:
    """Turn rows into one Arrow table."""
    columns = zip(*rows, strict=True) if rows else [[] for _ in schema]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
