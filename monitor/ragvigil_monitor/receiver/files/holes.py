"""Zeros that nobody wrote: after a crash, and in a file that was emptied while its writer stays where it was."""

import errno
import os
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
