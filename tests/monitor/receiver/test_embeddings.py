"""Vectors that OpenInference tells as lists of numbers."""

import base64
import math
from typing import Any

import numpy as np
import orjson
import pytest
from tests.samples.otlp import NOW, span, traces

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import QUERY_VECTOR
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.columns import AT
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.embeddings import MOST_DIMENSIONS
from ragvigil_monitor.receiver.times import microseconds

VECTOR = "embedding.embeddings.{}.embedding.vector"
TEXT = "embedding.embeddings.{}.embedding.text"


def read(attributes: dict[str, Any], kind: str = "EMBEDDING") -> tuple[dict[str, Any], Batch]:
    request = traces(span(1, {names.SPAN_KIND: kind, **attributes}), scope={"name": "openinference"})
    batch = decode_traces(request.SerializeToString(), microseconds(NOW))
    return orjson.loads(batch.spans[0][AT["attributes"]] or "{}"), batch


def test_that_of_the_only_text_is_kept_as_half_floats_of_length_one() -> None:
    numbers = np.random.default_rng(1).normal(size=384)
    attributes, batch = read({VECTOR.format(0): [3, *numbers.tolist()], TEXT.format(0): "a question"})
    kept = attributes[QUERY_VECTOR]
    vector = np.frombuffer(base64.b64decode(kept["unit_f16"]), np.float16).astype(float)
    whole = np.array([3, *numbers])
    assert kept["norm"] == pytest.approx(np.linalg.norm(whole))
    np.testing.assert_allclose(vector, whole / np.linalg.norm(whole), atol=1e-3)
    assert set(attributes) == {QUERY_VECTOR, TEXT.format(0), "otel.scope.name"}
    assert not batch.outcomes
    assert not batch.query_vectors


@pytest.mark.parametrize(
    "attributes",
    [
        {VECTOR.format(0): [1.0], VECTOR.format(1): [2.0]},
        {VECTOR.format(0): [1.0], TEXT.format(0): "a", TEXT.format(1): "b"},
    ],
    ids=["two vectors", "two texts"],
)
def test_those_of_many_texts_are_left_out(attributes: Any) -> None:
    kept, batch = read(attributes)
    assert QUERY_VECTOR not in kept
    assert not [name for name in kept if name.endswith(".vector")]
    assert not batch.outcomes


@pytest.mark.parametrize(
    "odd",
    [
        [],
        [math.nan, 1.0],
        [math.inf],
        [0.0, 0.0],
        [1e300, 1e300],
        [1.0, "a"],
        [1.0, True],
        [1.0, None],
        [[1.0]],
        [1.0] * (MOST_DIMENSIONS + 1),
        "[1.0]",
        b"1234",
        None,
    ],
    ids=["empty", "nan", "inf", "zero", "huge", "text", "bool", "null", "nested", "long", "string", "bytes", "nothing"],
)
def test_what_is_no_vector_is_left_out_and_counted(odd: Any) -> None:
    kept, batch = read({VECTOR.format(0): odd})
    assert set(kept) == {"otel.scope.name"}
    assert batch.outcomes == {("shop", "flawed_bad_vector"): 1}


def test_a_span_cannot_say_itself_what_would_be_kept() -> None:
    kept, _ = read({VECTOR.format(0): [1.0, math.nan], QUERY_VECTOR: {"norm": 1, "unit_f16": ""}})
    assert QUERY_VECTOR not in kept


def test_on_other_spans_the_attribute_stays_as_it_is() -> None:
    kept, batch = read({VECTOR.format(0): [1.0, 2.0]}, kind="LLM")
    assert kept[VECTOR.format(0)] == [1.0, 2.0]
    assert not batch.outcomes
