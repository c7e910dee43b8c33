"""Telemetry from a spool directory: segments that no process writes any more, stored as if they came over HTTP."""

import logging
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragvigil.spool.claim import Claim, claim
from ragvigil.spool.directory import segments
from ragvigil.spool.frames import Frame, Kind, TornSegment
from ragvigil_monitor.errors import BadTelemetry, Overloaded, StoreUnavailable
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.directory_reader import DirectoryReader
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.unreadable import count_unreadable
from ragvigil_monitor.service import Service

GROUP_ROWS: Final = 2000
"""Frames are submitted together until they have so many rows: a commit costs about as much as 200 spans."""
MOST_PENDING: Final = 8
"""So many groups wait for their commit at once; the rest of the committer's queue is for HTTP."""
DAMAGED: Final = "rejected_spool_damaged"
"""Outcome of a segment that ends in the middle of a frame, or in something that is none, or that defeats decoding."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Pending:
    """Batches that were submitted as one, a frame each."""

    parts: list[Batch]
    done: Future[None]


class _Submission:
    """Hands batches of frames to a committer in groups; `finish` waits for them all."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._group: list[Batch] = []
        self._rows = 0
        self._pending: deque[_Pending] = deque()

    def add(self, batch: Batch) -> None:
        """Take the batch of one more frame; raises StoreUnavailable and Overloaded."""
        self._group.append(batch)
        self._rows += batch.rows()
        if self._rows >= GROUP_ROWS:
            self._close_group()

    def finish(self) -> None:
        """Wait until everything is committed; raises StoreUnavailable and Overloaded."""
        self._close_group()
        while self._pending:
            self._settle()

    def _close_group(self) -> None:
        parts, self._group, self._rows = self._group, [], 0
        if parts:
            self._submit(parts)
        if len(self._pending) >= MOST_PENDING:
            self._settle()

    def _submit(self, parts: list[Batch]) -> None:
        together = Batch()
        for part in parts:
            together.add(part)
        while True:
            try:
                done = self._service.committer.submit(together, is_divisible=len(parts) > 1)
                self._pending.append(_Pending(parts, done))
                return
            except Overloaded:
                if not self._pending:
                    raise
                self._settle()

    def _settle(self) -> None:
        """Wait until the oldest group is committed; of one that no table takes, each frame on its own."""
        oldest = self._pending.popleft()
        failure = oldest.done.exception()
        if isinstance(failure, StoreUnavailable):
            raise failure
        if failure is None:
            self._forward(oldest.parts)
        elif len(oldest.parts) > 1:
            for part in oldest.parts:
                self._submit([part])

    def _forward(self, stored: list[Batch]) -> None:
        for batch in stored:
            self._service.forward(batch.picked)


class SpoolReader(DirectoryReader):
    """One thread that looks into `directory` every `poll_s` seconds.

    A context manager. A segment is deleted when all of it is committed; whatever interrupts that, all of it is read
    again, and the store keeps each span and event once. A segment that a process has open is left alone.
    """

    def __init__(self, service: Service, directory: Path, poll_s: float) -> None:
        super().__init__(directory, poll_s, "ragvigil-spool")
        self._service = service
        self._left: set[Path] = set()  # stored, but they could not be removed: not to be read again and again

    def read_all(self) -> int:
        """Read every segment that is closed now; how many are done. What cannot be read is logged and left."""
        done = 0
        try:
            for file in segments(self._directory):
                done += self._is_read(file.path)
        except OSError as failure:
            self.tell(f"The spool directory {self._directory} cannot be read: {failure}")
        except (StoreUnavailable, Overloaded) as failure:
            self.tell(f"What lies in {self._directory} cannot be stored now: {failure}")
        return done

    def _is_read(self, path: Path) -> bool:
        """Whether a segment could be taken, and is stored and gone."""
        try:
            taken = None if path in self._left else claim(path)
            if taken is None:
                return False
            with taken:
                self._read(taken)
        except OSError as failure:
            self.tell(f"{path} cannot be read and deleted: {failure}")
            return False
        return True

    def _read(self, taken: Claim) -> None:
        is_damaged = self._is_damaged(taken)
        self._left.add(taken.path)
        if is_damaged:
            count_unreadable(self._service.committer, DAMAGED)
            logger.warning("%s is damaged; what could be read is stored, the file is kept aside.", taken.path)
            taken.set_aside()
        else:
            taken.delete()
        self._left.discard(taken.path)

    def _is_damaged(self, taken: Claim) -> bool:
        """Store the frames of a segment; whether something else came behind them, or one that nobody can read."""
        submission = _Submission(self._service)
        is_damaged = False
        try:
            for frame in taken.frames():
                self.go_on()
                is_damaged |= not self._is_added(frame, submission)
        except TornSegment:
            is_damaged = True
        submission.finish()
        return is_damaged

    def _is_added(self, frame: Frame, submission: _Submission) -> bool:
        """Hand on what a frame holds, or count that it is refused; False for one at which decoding fails."""
        try:
            batch = self._decoded(frame)
        except BadTelemetry as bad:
            count_unreadable(self._service.committer, f"rejected_request_{bad.status}")
            return True
        except Exception:  # a defect of ours must not hold up what lies behind this frame
            logger.exception("A frame in %s could not be decoded.", self._directory)
            return False
        submission.add(batch)
        return True

    def _decoded(self, frame: Frame) -> Batch:
        received_us = microseconds(self._service.received_at())
        if frame.kind is Kind.LOGS:
            return decode_logs(frame.payload, received_us)
        return decode_traces(frame.payload, received_us, pick=self._service.pick)


def open_spool_reader(service: Service) -> SpoolReader | None:
    """The reader of the directory that the settings name, if they name one."""
    spool = service.settings.spool
    return None if spool.directory is None else SpoolReader(service, spool.directory, spool.poll_s)
