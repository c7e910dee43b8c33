"""A closed segment in the hands of one reader."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from ragvigil.spool.directory import set_aside
from ragvigil.spool.frames import Frame, read_frames


class Claim:
    """A locked segment: no writer has it open, no other reader has it. Leave it by `release`, or as a context manager.

    The lock is shared with children after a fork, which must close it: `abandon`.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def frames(self, offset: int = 0) -> Iterator[Frame]:
        """The frames from an offset on, as `read_frames` gives them."""
        return read_frames(self._descriptor, offset)

    def delete(self) -> None:
        """Remove the segment, whose frames are acknowledged; raises OSError."""
        self.path.unlink(missing_ok=True)

    def set_aside(self) -> None:
        """Keep the segment, which is damaged, under another name; raises OSError."""
        set_aside(self.path)

    def release(self) -> None:
        """Let others have what is left of it, also where a child has a copy of its descriptor."""
        if self._descriptor >= 0:
            unlock(self._descriptor)
        self.abandon()

    def abandon(self) -> None:
        """Let go of the parent's segment in a forked child: closing a copy of its descriptor leaves it locked."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def claim(path: Path) -> Claim | None:
    """Take a segment; None while somebody has it, or when it is gone or no regular file. Raises OSError otherwise."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        if _is_ours(descriptor):
            return Claim(path, descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _is_ours(descriptor: int) -> bool:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not locked(descriptor):
        return False
    return os.fstat(descriptor).st_nlink > 0  # else somebody delivered and deleted it before we had the lock


def locked(descriptor: int) -> bool:
    """Take the lock of an open file without waiting; whether that was possible. Raises OSError."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def unlock(descriptor: int) -> None:
    """Give the lock back before the descriptor is closed, which would leave it to a child that has a copy."""
    with suppress(OSError):  # the file system takes back its locks in another way
        fcntl.flock(descriptor, fcntl.LOCK_UN)
