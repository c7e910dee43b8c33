"""DuckDB's instance of the file, opened anew when DuckDB has given it up.

A checkpoint that does not fit on the disk is fatal to an instance: from then on it refuses everything, reading too,
although the file and its log are whole. So it is closed and the file opened again, by whoever notices first.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, TypeVar
from weakref import WeakSet

import duckdb

from ragvigil_monitor.errors import StoreError, StoreUnavailable

logger = logging.getLogger(__name__)

Connect = Callable[[], duckdb.DuckDBPyConnection]
Result = TypeVar("Result")

_GIVEN_UP: Final = (duckdb.FatalException, duckdb.InterruptException, duckdb.ConnectionException)
"""What is met where the instance was given up: DuckDB says so, somebody repairs it, or could not open it again."""
_PATIENCE_S: Final = 10.0
"""How long readers of an instance that is given up may take to notice; they fail at once."""

_POLL_S: Final = 0.02
_MOST_ATTEMPTS: Final = 10
"""A reader may be interrupted by one repair after another, if a writer fails as often."""


class Instance:
    """A connection, one cursor for each thread that reads, and the lock of whoever writes.

    connect: opens the file again; None where nothing would be left, in memory.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, connect: Connect | None) -> None:
        self.connection = connection
        self.write_lock = threading.RLock()
        self._connect = connect
        self._local = threading.local()
        self._cursors: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()
        self._listing = threading.Lock()
        self._gate = threading.Condition()
        self._readers = 0
        self._number = 0
        self._is_closed_for_repair = False
        self._is_closed = False
        self._threshold: str | None = None

    def read(self, work: Callable[[duckdb.DuckDBPyConnection], Result]) -> Result:
        """Do something with the cursor of this thread, again where the instance was given up.

        Raises StoreUnavailable where DuckDB gives up the next one too, the file cannot be opened, or it is closed.
        """
        fatal = 0
        for _ in range(_MOST_ATTEMPTS):
            try:
                with self.reading() as number:
                    return work(self.cursor())
            except _GIVEN_UP as failure:
                fatal += isinstance(failure, duckdb.FatalException)
                if fatal > 1:
                    raise StoreUnavailable(f"The database cannot be read now: {failure}") from failure
                self.repair(number, failure)
            except Exception as failure:
                if self._is_closed:  # anything may be met where a cursor was closed between two steps
                    raise _closed_meanwhile() from failure
                raise
        raise StoreUnavailable("The database cannot be read now: it is opened again and again.")

    @contextmanager
    def reading(self) -> Iterator[int]:
        """Keep the instance open; yields its number. Raises StoreUnavailable when it is closed for good."""
        with self._gate:
            self._gate.wait_for(lambda: not self._is_closed_for_repair)
            if self._is_closed:
                raise _closed_meanwhile()
            self._readers += 1
            number = self._number
        try:
            yield number
        finally:
            with self._gate:
                self._readers -= 1
                self._gate.notify_all()

    @contextmanager
    def reading_long(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor of its own, which is interrupted when the instance is given up."""
        with self.reading(), self.connection.cursor() as cursor:
            self._list(cursor)
            yield cursor

    @contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one transaction, one at a time; repairs the instance when it fails fatally."""
        with self.write_lock:
            number = self._number
            try:
                with self.connection.cursor() as cursor:
                    self._list(cursor)
                    yield cursor
            except _GIVEN_UP as failure:
                self.repair(number, failure)
                raise
            self._trust_again()

    def repair(self, number: int, failure: duckdb.Error) -> None:
        """Open the file again, unless somebody has since instance `number`; StoreUnavailable where that fails."""
        with self.write_lock:
            if number != self._number:
                return
            if self._connect is None:
                raise StoreUnavailable(f"The database is closed; it cannot be written or read: {failure}") from failure
            logger.error("DuckDB has given up the database, which is opened again: %s", _first_line(failure))
            with self._without_readers():
                self._close_all()
                self.connection = self._reopened(self._connect)

    def close(self) -> None:
        """Let go of the file, for good; who reads or writes meanwhile is interrupted."""
        with self._gate:
            self._connect, self._is_closed = None, True
        self._close_all()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """The one of this thread."""
        if getattr(self._local, "number", None) != self._number:
            self._local.cursor = self.connection.cursor()
            self._local.number = self._number
            self._list(self._local.cursor)
        cursor: duckdb.DuckDBPyConnection = self._local.cursor
        return cursor

    @contextmanager
    def _without_readers(self) -> Iterator[None]:
        with self._gate:
            self._is_closed_for_repair = True
            deadline = time.monotonic() + _PATIENCE_S
            while self._readers and time.monotonic() < deadline:
                self._interrupt_all()  # again and again: one that comes before a query is forgotten
                self._gate.wait(_POLL_S)
        try:
            yield
            self._number += 1
        finally:
            with self._gate:
                self._is_closed_for_repair = False
                self._gate.notify_all()

    def _list(self, cursor: duckdb.DuckDBPyConnection) -> None:
        with self._listing:
            self._cursors.add(cursor)

    def _listed(self) -> list[duckdb.DuckDBPyConnection]:
        with self._listing:
            return list(self._cursors)

    def _interrupt_all(self) -> None:
        for cursor in self._listed():
            with suppress(duckdb.Error):  # it is closed
                cursor.interrupt()

    def _close_all(self) -> None:
        """Close every cursor, then the connection; whatever runs is interrupted, from here.

        DuckDB lets who closes a cursor wait for a query that is just beginning with it, however long that takes.
        """
        deadline = time.monotonic() + _PATIENCE_S
        closing = _begun(partial(self._close_patiently, deadline))
        while wait([closing], _POLL_S).not_done and time.monotonic() < deadline:
            self._interrupt_all()
        if closing.done():
            closing.result()
        else:
            logger.error("DuckDB could not be closed within %g s: a query does not end.", _PATIENCE_S)

    def _close_patiently(self, deadline: float) -> None:
        """Raises what DuckDB does when the connection is still in use after that."""
        while sum(not _closed(cursor) for cursor in self._listed()) or not _closed(self.connection):
            if time.monotonic() > deadline:
                self.connection.close()
                return
            time.sleep(_POLL_S)

    def _reopened(self, connect: Connect) -> duckdb.DuckDBPyConnection:
        """A connection that works; until something is stored it makes no checkpoints, which would be fatal again."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                connection = connect()
                self._threshold = _setting(connection, "checkpoint_threshold")
                connection.execute("SET GLOBAL checkpoint_threshold = '1TB'")
            except (StoreError, duckdb.Error) as failure:  # the old instance lives while anybody holds a cursor of it
                if time.monotonic() > deadline:
                    raise StoreUnavailable(f"The database cannot be opened again: {failure}") from failure
                time.sleep(_POLL_S)
            else:
                return connection

    def _trust_again(self) -> None:
        if self._threshold is not None:
            self.connection.execute("SET GLOBAL checkpoint_threshold = ?", [self._threshold])
            self._threshold = None


def _closed(cursor: duckdb.DuckDBPyConnection) -> bool:
    """Close a cursor, unless another thread does something with it."""
    try:
        cursor.close()
    except duckdb.ResourceInUseException:
        return False
    return True


def _begun(work: Callable[[], None]) -> Future[None]:
    """Something that a thread does which nobody has to wait for when the program ends."""
    outcome: Future[None] = Future()

    def run() -> None:
        try:
            work()
            outcome.set_result(None)
        except BaseException as failure:  # noqa: BLE001 - whoever asks for the outcome is told
            outcome.set_exception(failure)

    threading.Thread(target=run, daemon=True).start()
    return outcome


def _closed_meanwhile() -> StoreUnavailable:
    return StoreUnavailable("The database is closed.")


def _setting(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    ((value,),) = connection.execute("SELECT current_setting(?)", [name]).fetchall()
    return str(value)


def _first_line(failure: duckdb.Error) -> str:
    return str(failure).partition("\n")[0]
