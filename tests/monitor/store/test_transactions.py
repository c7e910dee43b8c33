"""Writing: all or nothing, one at a time, beside readers."""

import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from tests.samples.otlp import NOW

from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.errors import StoreOutOfMemory, StoreUnavailable, WriteRefused
from ragvigil_monitor.store import Store, Writer

HOUR = timedelta(hours=1)


def known(writer: Writer, events: pa.Table) -> set[str]:
    rows = writer.execute_with("known_log_events", events.select(["event_id"]), earliest=NOW - HOUR, latest=NOW + HOUR)
    return {row["event_id"] for row in rows}


def count(items: int, service: str = "shop") -> pa.Table:
    return pa.table({"service": [service], "outcome": ["spans_committed"], "items": [items]}, tables.INGEST_COUNTS)


def insert(store: Store, *tables_of_events: pa.Table) -> None:
    with store.transaction() as writer:
        for each in tables_of_events:
            writer.execute_with("insert_log_events", each)


def fail_after_insert(store: Store, table: pa.Table) -> None:
    with store.transaction() as writer:
        writer.execute_with("insert_log_events", table)
        raise ZeroDivisionError


def test_an_error_in_the_block_passes_through_and_nothing_is_stored(memory_store: Store, events: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        fail_after_insert(memory_store, events("a", "b"))
    with memory_store.transaction() as writer:
        assert known(writer, events("a", "b")) == set()


def test_a_refused_value_takes_back_everything_before_it(memory_store: Store, events: Any) -> None:
    with pytest.raises(WriteRefused, match="refuses"):
        insert(memory_store, events("good"), events("bad", attributes='{"cut": '))
    with memory_store.transaction() as writer:
        assert known(writer, events("good", "bad")) == set()


def test_a_missing_value_is_refused(memory_store: Store, events: Any) -> None:
    with pytest.raises(WriteRefused):
        insert(memory_store, events("bad", service=None))


def test_the_store_can_be_written_after_a_refusal(memory_store: Store, events: Any) -> None:
    with pytest.raises(WriteRefused):
        insert(memory_store, events("bad", service=None))
    with memory_store.transaction() as writer:
        writer.execute_with("insert_log_events", events("good"))
        assert known(writer, events("good")) == {"good"}


def test_what_is_too_large_for_the_memory_is_no_trouble_of_the_disk(tmp_path: Path, events: Any) -> None:
    store = Store.open(tmp_path / "a.duckdb", memory_limit="50MB")

    def write_too_much() -> None:
        with store.transaction() as writer:
            writer.execute_with("insert_log_events", events("too much"))
            writer.run("SELECT string_agg(repeat(i::VARCHAR, 1000), '') FROM range(1_000_000) AS numbers(i)")

    with pytest.raises(StoreOutOfMemory, match="memory_limit"):
        write_too_much()
    assert store.disk.troubles(NOW) == []
    with store.transaction() as writer:
        assert known(writer, events("too much")) == set()
    store.close()


def test_too_little_memory_does_not_end_a_trouble_of_the_disk_either(memory_store: Store) -> None:
    memory_store.disk.note("quota exceeded")
    with pytest.raises(StoreOutOfMemory), memory_store.transaction():
        raise duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block")
    assert [trouble.detail for trouble in memory_store.disk.troubles(NOW)] == ["quota exceeded"]


def test_a_closed_store_is_not_available(events: Any) -> None:
    store = Store.open(None)
    store.close()
    with pytest.raises(StoreUnavailable):
        insert(store, events("late"))


def test_readers_see_what_was_committed_while_a_writer_works(memory_store: Store) -> None:
    with memory_store.transaction() as writer:
        writer.execute_with("add_ingest_counts", count(1), received_at=NOW)
    with memory_store.transaction() as writer:
        writer.execute_with("add_ingest_counts", count(5), received_at=NOW)
        during = [row["items"] for row in memory_store.rows("ingest_totals")]
    after = [row["items"] for row in memory_store.rows("ingest_totals")]
    assert (during, after) == ([1], [6])


def test_many_writers_and_readers_lose_no_update(memory_store: Store) -> None:
    seen: list[int] = []

    def write() -> None:
        for _ in range(20):
            with memory_store.transaction() as writer:
                writer.execute_with("add_ingest_counts", count(1), received_at=NOW)

    def read() -> None:
        seen.extend(sum(row["items"] for row in memory_store.rows("ingest_totals")) for _ in range(20))

    threads = [threading.Thread(target=work) for work in (write, write, write, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory_store.row("ingest_totals")["items"] == 60
    assert all(0 <= items <= 60 for items in seen)


def test_a_naive_time_is_refused(memory_store: Store) -> None:
    naive = NOW.replace(tzinfo=None)
    with pytest.raises(ValueError, match=r"received_at=2026.* no time zone"), memory_store.transaction() as writer:
        writer.execute_with("add_ingest_counts", count(1), received_at=naive)


@pytest.mark.parametrize("offset_h", [-11, 0, 5.5], ids=str)
def test_times_come_out_aware_and_in_utc_whatever_zone_they_went_in(memory_store: Store, offset_h: float) -> None:
    somewhere = NOW.astimezone(timezone(timedelta(hours=offset_h)))
    with memory_store.transaction() as writer:
        writer.execute("set_watermark", job="j", done_up_to=somewhere)
    found: datetime = memory_store.row("watermark_of_job", job="j")["done_up_to"]
    assert found == NOW
    assert found.tzinfo is UTC


def test_a_name_that_a_question_does_not_use_is_an_error(memory_store: Store) -> None:
    with pytest.raises(duckdb.BinderException, match="Expected 0, got 1"):
        memory_store.rows("first_answer_time", nonsense=1)
