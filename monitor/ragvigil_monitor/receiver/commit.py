"""One thread that stores what was received: in groups, acknowledged after the commit."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Final, Self

from ragvigil_monitor.errors import Overloaded, StoreError, StoreOutOfMemory, StoreUnavailable
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.store import Store

MAX_GROUP_ROWS: Final = 20_000
"""A group is closed when it has this many rows; DuckDB gains nothing from larger ones."""
MAX_WAITING_ROWS: Final = 150_000
"""What waits is in memory, about a kilobyte a row."""
MAX_LINGER_S: Final = 0.025
"""A transaction costs about as much as 200 spans, so it pays to wait a moment for what is on its way."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    batch: Batch
    is_divisible: bool
    done: Future[None] = field(default_factory=Future)


class Committer:
    """The only writer of telemetry.

    `submit` hands over a batch; its future is done when the batch is on disk. It fails with StoreUnavailable when
    the disk does not take it (send it again later), and with another error when the batch itself cannot be stored:
    then the batch is counted as `rejected_not_storable`, and its neighbours in the group are stored without it.
    observe_s: told how long each group took that was stored.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], datetime],
        max_waiting: int = 256,
        observe_s: Callable[[float], None] | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._observe_s = observe_s
        self._queue: queue.Queue[_Waiting | None] = queue.Queue(max_waiting + 1)
        self._max_waiting = max_waiting
        self._announced = 0
        self._waiting_rows = 0
        self._open = True
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="ragvigil-commit", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def announced(self) -> Iterator[None]:
        """Say that a batch is being decoded: the group that forms waits for it, at most MAX_LINGER_S."""
        with self._lock:
            self._announced += 1
        try:
            yield
        finally:
            with self._lock:
                self._announced -= 1

    def submit(self, batch: Batch, *, is_divisible: bool = False) -> Future[None]:
        """Queue a batch; raise Overloaded when `max_waiting` batches or too many rows wait, or after `close`.

        is_divisible: what is not storable is not counted, because the caller submits it again in parts.
        """
        waiting = _Waiting(batch, is_divisible)
        waiting.done.set_running_or_notify_cancel()
        with self._lock:
            if not self._open:
                raise Overloaded("The receiver is shutting down; send this again in a moment.")
            if self._queue.qsize() >= self._max_waiting:
                raise Overloaded(f"{self._max_waiting} requests wait to be stored already; send this again later.")
            self._add_rows(batch.rows())
            self._queue.put_nowait(waiting)
        waiting.done.add_done_callback(partial(self._remove_rows, batch.rows()))
        return waiting.done

    def _add_rows(self, rows: int) -> None:
        if self._waiting_rows and self._waiting_rows + rows > MAX_WAITING_ROWS:
            raise Overloaded(f"{self._waiting_rows:,} rows wait to be stored already; send this again later.")
        self._waiting_rows += rows

    def _remove_rows(self, rows: int, _done: Future[None]) -> None:
        with self._lock:
            self._waiting_rows -= rows

    def close(self) -> None:
        """Store everything that waits, then stop; a second call does nothing."""
        with self._lock:
            if self._open:
                self._open = False
                self._queue.put_nowait(None)
        self._thread.join()

    def _run(self) -> None:
        while group := self._next_group():
            self._commit(group)

    def _next_group(self) -> list[_Waiting]:
        """Wait for a batch, then take what comes with it; empty after `close`."""
        group: list[_Waiting] = []
        waiting = self._queue.get()
        deadline = time.monotonic() + MAX_LINGER_S
        while waiting is not None:
            group.append(waiting)
            if sum(each.batch.rows() for each in group) >= MAX_GROUP_ROWS:
                return group
            try:
                waiting = self._following(deadline)
            except queue.Empty:
                return group
        if group:
            self._queue.put_nowait(None)  # the next call ends
        return group

    def _following(self, deadline: float) -> _Waiting | None:
        """What waits or is announced, until the deadline; raises queue.Empty when nothing comes."""
        if not self._announced:
            return self._queue.get_nowait()
        return self._queue.get(timeout=max(0.0, deadline - time.monotonic()))

    def _commit(self, group: list[_Waiting]) -> None:
        try:
            self._write([waiting.batch for waiting in group])
        except StoreOutOfMemory as failure:
            self._isolate(group, failure)
        except StoreUnavailable as failure:
            _fail(group, failure)
        except Exception as failure:  # noqa: BLE001 - whatever a batch raises belongs to its sender, not to this thread
            self._isolate(group, failure)
        else:
            for waiting in group:
                waiting.done.set_result(None)

    def _isolate(self, group: list[_Waiting], failure: Exception) -> None:
        if len(group) > 1:
            for waiting in group:
                self._commit([waiting])
            return
        if isinstance(failure, StoreOutOfMemory):
            logger.warning("A batch of telemetry waits for its sender to try again: %s", failure)
        elif not group[0].is_divisible:
            logger.error("A batch of telemetry could not be stored.", exc_info=failure)
            self._count_not_storable(group[0].batch)
        _fail(group, failure)

    def _count_not_storable(self, batch: Batch) -> None:
        counts = Batch()
        for service, items in batch.items_by_service().items():
            counts.count(service, "rejected_not_storable", items)
        try:
            self._write([counts])
        except StoreError:
            logger.exception("What could not be stored could not be counted either.")

    def _write(self, batches: list[Batch]) -> None:
        together = Batch()
        for batch in batches:
            together.add(batch)
        began = time.monotonic()
        with self._store.transaction() as writer:
            write(writer, together, self._clock())
        if self._observe_s is not None:
            self._observe_s(time.monotonic() - began)


def _fail(group: list[_Waiting], failure: Exception) -> None:
    for waiting in group:
        waiting.done.set_exception(failure)
