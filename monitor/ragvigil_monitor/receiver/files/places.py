"""Which file it is, whatever its name, and whether it is still the one that was read up to a position."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from ragvigil_monitor.store import Store
from ragvigil_monitor.telemetry_tables import Row

TAIL_BYTES: Final = 1024
_FLAWED: Final = " flawed"
"""Behind the stored tail of a file of which something could not be read."""


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
    """Up to which byte a file is stored, and the SHA-256 of the bytes before that.

    is_flawed: something before it could not be read.
    """

    offset: int
    tail: str
    is_flawed: bool = False

    @classmethod
    def at(cls, file: IO[bytes], offset: int, *, is_flawed: bool = False) -> "Position":
        """The position at an offset of a file as it is now."""
        length = min(offset, TAIL_BYTES)
        found = os.pread(file.fileno(), length, offset - length)
        return cls(offset, hashlib.sha256(found).hexdigest(), is_flawed)

    def row(self, place: Place) -> Row:
        """A row of `file_positions`."""
        return [place.folder, place.inode, self.offset, self.tail + _FLAWED * self.is_flawed]


def position_in(file: IO[bytes], known: Position | None) -> Position:
    """Where to go on in a file: at its start for one that is new, was emptied or is another one with the same inode."""
    if known is None or os.fstat(file.fileno()).st_size < known.offset:
        return Position.at(file, 0)
    is_the_same = Position.at(file, known.offset, is_flawed=known.is_flawed) == known
    return known if is_the_same else Position.at(file, 0)


def known_position(store: Store, place: Place) -> Position | None:
    """Up to where a file is stored; None for one that was never read."""
    found = store.rows("file_position_of", folder=place.folder, inode=place.inode)
    if not found:
        return None
    tail = str(found[0]["tail"])
    return Position(found[0]["position"], tail.removesuffix(_FLAWED), tail.endswith(_FLAWED))
