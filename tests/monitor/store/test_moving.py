"""Every table can be taken out and put in elsewhere, once."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from tests.samples.filled_stores import dump, fill
from tests.samples.fresh_stores import fresh_store

from ragvigil_monitor.errors import WriteRefused
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import BY_NAME, MOVABLE, STAYS
from ragvigil_monitor.store.putting_in import PutIn, put_in
from ragvigil_monitor.store.taking_out import Within, days, taken_out

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def full() -> Iterator[Store]:
    """A store that has rows in every table."""
    store = fresh_store()
    fill(store, NOW)
    yield store
    store.close()


def taken(store: Store, name: str, within: Within = Within()) -> pa.Table:  # noqa: B008 - frozen
    with taken_out(store, BY_NAME[name], within) as reader:
        return reader.read_all()


def withheld(state: str) -> str:
    """The state of a delivery that was put in."""
    return "withheld" if state == "pending" else state


def move(source: Store, target: Store) -> dict[str, PutIn]:
    return {table.name: put_in(target, table, taken(source, table.name)) for table in MOVABLE}


def test_every_table_of_the_store_is_moved_or_said_to_stay(full: Store) -> None:
    """Whoever adds a table decides here whether people can take it out."""
    found = {row["table_name"] for row in full.ask("SELECT table_name FROM duckdb_tables() WHERE NOT internal")}
    assert found == set(BY_NAME) | set(STAYS)


def test_the_documentation_names_every_table_and_what_cuts_it() -> None:
    lines = (Path(__file__).parents[3] / "docs" / "data.md").read_text(encoding="utf-8").splitlines()
    for table in MOVABLE:
        (line,) = (line for line in lines if line.startswith("|") and f"`{table.name}`" in line.split("|")[1])
        assert table.time is None or table.time in line.split("|")[3], table.name


def test_the_sample_has_rows_in_every_table(full: Store) -> None:
    empty = [table.name for table in MOVABLE if not taken(full, table.name).num_rows]
    assert empty == []


def test_what_is_taken_out_and_put_in_is_the_same(full: Store, memory_store: Store) -> None:
    moved = move(full, memory_store)
    assert all(counts.new and not counts.known and not counts.differing for counts in moved.values())
    for table in MOVABLE:
        expected = dump(full, table)
        if table.name == "deliveries":
            expected = [{**row, "state": withheld(row["state"]), "next_attempt_at": None} for row in expected]
        assert dump(memory_store, table) == expected, table.name


def test_a_second_time_adds_nothing(full: Store, memory_store: Store) -> None:
    move(full, memory_store)
    again = move(full, memory_store)
    for name, counts in again.items():
        assert (counts.new, counts.updated, counts.differing) == (0, 0, 0), name
        assert counts.known > 0


def test_outside_ids_are_hex_times_have_a_zone_and_json_is_text(full: Store) -> None:
    kinds = dict(zip(taken(full, "spans").schema.names, taken(full, "spans").schema.types, strict=True))
    assert kinds["trace_id"] == kinds["answer_span_id"] == kinds["attributes"] == pa.string()
    assert kinds["started_at"] == pa.timestamp("us", "UTC")
    assert all(len(identity) == 32 for identity in taken(full, "spans")["trace_id"].to_pylist())


def test_a_range_of_time_is_cut_out_and_telemetry_comes_day_by_day(full: Store) -> None:
    everything = taken(full, "spans")["started_at"].to_pylist()
    middle = sorted(everything)[len(everything) // 2]
    before = taken(full, "spans", Within(end=middle)).num_rows
    after = taken(full, "spans", Within(start=middle)).num_rows
    assert before + after == len(everything)
    assert before == sum(time < middle for time in everything)
    assert days(full, BY_NAME["spans"], Within()) == sorted({time.date() for time in everything})


def test_a_label_that_says_something_else_is_counted_and_the_one_that_is_there_stays(
    full: Store, memory_store: Store
) -> None:
    table = BY_NAME["review_labels"]
    labels = taken(full, "review_labels")
    put_in(memory_store, table, labels)
    before = dump(memory_store, table)
    other = labels.set_column(labels.column_names.index("label"), "label", pa.array(["other"] * labels.num_rows))
    assert put_in(memory_store, table, other) == PutIn(differing=labels.num_rows)
    renamed = other.set_column(0, "label_id", pa.array([f"new-{number}" for number in range(labels.num_rows)]))
    assert put_in(memory_store, table, renamed) == PutIn(differing=labels.num_rows), "the lease is answered already"
    assert dump(memory_store, table) == before


def test_counts_that_only_grow_take_the_greater(full: Store, memory_store: Store) -> None:
    table = BY_NAME["ingest_counts"]
    counts = taken(full, "ingest_counts")
    put_in(memory_store, table, counts)
    items = counts.column_names.index("items")
    more = counts.set_column(items, "items", pa.array([one + 5 for one in counts["items"].to_pylist()]))
    assert put_in(memory_store, table, more) == PutIn(updated=counts.num_rows)
    assert put_in(memory_store, table, counts) == PutIn(differing=counts.num_rows)
    assert sum(row["items"] for row in dump(memory_store, table)) == sum(more["items"].to_pylist())


def test_rows_that_come_twice_in_one_file_are_put_in_once(full: Store, memory_store: Store) -> None:
    answers = taken(full, "answers")
    twice = pa.concat_tables([answers, answers])
    assert put_in(memory_store, BY_NAME["answers"], twice) == PutIn(new=answers.num_rows, known=answers.num_rows)


def test_columns_that_a_file_of_an_earlier_version_lacks_are_null(full: Store, memory_store: Store) -> None:
    answers = taken(full, "answers").drop_columns(["intent", "slices"])
    assert put_in(memory_store, BY_NAME["answers"], answers).new == answers.num_rows
    assert {row["intent"] for row in dump(memory_store, BY_NAME["answers"])} == {None}


def test_times_without_a_zone_are_utc(full: Store, memory_store: Store) -> None:
    answers = taken(full, "answers")
    place = answers.column_names.index("started_at")
    naive = answers["started_at"].cast(pa.timestamp("us"))
    put_in(memory_store, BY_NAME["answers"], answers.set_column(place, "started_at", naive))
    assert dump(memory_store, BY_NAME["answers"]) == dump(full, BY_NAME["answers"])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"trace_id": "zz" * 16}, "hex"),
        ({"span_id": "ab" * 7 + "c"}, "16 hexadecimal digits"),
        ({"trace_id": "ab"}, "32 hexadecimal digits"),
        ({"span_id": "ab" * 16}, "16 hexadecimal digits"),
        ({"started_at": "yesterday"}, "yesterday"),
        ({"slices": "{"}, "JSON"),
        ({"sampling_probability": None}, "NOT NULL"),
        ({"surprise": 1}, "surprise"),
        ({"trace_id": ...}, "needs the column 'trace_id'"),
    ],
    ids=lambda value: str(value),
)
def test_rows_that_are_none_of_the_table_are_refused_whole(
    full: Store, memory_store: Store, change: dict[str, object], named: str
) -> None:
    rows = taken(full, "answers").slice(0, 2).to_pylist()
    for name, value in change.items():
        rows[0] |= {name: rows[0].get(name)}
        rows[1] |= {name: value}
        if value is ...:
            rows = [{key: kept for key, kept in row.items() if key != name} for row in rows]
        elif name == "started_at":
            rows = [{**row, name: str(row[name])} for row in rows]
    with pytest.raises(WriteRefused, match=named):
        put_in(memory_store, BY_NAME["answers"], pa.Table.from_pylist(rows))
    assert dump(memory_store, BY_NAME["answers"]) == []


def test_feedback_that_is_put_in_does_not_hide_what_comes_later(full: Store, memory_store: Store) -> None:
    move(full, memory_store)
    waiting = memory_store.row("feedback_waiting", event_name="ragvigil.feedback", parked_since=NOW - timedelta(days=7))
    assert waiting["taken_up_to"] == 0
