"""Which file it is, whatever its name, and whether it is still the one that was read up to a position."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from ragvigil_monitor.receiver.tables import Row
from ragvigil_monitor.store import Store

TAIL_BYTES: Final = 1024


@dataclass(frozen=True, slots=True)
class Place:
    """A file in its folder. It stays the same when it is renamed there, and when its device gets another number."""

    folder: str
    inode: str

    @classmethod
    def of(cls, path: Path, facts: os.stat_result) -> "Place":
        """The place of a file."""
        return cls(str(path.parent.absolute()), str(facts.st_ino))


@dataclass(frozen=True, slots=True)
class Position:
    """Up to which byte a file is stored, and the SHA-256 of the bytes before that."""

    offset: int
    tail: str

    @classmethod
    def at(cls, file: IO[bytes], offset: int) -> "Position":
        """The position at an offset of a file as it is now."""
        length = min(offset, TAIL_BYTES)
        found = os.pread(file.fileno(), length, offset - length)
        return cls(offset, hashlib.sha256(found).hexdigest())

    def row(self, place: Place) -> Row:
        """A row of `file_positions`."""
        return [place.folder, place.inode, self.offset, self.tail]


def offset_in(file: IO[bytes], known: Position | None) -> int:
    """Where to go on in a file: 0 for one that is new, was emptied or is another one with the same inode."""
    if known is None or os.fstat(file.fileno()).st_size < known.offset:
        return 0
    return known.offset if Position.at(file, known.offset) == known else 0


def known_position(store: Store, place: Place) -> Position | None:
    """Up to where a file is stored; None for one that was never read."""
    found = store.rows("file_position_of", folder=place.folder, inode=place.inode)
    return Position(found[0]["position"], found[0]["tail"]) if found else None
