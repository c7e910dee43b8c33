"""The background thread: delivers what waits, again and again, and reports the counters."""

import threading
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final

from ragvigil.background import started
from ragvigil.clock import Clock
from ragvigil.export.backoff import Backoff
from ragvigil.export.exporter import Delivery, Outcome
from ragvigil.export.queue import TraceQueue
from ragvigil.export.sender import Sender
from ragvigil.guard import GUARD

if TYPE_CHECKING:
    from ragvigil.export.spooling import SpoolingExporter

_PATIENCE: Final = 0.8
"""Share of the time of a flush after which what the receiver has not taken goes to the spool."""


class Worker:
    """One daemon thread, started with the first trace; while none can be, everything waits.

    The counters follow the first delivery, so that a new process is known at once, and are due every
    `counts_interval_s` from then on.

    spool: the sender's exporter, if it has a directory.
    """

    def __init__(
        self,
        queue: TraceQueue,
        sender: Sender,
        clock: Clock,
        *,
        backoff: Backoff,
        export_interval_s: float,
        counts_interval_s: float,
        spool: "SpoolingExporter | None" = None,
    ) -> None:
        self._queue = queue
        self._sender = sender
        self._clock = clock
        self._backoff = backoff
        self._export_interval_s = export_interval_s
        self._counts_interval_s = counts_interval_s
        self._counts_due_at = time.monotonic()
        self._spool = spool
        self._flushes_asked = 0
        self._flushes_done = 0
        self._stopping = False
        self._thread: threading.Thread | None = None

    def ensure_running(self) -> None:
        """Start the thread if it does not run yet."""
        if self._thread is None and not self._stopping:
            with self._queue.changed:
                if self._thread is None:
                    self._thread = started(self._run, "ragvigil-export")

    def is_running(self) -> bool:
        """Whether the thread lives; it starts with the first trace."""
        return self._thread is not None and self._thread.is_alive()

    def flush(self, timeout_s: float) -> bool:
        """Wait until all that was handed over before is delivered, spooled or dropped; False if time is over first.

        Without a thread there is nothing to wait for.
        """
        self.ensure_running()
        if self._thread is None:
            return not self._queue.waiting()
        with self._hurried(_PATIENCE * timeout_s), self._queue.changed:
            self._flushes_asked += 1
            mine = self._flushes_asked
            self._queue.changed.notify_all()
            return self._queue.changed.wait_for(lambda: self._flushes_done >= mine, timeout_s)

    def stop(self, timeout_s: float) -> None:
        """End the thread after the attempt that it is at; what still waits is spooled, or dropped and counted.

        The thread gets `timeout_s` to end. Without one, the caller spools.
        """
        if self._spool is not None:
            self._spool.hurry(time.monotonic())
        with self._queue.changed:
            self._stopping = True
            self._queue.changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout_s)
        else:
            self._end()
        self._queue.drop_all()

    def _run(self) -> None:
        if self._spool is not None:
            self._spool.start()
        while not self._stopping:
            with self._queue.changed:
                self._queue.changed.wait_for(self._has_reason, self._export_interval_s)
            if not self._has_worked():
                self._pause(self._backoff.next_s(None))
        self._end()

    def _has_worked(self) -> bool:
        """Work; whatever is raised in it, this thread lives on."""
        try:
            self._work()
        except BaseException as failure:  # noqa: BLE001 - as it says
            GUARD.caught(failure)
            return False
        return True

    def _end(self) -> None:
        with GUARD:
            self._spool_rest()
        self._sender.close()

    def _has_reason(self) -> bool:
        return self._stopping or self._flushes_asked > self._flushes_done or self._queue.is_half_full()

    def _work(self) -> None:
        """Deliver what waits now; then the counters, if they are due or someone waits for a flush."""
        asked = self._flushes_asked
        last = self._queue.last_number
        while not self._queue.is_settled(last):
            if not self._succeeded(self._sender.send_oldest()):
                return
        if asked > self._flushes_done or time.monotonic() >= self._counts_due_at:
            if not self._succeeded(self._sender.send_counts(self._clock.wall_ns())):
                return
            self._counts_due_at = time.monotonic() + self._counts_interval_s
        if asked > self._flushes_done and self._spool is not None and not self._spool.sync():
            self._pause(self._backoff.next_s(None))
            return
        with self._queue.changed:
            self._flushes_done = asked
            self._queue.changed.notify_all()
        self._ship()

    def _hurried(self, within_s: float) -> AbstractContextManager[None]:
        """While somebody waits, no attempt takes longer than that if there is a spool instead."""
        return nullcontext() if self._spool is None else self._spool.hurried(time.monotonic() + within_s)

    def _ship(self) -> None:
        """Deliver what lies in the spool while there is nothing else to do."""
        if self._spool is not None and not self._stopping:
            until = time.monotonic() + self._export_interval_s
            self._spool.ship(lambda: not self._has_reason() and time.monotonic() < until)

    def _spool_rest(self) -> None:
        """Write what still waits to disk, where there is a directory."""
        last = self._queue.last_number
        while self._spool is not None and not self._queue.is_settled(last):
            if self._sender.send_oldest().outcome is Outcome.RETRY:
                return

    def _succeeded(self, delivery: Delivery) -> bool:
        """Whether to go on; after a failed attempt, once the time has come to begin anew."""
        if delivery.outcome is not Outcome.RETRY:
            self._backoff.reset()
            return True
        self._pause(self._backoff.next_s(delivery.retry_after_s))
        return False

    def _pause(self, wait_s: float) -> None:
        """Wait before the next attempt; a new flush or the end cuts it short."""
        asked = self._flushes_asked
        with self._queue.changed:
            hurried = self._queue.changed.wait_for(lambda: self._stopping or self._flushes_asked > asked, wait_s)
        if hurried:
            self._backoff.reset()
