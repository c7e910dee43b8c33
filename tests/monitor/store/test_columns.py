"""Answers as numpy columns: what becomes of NULL."""

from datetime import timedelta

import numpy as np
import pyarrow as pa
import pytest
from tests.samples.otlp import NOW, trace_id

from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.store import Store

REQUIRED = {
    "trace_id": trace_id(1),
    "started_at": NOW.replace(tzinfo=None),
    "duration_ms": 1.0,
    "service": "shop",
    "name": "work",
    "status": "ok",
    "dropped_attributes": 0,
}


@pytest.fixture
def half_filled(memory_store: Store) -> Store:
    """Two spans: one with everything, one with only what is required."""
    optional = {"input_tokens": 7, "cost_usd": 0.5, "model": "large"}
    rows = [{**REQUIRED, **optional, "span_id": b"0" * 8}, {**REQUIRED, "span_id": b"1" * 8}]
    with memory_store.transaction() as writer:
        writer.execute_with("insert_spans", pa.Table.from_pylist(rows, schema=tables.SPANS))
    return memory_store


def spans(store: Store, trace: int = 1) -> dict[str, np.ndarray]:
    around = {"start": NOW - timedelta(hours=1), "end": NOW + timedelta(hours=1)}
    return store.columns("spans_of_trace", trace_id=trace_id(trace), limit=10, **around)


@pytest.mark.parametrize("column", ["input_tokens", "cost_usd"])
def test_a_missing_number_is_nan_never_zero(half_filled: Store, column: str) -> None:
    found = spans(half_filled)[column]
    assert found.dtype == np.float64
    assert np.isnan(found).sum() == 1
    assert np.nansum(found) in {7.0, 0.5}


def test_a_missing_text_is_none(half_filled: Store) -> None:
    assert set(spans(half_filled)["model"]) == {"large", None}


def test_a_missing_time_is_nat(memory_store: Store) -> None:
    column = memory_store.columns("first_answer_time")["first_answer_at"]
    assert column.dtype.kind == "M"
    assert np.isnat(column).all()


def test_a_full_column_keeps_its_type(half_filled: Store) -> None:
    found = spans(half_filled)
    assert found["dropped_attributes"].dtype.kind == "i"
    assert found["started_at"].dtype == np.dtype("datetime64[us]")


def test_no_rows_are_empty_columns(half_filled: Store) -> None:
    assert {len(column) for column in spans(half_filled, trace=2).values()} == {0}
