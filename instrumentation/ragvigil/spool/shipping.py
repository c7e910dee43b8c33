"""Delivers what lies in segments, of this process and of others, once a receiver answers again."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragvigil.counts import Counters
from ragvigil.export.exporter import Delivery, Outcome, Signal
from ragvigil.spool.claim import Claim, claim
from ragvigil.spool.directory import SpoolFile, segments
from ragvigil.spool.frames import Kind, TornSegment
from ragvigil.spool.framing import Contents, contents_of
from ragvigil.spool.ledger import Ledger

BATCH_BYTES: Final = 4 << 20
_SIGNALS: Final = {Kind.TRACES: Signal.TRACES, Kind.LOGS: Signal.LOGS}

Attempt = Callable[[Signal, bytes], Delivery]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Neighbouring frames of one kind, as one request: requests in protobuf are joined by writing them in a row."""

    signal: Signal
    payload: bytes
    frames: int
    end: int


class Shipper:
    """Takes one segment after the other, the oldest first, and deletes it when all of it is acknowledged."""

    def __init__(self, directory: Path, ledger: Ledger, counters: Counters) -> None:
        self._directory = directory
        self._ledger = ledger
        self._counters = counters
        self._claim: Claim | None = None
        self._file: SpoolFile | None = None
        self._offset = 0
        self._left: set[Path] = set()

    def ship(self, attempt: Attempt) -> bool:
        """Try to deliver one more batch; False when there is none or it was not taken.

        Raises OSError; a segment that could not be read or deleted is left to others from then on.
        """
        try:
            return self._ship(attempt)
        except OSError:
            if self._claim is not None:
                self._left.add(self._claim.path)
            self.release()
            raise

    def _ship(self, attempt: Attempt) -> bool:
        if self._claim is None and not self._take_next():
            return False
        assert self._claim is not None  # noqa: S101 - for the type checker
        batch, is_torn = _next_batch(self._claim, self._offset)
        if batch is not None:
            return self._deliver(batch, attempt)
        self._finish(self._claim, is_torn)
        return True

    def release(self) -> None:
        """Let others have the segment that is under way; they will deliver again what of it was delivered."""
        if self._claim is not None:
            self._claim.release()
            self._claim = None

    def abandon(self) -> None:
        """Let go of the parent's segment in a forked child."""
        if self._claim is not None:
            self._claim.abandon()

    def _take_next(self) -> bool:
        waiting = segments(self._directory)
        self._left &= {file.path for file in waiting}
        return any(file.path not in self._left and self._is_taken(file) for file in waiting)

    def _is_taken(self, file: SpoolFile) -> bool:
        """Whether a segment is ours now; one that was under way before goes on where it was."""
        with suppress(PermissionError):  # of another user; what is ours is not held up by it
            self._claim = claim(file.path)
        if self._claim is None:
            return False
        if file != self._file:
            self._file, self._offset = file, 0
        return True

    def _deliver(self, batch: _Batch, attempt: Attempt) -> bool:
        assert self._claim is not None  # noqa: S101 - for the type checker
        delivery = attempt(batch.signal, batch.payload)
        if delivery.outcome is Outcome.RETRY:
            self.release()
            return False
        if delivery.outcome is Outcome.REFUSED or delivery.rejected:
            self._count_refused(self._claim.path.name, batch, delivery)
        if delivery.outcome is Outcome.ACCEPTED:
            self._counters.add_spool("delivered", batch.frames)
        self._offset = batch.end
        return True

    def _count_refused(self, segment: str, batch: _Batch, delivery: Delivery) -> None:
        held = contents_of(batch.signal, batch.payload)
        if delivery.outcome is not Outcome.REFUSED:
            held = Contents(min(held.spans, delivery.rejected), min(held.feedback, delivery.rejected))
        self._counters.add_spool("refused", held.spans + held.feedback)
        self._ledger.lose(segment, held)

    def _finish(self, ended: Claim, is_torn: bool) -> None:
        if is_torn:
            self._counters.add_spool("corrupt")
            ended.set_aside()
        else:
            ended.delete()
        self.release()


def _next_batch(claimed: Claim, offset: int) -> tuple[_Batch | None, bool]:
    """What comes next in a segment, None at its end; and whether it is torn there."""
    payloads: list[bytes] = []
    kind, end, size = None, offset, 0
    try:
        for frame in claimed.frames(offset):
            if payloads and (frame.kind is not kind or size + len(frame.payload) > BATCH_BYTES):
                break
            payloads.append(frame.payload)
            kind, end, size = frame.kind, frame.end, size + len(frame.payload)
    except TornSegment:
        if not payloads:
            return None, True
    return (None if kind is None else _Batch(_SIGNALS[kind], b"".join(payloads), len(payloads), end)), False
