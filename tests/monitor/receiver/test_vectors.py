"""Query vectors: unit length, float16, or counted as flawed."""

import math
from array import array
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.samples.otlp import NOW, span, span_id, traces, vector

from ragvigil import attributes as names
from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.vectors import FLOAT16, FLOAT32


def stored(row: list[Any]) -> dict[str, Any]:
    return dict(zip(tables.QUERY_VECTORS.names, row, strict=True))


def unit(row: list[Any]) -> NDArray[np.float64]:
    return np.frombuffer(stored(row)["unit_f16"], FLOAT16).astype(np.float64)


def float32(*values: float) -> bytes:
    return array("f", values).tobytes()


def test_a_vector_is_stored_at_unit_length_beside_its_norm(batch_of: Any) -> None:
    sent = vector(384)
    (row,) = batch_of(span(1, {names.QUERY_VECTOR: sent, names.REQUEST_MODEL: "mini"})).query_vectors
    original = np.frombuffer(sent, FLOAT32).astype(np.float64)
    assert stored(row)["dimension"] == 384
    assert stored(row)["model"] == "mini"
    assert stored(row)["norm"] == pytest.approx(np.linalg.norm(original))
    np.testing.assert_allclose(unit(row), original / np.linalg.norm(original), atol=1e-4)


def test_the_vector_is_not_among_the_attributes(columns_of: Any) -> None:
    assert names.QUERY_VECTOR not in columns_of({names.QUERY_VECTOR: vector()})["attributes"]


def test_vectors_of_several_dimensions_arrive_together(batch_of: Any) -> None:
    sizes = [3, 384, 3, 1]
    spans = [span(number, {names.QUERY_VECTOR: vector(size)}) for number, size in enumerate(sizes, 1)]
    found = {int.from_bytes(row[1]): stored(row)["dimension"] for row in batch_of(*spans).query_vectors}
    assert found == dict(enumerate(sizes, 1))


def test_a_vector_belongs_to_the_answer_of_its_span(batch_of: Any) -> None:
    batch = batch_of(span(2, {names.QUERY_VECTOR: vector()}, parent=1), span(1, {names.ANSWER_ID: "a"}))
    assert stored(batch.query_vectors[0])["answer_span_id"] == span_id(1)


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"123",
        float32(0, 0, 0),
        float32(1, math.nan),
        float32(math.inf, 1),
        [0.1, 0.2],
        "0.1",
        7,
        float32(3e38, 3e38),
    ],
    ids=["empty", "three bytes", "zero", "nan", "infinite", "numbers", "text", "int", "norm too large"],
)
def test_a_bad_vector_is_counted_and_its_span_kept(batch_of: Any, wrong: object) -> None:
    batch = batch_of(span(1, {names.QUERY_VECTOR: wrong}), span(2, {names.QUERY_VECTOR: float32(3, 4)}))
    assert len(batch.spans) == 2
    assert [int.from_bytes(row[1]) for row in batch.query_vectors] == [2]
    assert batch.outcomes == {("shop", "flawed_bad_vector"): 1}


def test_tiny_and_huge_vectors_keep_their_direction(batch_of: Any) -> None:
    for scale in (1e-38, 1e37):
        (row,) = batch_of(span(1, {names.QUERY_VECTOR: float32(3 * scale, 4 * scale)})).query_vectors
        np.testing.assert_allclose(unit(row), [0.6, 0.8], atol=1e-3)


@given(st.lists(st.floats(width=32, allow_nan=True), min_size=1, max_size=40))
def test_any_vector_is_stored_at_length_one_or_counted(values: list[float]) -> None:
    request = traces(span(1, {names.QUERY_VECTOR: float32(*values)}))
    batch = decode_traces(request.SerializeToString(), microseconds(NOW))
    assert len(batch.query_vectors) + batch.outcomes["shop", "flawed_bad_vector"] == 1
    for row in batch.query_vectors:
        assert np.linalg.norm(unit(row)) == pytest.approx(1, abs=0.01)
        assert math.isfinite(stored(row)["norm"])
