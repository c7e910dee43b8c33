"""Delivers to a receiver; to files while none answers, and from them when it is back."""

import time
from collections.abc import Callable
from typing import Final

from google.protobuf.message import DecodeError

from ragvigil.counts import Counters
from ragvigil.export.attempts import Attempts
from ragvigil.export.backoff import Backoff
from ragvigil.export.exporter import Delivery, Exporter, Outcome, Signal
from ragvigil.guard import GUARD
from ragvigil.spool.framing import packed_frames
from ragvigil.spool.shipping import Shipper
from ragvigil.spool.writer import SegmentWriter

_UNREADABLE_S: Final = 30.0
"""After a failure to read or delete files so long none is read."""


class SpoolingExporter:
    """An exporter with a spool directory behind it. Used by one thread at a time, but for hurrying and `abandon`.

    After a failed attempt the receiver counts as away for a growing while, during which everything goes to files at
    once. Nothing here raises OSError: a directory that cannot be used is counted and told, and telemetry waits in
    memory as it does without a directory.
    """

    def __init__(
        self,
        exporter: Exporter,
        writer: SegmentWriter,
        counters: Counters,
        backoff: Backoff,
        is_pressed: Callable[[], bool],
    ) -> None:
        self._attempts = Attempts(exporter, is_pressed)
        self._counters = counters
        self._writer = writer
        self._shipper = Shipper(writer.directory, writer.ledger, counters)
        self._backoff = backoff
        self._is_away = False
        self._away_until = 0.0
        self._unreadable_until = 0.0
        self._reason = ""
        self.hurry = self._attempts.hurry
        self.hurried = self._attempts.hurried
        self.start = self._attempts.start

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        """Try once, then write to disk: SPOOLED, with the number of spans that no file can take as `rejected`."""
        delivery = self._attempt(signal, payload)
        return self._keep(signal, payload, delivery) if delivery.outcome is Outcome.RETRY else delivery

    def sync(self) -> bool:
        """Bring what was written to the disk, so that it survives a loss of power too; whether that worked."""
        return self._on_disk(self._writer.sync)

    def ship(self, may_go_on: Callable[[], bool]) -> None:
        """Deliver what lies in the directory while the receiver takes it; leave no segment open for long."""
        self._on_disk(self._writer.close_old if self._is_away else self._writer.close)
        if time.monotonic() < max(self._away_until, self._unreadable_until):
            return
        if not self._on_disk(lambda: self._ship_all(may_go_on)):
            self._unreadable_until = time.monotonic() + _UNREADABLE_S

    def close(self) -> None:
        """Leave what lies in the directory to others."""
        self._shipper.release()
        self._on_disk(self._writer.close)
        self._attempts.close()

    def abandon(self) -> None:
        """Let go of the parent's files in a forked child."""
        self._writer.abandon()
        self._shipper.abandon()

    def _attempt(self, signal: Signal, payload: bytes) -> Delivery:
        if time.monotonic() < self._away_until:
            return Delivery(Outcome.RETRY, reason=self._reason)
        delivery = self._attempts.attempt(signal, payload)
        self._is_away = delivery.outcome is Outcome.RETRY
        if self._is_away:
            self._away_until = time.monotonic() + self._backoff.next_s(delivery.retry_after_s)
            self._reason = delivery.reason
            where = self._writer.directory
            GUARD.report(f"telemetry goes to {where}, the receiver does not take it: {delivery.reason}")
        else:
            self._backoff.reset()
        return delivery

    def _keep(self, signal: Signal, payload: bytes, failed: Delivery) -> Delivery:
        try:
            frames = packed_frames(signal, payload)
        except DecodeError as failure:  # nobody else could read it either, and kept it would hold up all that follows
            return Delivery(Outcome.REFUSED, reason=f"no request that can be read ({failure})")
        fitting = [packed for packed in frames if self._writer.fits(packed)]
        if not self._on_disk(lambda: self._writer.append(fitting)):
            return failed
        if len(fitting) < len(frames):
            GUARD.report(f"some {signal} are lost, they are too large for a file in {self._writer.directory}")
        lost = [packed.contents for packed in frames if not self._writer.fits(packed)]
        return Delivery(Outcome.SPOOLED, rejected=sum([contents.spans + contents.feedback for contents in lost]))

    def _ship_all(self, may_go_on: Callable[[], bool]) -> None:
        while may_go_on() and self._shipper.ship(self._attempt):
            pass

    def _on_disk(self, work: Callable[[], object]) -> bool:
        """Whether the work was done; a failure of the disk is counted and told once."""
        try:
            work()
        except OSError as failure:
            self._counters.add_spool("failed")
            GUARD.report(f"the spool directory {self._writer.directory} fails ({failure!r})")
            return False
        return True
