"""Zeros that nobody wrote: after a crash, and in a file that was emptied while its writer stays where it was."""

import errno
import os
from collections.abc import Iterator
from typing import IO, Final

_PORTION: Final = 1 << 20


def behind_zeros(file: IO[bytes], offset: int) -> int:
    """The offset of the first byte from an offset on that is not zero; the end of the file where there is none.

    A hole of any size is passed over in one step; zeros that are on disk are read.
    """
    offset = _behind_hole(file, offset)
    file.seek(offset)
    while portion := file.read(_PORTION):
        rest = portion.lstrip(b"\0")
        if rest:
            return offset + len(portion) - len(rest)
        offset = _behind_hole(file, offset + len(portion))
        file.seek(offset)
    return offset


def are_in_place_of_data(file: IO[bytes], start: int, end: int) -> bool:
    """Whether requests may have been where zeros are between two offsets, as after a crash.

    A file that was emptied under its writer begins with a hole, and its first block with data begins with zeros.
    """
    if start > 0:
        return True
    on_disk = sum(stop - begin for begin, stop in _extents(file.fileno(), start, end))
    return on_disk >= os.fstat(file.fileno()).st_blksize


def _extents(number: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """What the file system keeps between two offsets; all of it where it cannot say."""
    before = os.lseek(number, 0, os.SEEK_CUR)
    try:
        while start < end:
            begin = os.lseek(number, start, os.SEEK_DATA)
            if begin >= end:
                return
            start = os.lseek(number, begin, os.SEEK_HOLE)
            yield begin, min(start, end)
    except OSError as failure:
        if failure.errno != errno.ENXIO:
            yield start, end
    finally:
        os.lseek(number, before, os.SEEK_SET)


def _behind_hole(file: IO[bytes], offset: int) -> int:
    """Where the data begins that the file system keeps; the offset itself where it cannot say, or there is none."""
    try:
        number = file.fileno()
        before = os.lseek(number, 0, os.SEEK_CUR)
        try:
            return os.lseek(number, offset, os.SEEK_DATA)
        finally:
            os.lseek(number, before, os.SEEK_SET)
    except OSError as failure:
        is_nothing_behind = failure.errno == errno.ENXIO
        return max(offset, os.fstat(number).st_size) if is_nothing_behind else offset
