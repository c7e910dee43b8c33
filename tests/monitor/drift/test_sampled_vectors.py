"""The sample of a window is that which a plain look through all vectors and answers finds."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil_monitor.store import Store

NOON: Final = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
PLAIN: Final = """
    SELECT vectors.started_at, vectors.trace_id, answers.intent, vectors.unit_f16
    FROM query_vectors AS vectors
    LEFT JOIN answers
        ON answers.trace_id = vectors.trace_id AND answers.span_id = vectors.answer_span_id
        AND answers.started_at >= $window_start - INTERVAL 1 HOUR AND answers.started_at < $window_end + INTERVAL 1 HOUR
    WHERE vectors.started_at >= $window_start AND vectors.started_at < $window_end
        AND coalesce(vectors.model, '') = $model AND vectors.dimension = $dimension
    ORDER BY md5(vectors.trace_id || vectors.span_id)
    LIMIT $most
"""
Key = tuple[int, int]

KEYS: Final = st.tuples(st.integers(0, 2), st.integers(0, 2))
"""A trace and a span; so few that answers share traces, and spans of other traces have the same ids."""
ANSWERS: Final = st.dictionaries(KEYS, st.tuples(st.sampled_from([None, "a", "b"]), st.integers(-90, 150)), max_size=9)
VECTORS: Final = st.dictionaries(
    KEYS,
    st.tuples(
        st.none() | st.integers(0, 2), st.sampled_from([None, "", "m"]), st.sampled_from([2, 3]), st.integers(-5, 65)
    ),
    max_size=9,
)


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with closing(Store.open(None)) as opened:
        yield opened


def fill(store: Store, answers: dict[Key, Any], vectors: dict[Key, Any]) -> None:
    asked = [
        {**ids(key), "answer_id": str(key), "started_at": at(minute), "service": "s", "status": "ok", "intent": intent}
        | {"sampling_probability": 1.0}
        for key, (intent, minute) in answers.items()
    ]
    embedded = [
        {**ids(key), "answer_span_id": None if of is None else of.to_bytes(8), "started_at": at(minute), "model": model}
        | {"dimension": dimension, "norm": 1.0, "unit_f16": bytes(key)}
        for key, (of, model, dimension, minute) in vectors.items()
    ]
    with store.transaction() as writer:
        for table, rows in {"answers": asked, "query_vectors": embedded}.items():
            writer.run(f"DELETE FROM {table}")  # noqa: S608 - names of ours
            if rows:
                writer.run(f"INSERT INTO {table} BY NAME SELECT * FROM batch", batch=pa.Table.from_pylist(rows))  # noqa: S608


def ids(key: Key) -> dict[str, bytes]:
    return {"trace_id": key[0].to_bytes(16), "span_id": key[1].to_bytes(8)}


def at(minute: int) -> datetime:
    return NOON.replace(tzinfo=None) + timedelta(minutes=minute)


@settings(max_examples=60, deadline=None)
@given(answers=ANSWERS, vectors=VECTORS, model=st.sampled_from(["", "m"]), most=st.integers(0, 5))
def test_the_sample_is_the_one_of_a_plain_look(
    store: Store, answers: dict[Key, Any], vectors: dict[Key, Any], model: str, most: int
) -> None:
    fill(store, answers, vectors)
    start = NOON
    asked = {
        "window_start": start,
        "window_end": start + timedelta(hours=1),
        "model": model,
        "dimension": 2,
        "most": most,
    }
    assert store.rows("sampled_query_vectors", **asked) == store.ask(PLAIN, **asked)
