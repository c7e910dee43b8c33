"""Telemetry from a spool directory: segments that no process writes any more, stored as if they came over HTTP."""

import logging
from pathlib import Path
from typing import Final

from ragvigil.spool.claim import Claim, claim
from ragvigil.spool.directory import segments
from ragvigil.spool.frames import Frame, Kind, TornSegment
from ragvigil_monitor.errors import BadTelemetry, Overloaded, StoreUnavailable
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.directory_reader import DirectoryReader
from ragvigil_monitor.receiver.storing import Storing
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.unreadable import count_unreadable
from ragvigil_monitor.service import Service

MOST_PENDING: Final = 8
"""So many groups wait for their commit at once; the rest of the committer's queue is for HTTP."""
DAMAGED: Final = "rejected_spool_damaged"
"""Outcome of a segment that ends in the middle of a frame, or in something that is none, or that defeats decoding."""

logger = logging.getLogger(__name__)


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
        storing = Storing(self._service, MOST_PENDING)
        is_damaged = False
        try:
            for frame in taken.frames():
                self.go_on()
                is_damaged |= not self._is_added(frame, storing)
        except TornSegment:
            is_damaged = True
        storing.finish()
        return is_damaged

    def _is_added(self, frame: Frame, storing: Storing) -> bool:
        """Hand on what a frame holds, or count that it is refused; False for one at which decoding fails."""
        try:
            batch = self._decoded(frame)
        except BadTelemetry as bad:
            count_unreadable(self._service.committer, f"rejected_request_{bad.status}")
            return True
        except Exception:  # a defect of ours must not hold up what lies behind this frame
            logger.exception("A frame in %s could not be decoded.", self._directory)
            return False
        storing.add(batch)
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
