"""The sample of a window is that which a plain look through all vectors and answers finds."""

import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil_monitor.store import Store
from ragvigil_monitor.store.migrate import migrate, migrations

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


@pytest.fixture(scope="module")
def small_days() -> Iterator[Store]:
    """A store that keeps three vectors of a day."""
    with closing(Store.open(None)) as opened:
        with opened.transaction() as writer:
            writer.run("CREATE OR REPLACE MACRO most_of_day() AS 3")
        yield opened


DAY: Final = timedelta(days=1)
MIDNIGHT: Final = NOON.replace(hour=0)
MANY: Final = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
    st.tuples(st.none() | st.integers(0, 4), st.just("m"), st.just(2), st.integers(-12 * 60, 60 * 60 - 1)),
    max_size=20,
)
"""Of the three days from the midnight before noon on."""


@settings(max_examples=40, deadline=None)
@given(vectors=MANY, most=st.integers(0, 9), from_h=st.integers(0, 30))
def test_the_sample_of_days_is_the_beginning_of_that_of_all_their_vectors(
    small_days: Store, vectors: dict[Key, Any], most: int, from_h: int
) -> None:
    fill(small_days, {}, vectors)
    draw(small_days, days=3)
    window = {"window_start": MIDNIGHT + timedelta(hours=from_h), "window_end": MIDNIGHT + 3 * DAY}
    asked = {**window, "model": "m", "dimension": 2}
    found, whole = small_days.rows("sampled_days", **asked, most=most), small_days.ask(PLAIN, **asked, most=99)
    assert found == whole[: len(found)]
    assert len(found) <= most
    if from_h == 0:
        assert len(found) >= min(most, 3, len(whole))
    if all(n < 3 for n in Counter(minute // (24 * 60) for minute in minutes(vectors)).values()):
        assert len(found) == min(most, len(whole))


def minutes(vectors: dict[Key, Any]) -> list[int]:
    """After midnight."""
    return [12 * 60 + minute for _, _, _, minute in vectors.values()]


def draw(store: Store, days: int) -> None:
    with store.transaction() as writer:
        for day in (MIDNIGHT + number * DAY for number in range(days)):
            writer.execute("forget_days_drawn_again", drawn_from=day)
            writer.execute("draw_day_sample", day=day, model="m", dimension=2)


def test_a_day_that_is_not_over_is_no_part_of_the_sample(small_days: Store) -> None:
    fill(small_days, {}, {(1, 1): (None, "m", 2, -60), (1, 2): (None, "m", 2, 13 * 60)})
    draw(small_days, days=2)
    asked = {"window_start": MIDNIGHT, "model": "m", "dimension": 2, "most": 9}
    found = [
        len(small_days.rows("sampled_days", **asked, window_end=MIDNIGHT + timedelta(hours=hours)))
        for hours in (23, 24, 47, 48)
    ]
    assert found == [0, 1, 1, 2]


def test_a_busy_day_has_its_share_of_the_sample_and_no_more(memory_store: Store) -> None:
    """Of 9,000 vectors a third are of a quiet day; 2,000 of each day are kept."""
    sql = """
        INSERT INTO query_vectors BY NAME
        SELECT
            md5('trace' || i)[:16]::BLOB AS trace_id, 'span'::BLOB AS span_id, 'm' AS model, 2 AS dimension,
            1.0 AS norm, '1234'::BLOB AS unit_f16, $midnight::TIMESTAMP + to_days((i < 6_000)::INTEGER) AS started_at
        FROM range(9_000) AS numbers(i)
    """
    with memory_store.transaction() as writer:
        writer.run(sql, midnight=MIDNIGHT)
    draw(memory_store, days=2)
    asked = {"window_start": MIDNIGHT, "window_end": MIDNIGHT + 2 * DAY, "model": "m", "dimension": 2}
    found = memory_store.rows("sampled_days", **asked, most=2_000)
    quiet = sum(row["started_at"] < MIDNIGHT + DAY for row in found)
    assert len(found) == 2_000
    assert abs(quiet - 2_000 / 3) < 4 * (2_000 * 2 / 9) ** 0.5  # four standard deviations
    more = memory_store.rows("sampled_days", **asked, most=5_000)
    assert 2_000 + 1_000 * 0.85 < len(more) < 2_000 + 1_000 * 1.15  # the busy day is known up to a third of it
    assert more[:2_000] == found


def test_an_upgrade_draws_the_days_that_were_added_up(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as connection:
        migrate(connection, migrations()[:19])
        connection.execute(
            """
            INSERT INTO query_vectors BY NAME
            SELECT
                md5('trace' || i)[:16]::BLOB AS trace_id, 'span'::BLOB AS span_id, 'root'::BLOB AS answer_span_id,
                if(i % 2 = 0, 'm', NULL) AS model, 2 AS dimension, 1.0 AS norm, '1234'::BLOB AS unit_f16,
                TIMESTAMP '2026-11-30' + to_minutes(i - 1_000) AS started_at
            FROM range(3_000) AS numbers(i)
            """
        )
        connection.execute(
            """
            INSERT INTO answers BY NAME
            SELECT
                trace_id, 'root'::BLOB AS span_id, hex(trace_id) AS answer_id,
                started_at - INTERVAL 2 MINUTE AS started_at,
                1.0 AS duration_ms, 's' AS service, 'ok' AS status, left(trace_id::VARCHAR, 1) AS intent,
                1.0 AS sampling_probability
            FROM query_vectors
            """
        )
        connection.execute(
            """
            INSERT INTO drift_hours
            SELECT DISTINCT date_trunc('hour', started_at), coalesce(model, ''), 2, 30, 0, ''::BLOB, 0.0
            FROM query_vectors WHERE started_at >= TIMESTAMP '2026-11-30'
            """
        )
    with closing(Store.open(path)) as store:
        upgraded = store.ask("FROM drift_day_samples ORDER BY ALL")
        with store.transaction() as writer:
            writer.run("DELETE FROM drift_day_samples")
            for day, model in itertools.product((MIDNIGHT, MIDNIGHT + DAY), ("", "m")):
                writer.execute("draw_day_sample", day=day, model=model, dimension=2)
        assert upgraded == store.ask("FROM drift_day_samples ORDER BY ALL")
    assert (len(upgraded), len({row["intent"] for row in upgraded})) == (2_000, 16)
