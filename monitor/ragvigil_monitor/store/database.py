"""Open the database, ask named questions, write in transactions."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import duckdb
import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.errors import BackupFailed, StoreError, StoreOutOfMemory, StoreUnavailable, WriteRefused
from ragvigil_monitor.store.connection import connect
from ragvigil_monitor.store.copying import copy_database, one_transaction
from ragvigil_monitor.store.disk import Disk, Limits
from ragvigil_monitor.store.instance import Instance
from ragvigil_monitor.store.manifest import Manifest
from ragvigil_monitor.store.migrate import migrate
from ragvigil_monitor.store.refusals import explained
from ragvigil_monitor.store.snapshot import Row as Row
from ragvigil_monitor.store.snapshot import Snapshot, fetch, to_database
from ragvigil_monitor.store.snapshot import query_text as query_text

if TYPE_CHECKING:
    import pyarrow as pa

NO_LIMITS = Limits()
_REFUSALS = (duckdb.DataError, duckdb.IntegrityError, duckdb.ProgrammingError)
_NULLS: Mapping[str, Any] = {"f": np.nan, "M": np.datetime64("NaT")}
_POLL_S = 0.02


class Store:
    """The one connection to the database file; safe to use from many threads.

    Readers ask `rows` or `columns` by the name of a file in `queries/`; whoever writes does so inside
    `transaction()`, one writer at a time. Datetimes go in and come out aware and in UTC; a naive one is refused.
    """

    def __init__(self, instance: Instance, path: Path | None, disk: Disk) -> None:
        self._instance = instance
        self._copy_lock = threading.Lock()
        self._copying: duckdb.DuckDBPyConnection | None = None
        self.path = path
        self.disk = disk

    @classmethod
    def open(
        cls, path: Path | None, *, memory_limit: str = "1GB", threads: int = 2, limits: Limits = NO_LIMITS
    ) -> Self:
        """Open or create the file at `path` (None: in memory) and bring its schema up to date.

        limits: of the free space on its disk. A link is followed once, here: DuckDB keeps its log beside the file that
        it leads to, and it is that disk which may be full. Raises StoreLocked when another process holds the file,
        StoreTooNew when a newer version wrote it, StoreError when it is no database or cannot be written.
        """
        path = None if path is None else Path(os.path.realpath(path))
        open_file = partial(connect, path, memory_limit, threads)
        connection = open_file()
        try:
            _migrated(connection, path)
        except BaseException:
            connection.close()
            raise
        return cls(Instance(connection, None if path is None else open_file), path, Disk(path, limits))

    def rows(self, question: str, **values: object) -> list[Row]:
        """Answer `queries/<question>.sql` as a list of dictionaries."""
        text, given = query_text(question), to_database(values)
        return self._instance.read(lambda cursor: fetch(cursor.execute(text, given)))

    def row(self, question: str, **values: object) -> Row:
        """Answer a question that has exactly one row."""
        (only,) = self.rows(question, **values)
        return only

    def columns(self, question: str, **values: object) -> dict[str, NDArray[Any]]:
        """Answer a question as one numpy array a column.

        Times are naive datetime64 in UTC. A NULL is NaN among numbers and booleans, which are floats then, NaT among
        times, and None elsewhere.
        """
        text, given = query_text(question), to_database(values)
        found: dict[str, Any] = self._instance.read(lambda cursor: cursor.execute(text, given).fetchnumpy())
        return {name: _unmasked(column) for name, column in found.items()}

    def ask(self, sql: str, **values: object) -> list[Row]:
        """Answer SQL that was made inside this package, as `rows` does."""
        given = to_database(values)
        return self._instance.read(lambda cursor: fetch(cursor.execute(sql, given)))

    @contextmanager
    def stream(self, sql: str, batch_rows: int, **values: object) -> Iterator["pa.RecordBatchReader"]:
        """Answer SQL that was made inside this package in batches, as of now; times are aware where the SQL says so."""
        with self._instance.reading_long() as cursor, Snapshot(cursor).stream(sql, batch_rows, **values) as reader:
            yield reader

    @contextmanager
    def stream_rows(self, question: str, batch_rows: int, **values: object) -> Iterator[Iterator[list[Row]]]:
        """Answer `queries/<question>.sql` in portions of dictionaries, as of now."""
        with self.stream(query_text(question), batch_rows, **values) as reader:
            yield (batch.to_pylist() for batch in reader)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Answer many questions about the moment of the first of them; readers and writers go on meanwhile.

        Raises StoreUnavailable where the database cannot be read to the end.
        """
        try:
            with self._instance.reading_long() as cursor, one_transaction(cursor):
                yield Snapshot(cursor)
        except duckdb.Error as failure:
            raise StoreUnavailable(f"The database cannot be read now: {failure}") from failure

    @contextmanager
    def transaction(self) -> Iterator["Writer"]:
        """Write everything inside the block or nothing; writers wait for each other.

        Raises WriteRefused for values that the tables do not take, StoreUnavailable when the disk does not take
        them, StoreOutOfMemory when they are too many; nothing of the block is stored then.
        """
        self.disk.require_room()
        with self._noted(), _explained(), self._instance.writing() as cursor:
            cursor.execute("BEGIN")
            try:
                yield Writer(cursor)
                cursor.execute("COMMIT")
            except BaseException:
                _roll_back(cursor)
                raise

    def copy_to(self, target: Path, *, program: str, taken_at: datetime) -> Manifest:
        """Copy everything that is committed now to a new file; readers and writers go on meanwhile.

        Raises BackupFailed when a copy is under way already, when the file cannot be written, and at `close`.
        """
        if not self._copy_lock.acquire(blocking=False):
            raise BackupFailed("A backup is being made already; ask again when it is done.", status=409)
        try:
            with self._instance.reading_long() as self._copying:
                return copy_database(self._copying, target, program, taken_at)
        finally:
            self._copying = None
            self._copy_lock.release()

    def size_bytes(self) -> int | None:
        """The database file and its log on disk; None in memory."""
        if self.path is None:
            return None
        files = (self.path, self.path.with_name(self.path.name + ".wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Write the log into the file and let go of it; nothing may read or write any more."""
        self._end_copying()
        self._instance.close()

    def _end_copying(self) -> None:
        while not self._copy_lock.acquire(timeout=_POLL_S):
            if (copying := self._copying) is not None:
                with suppress(duckdb.Error):  # it is closed by now
                    copying.interrupt()  # again and again: one that comes between two of its statements is forgotten
        self._copy_lock.release()

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        return self._instance.connection

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        return self._instance.cursor()

    @contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
        except StoreOutOfMemory:  # says nothing of the disk
            raise
        except StoreUnavailable as failure:
            self.disk.note(str(failure))
            raise
        self.disk.note(None)


class Writer:
    """What may be done inside a transaction."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor
        self._batch: object = None

    def execute(self, question: str, **values: object) -> list[Row]:
        """Run `queries/<question>.sql`; the rows it returns, if any."""
        return fetch(self._cursor.execute(query_text(question), to_database(values)))

    def run(self, sql: str, *, batch: object = None, **values: object) -> list[Row]:
        """Run SQL that was made inside this package; it may read the Arrow table `batch` under that name."""
        if batch is not None:
            self._register(batch)
        return fetch(self._cursor.execute(sql, to_database(values)))

    def execute_with(self, question: str, batch: object, **values: object) -> list[Row]:
        """Run a question that reads the Arrow table `batch` under that name, until the next one or the end."""
        self._register(batch)
        return self.execute(question, **values)

    def _register(self, batch: object) -> None:
        if batch is not self._batch:
            self._cursor.register("batch", batch)
            self._batch = batch


def _migrated(connection: duckdb.DuckDBPyConnection, path: Path | None) -> None:
    try:
        migrate(connection)
    except duckdb.Error as failure:
        raise explained(path, failure) from failure
    except StoreError as refused:
        raise type(refused)(f"{path}: {refused}") from refused


def _unmasked(column: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(column, np.ma.MaskedArray):
        return column
    filled = column.data.astype(np.float64) if column.dtype.kind in "iub" else column.data.copy()
    filled[column.mask] = _NULLS.get(filled.dtype.kind)
    return filled


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.Error):  # DuckDB has already ended a transaction whose commit failed
        cursor.execute("ROLLBACK")


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except _REFUSALS as failure:
        raise WriteRefused(f"The database refuses these values: {failure}") from failure
    except duckdb.OutOfMemoryException as failure:
        reason = str(failure).partition("\n")[0]
        raise StoreOutOfMemory(f"The database has too little store.memory_limit for this: {reason}") from failure
    except duckdb.Error as failure:
        raise StoreUnavailable(f"The database cannot be written now: {failure}") from failure
