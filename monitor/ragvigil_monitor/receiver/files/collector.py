"""Telemetry from the files of an OpenTelemetry Collector's `file` exporter, stored as if it came over HTTP."""

import logging
import os
from pathlib import Path
from typing import IO

from ragvigil_monitor.errors import Overloaded, StoreUnavailable
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.directory_reader import DirectoryReader
from ragvigil_monitor.receiver.files.aside import SAMPLE_BYTES, SUFFIX, keep_aside
from ragvigil_monitor.receiver.files.found import ZEROS, Found, Piece, Refused
from ragvigil_monitor.receiver.files.listing import Listed, listed
from ragvigil_monitor.receiver.files.pieces import decoded, refusal, split
from ragvigil_monitor.receiver.files.places import Place, Position, known_position, position_in
from ragvigil_monitor.receiver.files.reading import beginning_of, growing
from ragvigil_monitor.receiver.late import LateSpans
from ragvigil_monitor.receiver.storing import Storing
from ragvigil_monitor.service import Service

_Version = tuple[int, int]
"""Size and time of the last write: where they are as they were, there is nothing new."""

logger = logging.getLogger(__name__)


class CollectorReader(DirectoryReader):
    """One thread that looks into `directory` every `poll_s` seconds.

    A context manager. The position up to which a file is read is stored in the transaction that stores what it holds,
    so that nothing is read twice or left out, whenever this or the writer is killed. A last line or frame that is not
    complete waits. Nothing is deleted but rotated files of which every byte was read, if `delete_rotated`.
    """

    def __init__(self, service: Service, directory: Path, poll_s: float, *, delete_rotated: bool = False) -> None:
        super().__init__(directory, poll_s, "ragvigil-collector")
        self._service = service
        self._delete_rotated = delete_rotated
        self._late = LateSpans()
        self._seen: dict[Place, _Version] = {}

    def read_all(self) -> None:
        """Store what every file has beyond its position. What cannot be read or stored is logged and left."""
        try:
            for file in listed(self._directory):
                self._look_at(file)
            self._late.link(self._service.store)
        except OSError as failure:
            self.tell(f"The directory {self._directory} cannot be read: {failure}")
        except (StoreUnavailable, Overloaded) as failure:
            self.tell(f"What lies in {self._directory} cannot be stored now: {failure}")

    def _look_at(self, listed_file: Listed) -> None:
        place = Place.of(listed_file.path, listed_file.facts)
        version = (listed_file.facts.st_size, listed_file.facts.st_mtime_ns)
        if self._seen.get(place) == version:
            return
        try:
            with listed_file.path.open("rb") as file:
                if str(os.fstat(file.fileno()).st_ino) != place.inode:
                    return  # rotated since the listing; the next look finds both
                is_done = self._read(file, listed_file.path, place)
        except OSError as failure:
            self.tell(f"{listed_file.path} cannot be read: {failure}")
            return
        self._seen[place] = version
        if is_done and self._delete_rotated and listed_file.is_rotated:
            listed_file.path.unlink(missing_ok=True)

    def _read(self, file: IO[bytes], path: Path, place: Place) -> bool:
        """Store what a file has beyond its position; whether all of it could be read, up to its end."""
        read = growing(beginning_of(file))
        if read is None:
            if os.fstat(file.fileno()).st_size:
                self.tell(f"{path} is in no format that the file exporter of a Collector writes; it is left alone.")
            return False
        position = position_in(file, known_position(self._service.store, place))
        storing = Storing(self._service, depth=1)
        for piece in read(file, position.offset, self._service.settings.server.max_body_bytes, is_whole=False):
            self.go_on()
            batch, is_refused = self._batch(piece, path)
            position = Position.at(file, piece.end, is_flawed=position.is_flawed or is_refused)
            batch.positions.append(position.row(place))
            storing.add(batch)
        storing.finish()
        return not position.is_flawed and position.offset == os.fstat(file.fileno()).st_size

    def _batch(self, piece: Piece, path: Path) -> tuple[Batch, bool]:
        """What is stored and counted of a piece, and whether something of it could not be read."""
        found = piece if isinstance(piece, Refused) else decoded(piece, self._service)
        if not isinstance(found, Refused):
            self._late.note(found, self._service.received_at())
            self._tell_of_rejected(piece, found, path)
            return found, False
        halves = None if isinstance(piece, Refused) else split(piece)
        if halves is not None:
            found, whole = halves
        self._tell_of_refused(found, path)
        batch = refusal(found)
        if halves is not None:
            behind, _ = self._batch(whole, path)
            batch.add(behind)
            batch.picked = behind.picked
        return batch, found.reason != ZEROS

    def _tell_of_refused(self, found: Refused, path: Path) -> None:
        if found.reason == ZEROS:
            logger.warning("%s has zeros before byte %d; requests may have been there.", path, found.end)
            return
        logger.warning("%s has a piece before byte %d that is no request: %s", path, found.end, found.reason)
        keep_aside(path, found.content)

    def _tell_of_rejected(self, piece: Piece, batch: Batch, path: Path) -> None:
        """Spans that would be rejected for ever hold no file back: they are counted, told once, and some are kept."""
        if batch.rejected() and isinstance(piece, Found):
            keep_aside(path, piece.body, SAMPLE_BYTES)
            self.tell(
                f"{path} has spans or log records that are counted as rejected; the others of their requests are "
                f"stored. Some of those requests are in {path.name}{SUFFIX} beside it."
            )


def open_collector_reader(service: Service) -> CollectorReader | None:
    """The reader of the directory that the settings name, if they name one."""
    given = service.settings.collector
    if given.directory is None:
        return None
    return CollectorReader(service, given.directory, given.poll_s, delete_rotated=given.delete_rotated)
