"""Many questions about one moment, while others write."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from tests.samples.filled_stores import fill

from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.store.taking_out import Within, days, taken_out

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
COUNTED = "SELECT count(*) AS n FROM answers"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "a.duckdb")
    fill(store, NOW)
    yield store
    store.close()


def empty(store: Store) -> None:
    with store.transaction() as writer:
        for table in ("answers", "spans"):
            writer.run(f"DELETE FROM {table}")  # noqa: S608 - a fixed name


def test_what_is_removed_and_checkpointed_after_its_first_question_is_still_there(store: Store) -> None:
    with store.snapshot() as moment:
        (before,) = moment.ask(COUNTED)
        empty(store)
        store._cursor().execute("CHECKPOINT")
        with taken_out(moment, BY_NAME["answers"], Within()) as reader:
            assert reader.read_all().num_rows == before["n"] > 0
        assert days(moment, BY_NAME["spans"], Within())
    assert store.ask(COUNTED) == [{"n": 0}]


def test_an_answer_that_is_not_read_to_its_end_is_in_nobodys_way(store: Store) -> None:
    with store.snapshot() as moment:
        with moment.stream("FROM range(1000000)", 10) as reader:
            reader.read_next_batch()
        assert len(moment.rows("columns_of_table", table_name="answers")) > 3
        with moment.stream_rows("columns_of_table", 1, table_name="answers") as portions:
            assert all(len(rows) == 1 for rows in portions)


def test_a_naive_time_is_refused(store: Store) -> None:
    with store.snapshot() as moment, pytest.raises(ValueError, match="time zone"):
        moment.ask("SELECT $at", at=datetime(2026, 1, 1))  # noqa: DTZ001


def test_a_database_that_fails_meanwhile_is_explained(store: Store) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be read"), store.snapshot() as moment:
        moment.ask("SELECT error('broken')")
    with store.snapshot() as moment:
        assert moment.ask("SELECT 1 AS one") == [{"one": 1}]


def test_a_stream_that_fails_on_its_way_says_that_it_is_the_database(store: Store) -> None:
    failing = "SELECT CASE WHEN i = 900000 THEN error('a block is gone') ELSE i END AS i FROM range(1000000) r(i)"
    with store.snapshot() as moment, moment.stream(failing, 10) as reader:
        assert reader.read_next_batch().num_rows == 10
        with pytest.raises(StoreUnavailable, match=r"cannot be read now: .*a block is gone"):
            reader.read_all()
    assert store.ask(COUNTED)


def test_what_fails_in_the_block_of_a_stream_stays_what_it_is(store: Store) -> None:
    with pytest.raises(OSError, match="of a file"), store.stream("FROM range(10)", 10):
        raise OSError("of a file")


def test_it_ends_with_its_block(store: Store) -> None:
    with store.snapshot() as moment:
        moment.ask(COUNTED)
    with pytest.raises(duckdb.Error):
        moment.ask(COUNTED)
