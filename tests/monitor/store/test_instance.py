"""DuckDB gives an instance up; the store opens the file again."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.store.instance import Instance

FOR_EVER = "SELECT sum(a.range * b.range) FROM range(10_000_000) a, range(10_000_000) b"


def fatal(cursor: duckdb.DuckDBPyConnection) -> int:
    """What DuckDB raises when it gives up."""
    raise duckdb.FatalException("FATAL Error: the database has been invalidated\nmore")


def count(cursor: duckdb.DuckDBPyConnection) -> int:
    ((rows,),) = cursor.execute("SELECT count(*) FROM numbers").fetchall()
    return int(rows)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    path = str(tmp_path / "a.duckdb")
    made = Instance(duckdb.connect(path), lambda: duckdb.connect(path))
    made.connection.execute("CREATE TABLE numbers AS FROM range(10)")
    yield made
    made.close()


def test_a_reader_gets_its_answer_from_the_next_one(instance: Instance) -> None:
    first = instance.connection
    attempts = []

    def fail_once(cursor: duckdb.DuckDBPyConnection) -> int:
        attempts.append(cursor)
        return fatal(cursor) if len(attempts) == 1 else count(cursor)

    assert instance.read(fail_once) == 10
    assert instance.connection is not first


def test_a_reader_that_fails_twice_says_that_the_store_is_unavailable(instance: Instance) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be read now"):
        instance.read(fatal)
    assert instance.read(count) == 10


def test_a_writer_that_fails_leaves_a_store_that_works(instance: Instance) -> None:
    with pytest.raises(duckdb.FatalException), instance.writing() as cursor:
        fatal(cursor)
    with instance.writing() as cursor:
        cursor.execute("INSERT INTO numbers VALUES (11)")
    assert instance.read(count) == 11


def test_checkpoints_wait_until_something_is_stored(instance: Instance) -> None:
    def threshold() -> str:
        ((value,),) = instance.connection.execute("SELECT current_setting('checkpoint_threshold')").fetchall()
        return str(value)

    instance.connection.execute("SET GLOBAL checkpoint_threshold = '8MiB'")
    before = threshold()
    instance._connect = lambda path=instance._connect: _with_threshold(path(), "8MiB")
    with pytest.raises(duckdb.FatalException), instance.writing() as cursor:
        fatal(cursor)
    assert threshold() != before
    with instance.writing() as cursor:
        cursor.execute("INSERT INTO numbers VALUES (11)")
    assert threshold() == before


def _with_threshold(connection: duckdb.DuckDBPyConnection, threshold: str) -> duckdb.DuckDBPyConnection:
    connection.execute(f"SET GLOBAL checkpoint_threshold = '{threshold}'")
    return connection


def test_many_readers_and_a_writer_survive_it_again_and_again(instance: Instance) -> None:
    stop = threading.Event()

    def read() -> set[int]:
        seen = set()
        while not stop.is_set():
            seen.add(instance.read(count))
        return seen

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        for _ in range(8):
            with pytest.raises(duckdb.FatalException), instance.writing() as cursor:
                fatal(cursor)
        stop.set()
    assert [reader.result() for reader in readers] == [{10}] * 4


def test_a_long_read_is_given_up(instance: Instance) -> None:
    started = threading.Event()

    def read_for_ever() -> None:
        with instance.reading_long() as cursor:
            started.set()
            cursor.execute(FOR_EVER).fetchall()

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read_for_ever)
        started.wait()
        while instance._readers == 0:
            started.wait(0.01)
        with pytest.raises(duckdb.FatalException), instance.writing() as cursor:
            fatal(cursor)
        with pytest.raises((duckdb.InterruptException, duckdb.ConnectionException)):
            reader.result(30)
    assert instance.read(count) == 10


@pytest.mark.parametrize("is_long", [True, False])
def test_closing_interrupts_who_reads(instance: Instance, is_long: bool) -> None:
    started = threading.Event()

    def begin(number: int) -> int:
        started.set()
        return number

    def read_for_ever(cursor: duckdb.DuckDBPyConnection) -> object:
        cursor.create_function("begin_it", begin, ["BIGINT"], "BIGINT")
        return cursor.execute(
            "SELECT sum(begin_it(a.range) * b.range) FROM range(10000) a, range(100000000) b"
        ).fetchall()

    def read() -> object:
        if not is_long:
            return instance.read(read_for_ever)
        with instance.reading_long() as cursor:
            return read_for_ever(cursor)

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        assert started.wait(30)
        instance.close()
        with pytest.raises((duckdb.InterruptException, duckdb.ConnectionException, StoreUnavailable)):
            reader.result(30)
    with pytest.raises(duckdb.ConnectionException):
        instance.connection.execute("SELECT 1")


@pytest.mark.parametrize("trial", range(30))
def test_closing_waits_for_no_query_that_is_just_beginning(trial: int) -> None:
    instance, reading = Instance(duckdb.connect(), None), threading.Event()

    def read_for_ever(cursor: duckdb.DuckDBPyConnection) -> object:
        reading.set()
        return cursor.execute(FOR_EVER).fetchall()

    with ThreadPoolExecutor(2) as pool:
        reader = pool.submit(instance.read, read_for_ever)
        assert reading.wait(30)
        close_at = time.perf_counter() + trial * 1e-4
        while time.perf_counter() < close_at:
            pass
        pool.submit(instance.close).result(30)
        with pytest.raises((duckdb.InterruptException, duckdb.ConnectionException, StoreUnavailable)):
            reader.result(30)


def test_closing_interrupts_who_writes(instance: Instance) -> None:
    writing = threading.Event()

    def write_for_ever() -> None:
        with instance.writing() as cursor:
            writing.set()
            cursor.execute(FOR_EVER).fetchall()

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write_for_ever)
        assert writing.wait(30)
        instance.close()
        with pytest.raises(StoreUnavailable, match="The database is closed"):
            writer.result(30)


@pytest.mark.parametrize("trial", range(10))
def test_whoever_reads_when_it_is_closed_is_told_so(trial: int) -> None:
    instance = Instance(duckdb.connect(), None)
    instance.connection.execute("CREATE TABLE numbers AS FROM range(10)")
    readings = trial * 7 + 1

    def read_on() -> None:
        while True:
            instance.read(count)
            read.release()

    read = threading.Semaphore(0)
    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read_on) for _ in range(2)]
        for _ in range(readings):
            assert read.acquire(timeout=30)
        instance.close()
        for reader in readers:
            with pytest.raises(StoreUnavailable, match="The database is closed"):
                reader.result(30)


def test_what_goes_wrong_in_closing_is_raised(instance: Instance) -> None:
    class Broken(duckdb.DuckDBPyConnection):
        def close(self) -> None:
            raise duckdb.IOException("the disk is gone")

    broken = Broken.__new__(Broken)
    instance._cursors.add(broken)
    with pytest.raises(duckdb.IOException, match="the disk is gone"):
        instance.close()
    instance._cursors.discard(broken)


def test_a_file_that_cannot_be_opened_again_is_tried_again_at_the_next_question(instance: Instance) -> None:
    reopen, instance._connect = instance._connect, lambda: duckdb.connect("/nowhere/at/all.duckdb")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("ragvigil_monitor.store.instance._PATIENCE_S", 0.1)
        with pytest.raises(StoreUnavailable, match="opened again"):
            instance.read(fatal)
        with pytest.raises(StoreUnavailable, match="opened again"):
            instance.read(count)
    instance._connect = reopen
    assert instance.read(count) == 10


def test_a_closed_one_stays_closed(instance: Instance) -> None:
    instance.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        instance.read(count)
