"""Appends frames to segments, one open at a time, within a limit for the whole directory."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragvigil.counts import Counters
from ragvigil.spool.claim import Claim, claim, locked, unlock
from ragvigil.spool.directory import SpoolFile, files_aside, segment_name, segments
from ragvigil.spool.frames import HEADER, MAX_SEGMENT_BYTES, TornSegment
from ragvigil.spool.framing import Contents, Packed
from ragvigil.spool.ledger import Ledger

SEGMENTS_IN_LIMIT: Final = 4
"""The limit of a directory holds at least so many segments."""
MIN_OPEN_S: Final = 2.0
"""An open segment, which nobody else can deliver, is closed after this time; later when many wait already."""


@dataclass(slots=True)
class _Open:
    """The segment that is being written, locked."""

    path: Path
    descriptor: int
    size: int
    opened_at: float


class SpoolFull(OSError):  # noqa: N818 - a state of the directory
    """The limit is reached, and nothing may be deleted: all other segments are in use."""


class SegmentWriter:
    """Writes as one process, named by `instance_id`. Used by one thread at a time.

    What `append` has written is with the operating system and survives the end of the process, however it ends;
    `sync` and `close` wait until it is on the disk and survives a loss of power too.
    """

    def __init__(self, directory: Path, instance_id: str, max_bytes: int, counters: Counters) -> None:
        self.directory = directory
        self.ledger = Ledger(counters)
        self._instance_id = instance_id
        self._max_bytes = max_bytes
        self._max_segment_bytes = min(MAX_SEGMENT_BYTES, max_bytes // SEGMENTS_IN_LIMIT)
        self._counters = counters
        self._number = 0
        self._others = 0
        self._open: _Open | None = None

    def append(self, frames: Sequence[Packed]) -> None:
        """Write frames; raises OSError when that is not possible, and then none of them counts as written.

        Of many frames some may lie in segments that are closed already: they will be delivered twice.
        """
        before, size = self._open, 0 if self._open is None else self._open.size
        written: list[tuple[str, Contents]] = []
        try:
            for packed in frames:
                written.append((self._write(packed), packed.contents))  # noqa: PERF401 - those before a failure count
        except OSError:
            for segment, contents in written:
                self.ledger.forget(segment, contents)
            if self._open is not None and not _is_cut(self._open, size if self._open is before else len(HEADER)):
                self._let_go()
            raise

    def fits(self, packed: Packed) -> bool:
        """Whether a frame fits into a segment at all."""
        return len(HEADER) + len(packed.data) <= self._max_segment_bytes

    def close_old(self) -> None:
        """Close the open segment if it has been open for long, so that others can deliver it. Raises OSError."""
        if self._open is not None and time.monotonic() - self._open.opened_at >= max(MIN_OPEN_S, self._others):
            self.close()

    def sync(self) -> None:
        """Bring what was written to the disk; raises OSError."""
        if self._open is not None:
            os.fsync(self._open.descriptor)

    def close(self) -> None:
        """Close the open segment, on disk; raises OSError."""
        try:
            self.sync()
        finally:
            self._let_go()

    def abandon(self) -> None:
        """Let go of the parent's segment in a forked child: closing a copy of its descriptor leaves it locked."""
        ended, self._open = self._open, None
        if ended is not None:
            os.close(ended.descriptor)

    def _let_go(self) -> None:
        """Leave the open segment to others, also where a child that was forked meanwhile has a copy of it."""
        if self._open is not None:
            unlock(self._open.descriptor)
        self.abandon()

    def _write(self, packed: Packed) -> str:
        """Write one frame; the name of the segment that has it."""
        segment = self._room_for(len(packed.data))
        _write_all(segment.descriptor, packed.data)
        segment.size += len(packed.data)
        self.ledger.add(segment.path.name, packed.contents)
        return segment.path.name

    def _room_for(self, size: int) -> _Open:
        if self._open is not None and os.fstat(self._open.descriptor).st_nlink == 0:
            self.ledger.lose(self._open.path.name)  # somebody removed the file, or the directory
            self._let_go()
        if self._open is not None and self._open.size + size > self._max_segment_bytes:
            self.close()
        return self._open or self._begun()

    def _begun(self) -> _Open:
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._make_room()
        while True:
            self._number += 1
            path = self.directory / segment_name(self._instance_id, self._number)
            with suppress(FileExistsError):
                # Known at once, so that a child that is forked while the header comes to the disk lets go of it.
                self._open = opened = _Open(path, _created(path), len(HEADER), time.monotonic())
                if self._has_header(opened):
                    return opened

    def _has_header(self, opened: _Open) -> bool:
        """Lock a new file and write its header; False when a reader was quicker and took it for an orphan."""
        is_ours = False
        try:
            is_ours = locked(opened.descriptor) and os.fstat(opened.descriptor).st_nlink > 0
            if is_ours:
                _write_all(opened.descriptor, HEADER)
                _sync_directory(opened.path.parent)
        except BaseException:
            opened.path.unlink(missing_ok=True)
            self._let_go()
            raise
        if not is_ours:
            self._let_go()
        return is_ours

    def _make_room(self) -> None:
        """Delete the oldest files that nobody uses until one more segment fits; raises SpoolFull when it does not."""
        waiting = segments(self.directory)
        self._others = len(waiting)
        self.ledger.keep_only(file.path.name for file in waiting)
        aside = files_aside(self.directory)
        excess = sum(file.size for file in aside + waiting) + self._max_segment_bytes - self._max_bytes
        for file in aside:
            if excess > 0:
                file.path.unlink(missing_ok=True)
                excess -= file.size
        for file in waiting:
            if excess > 0 and self._evicted(file):
                excess -= file.size
        if excess > 0:
            raise SpoolFull(f"{self.directory} holds its limit of {self._max_bytes} bytes, all of it in use")

    def _evicted(self, file: SpoolFile) -> bool:
        try:
            oldest = claim(file.path)
            if oldest is None:
                return False
            with oldest:
                frames = _whole_frames(oldest)
                oldest.delete()
        except PermissionError:  # of another user
            return False
        self._counters.add_spool("evicted", frames)
        self.ledger.lose(file.path.name)
        return True


def _whole_frames(claimed: Claim) -> int:
    frames = 0
    with suppress(TornSegment):
        for _ in claimed.frames():
            frames += 1
    return frames


def _created(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def _is_cut(segment: _Open, size: int) -> bool:
    """Take away what was written last; False when that fails too: nothing may follow the half frame."""
    try:
        os.ftruncate(segment.descriptor, size)
        os.lseek(segment.descriptor, size, os.SEEK_SET)
    except OSError:
        return False
    segment.size = size
    return True


def _sync_directory(directory: Path) -> None:
    """Bring the name of a new file to the disk too."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
