"""Files that are whole or not there."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ragvigil_monitor.errors import BackupFailed

RESERVE_BYTES: Final = 64 * 2**20
"""So much is left free on the disk, for whoever else writes there."""

LOG_ENDS: Final = (".wal", ".wal.checkpoint", ".wal.recovery")
"""Ends of the names of the files that DuckDB keeps beside a database and reads with it."""

FreeBytes = Callable[[Path], int]


def free_bytes(folder: Path) -> int:
    """What an ordinary user may still write there."""
    return shutil.disk_usage(folder).free


@contextmanager
def whole_file(target: Path, *, replace: bool) -> Iterator[Path]:
    """A name to write to, beside `target`: when the block ends well it is synced and becomes `target`, else it goes.

    Raises BackupFailed when `target` exists and may not be replaced, or its folder is not there.
    """
    _refuse(target, replace=replace)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    _remove_leftovers(target)
    try:
        yield partial
        sync(partial)
        _refuse(target, replace=replace)
        partial.replace(target)
        sync(target.parent)
    except OSError as failure:
        raise BackupFailed(f"{target} cannot be written: {failure}") from failure
    finally:
        remove(partial)


def require_space(folder: Path, needed_bytes: int, what: str, free: FreeBytes = free_bytes) -> None:
    """Raise BackupFailed (507) where fewer bytes are free than are needed, a reserve included."""
    available = free(folder)
    if available < needed_bytes + RESERVE_BYTES:
        raise BackupFailed(
            f"{what} may need {megabytes(needed_bytes)}, and {megabytes(RESERVE_BYTES)} must stay free, "
            f"but {folder} has {megabytes(available)}. Free some space, or name another place.",
            status=507,
        )


def remove(partial: Path) -> None:
    """Delete an unfinished database and its logs."""
    for end in ("", *LOG_ENDS):
        partial.with_name(partial.name + end).unlink(missing_ok=True)


def megabytes(size_bytes: int) -> str:
    """A size for people."""
    return f"{size_bytes / 1e6:,.1f} MB"


def _refuse(target: Path, *, replace: bool) -> None:
    if not target.parent.is_dir():
        raise BackupFailed(f"There is no folder {target.parent}; nothing was written.")
    if target.is_dir():
        raise BackupFailed(f"{target} is a folder; name a file.")
    if target.exists() and not replace:
        raise BackupFailed(f"{target} exists already and stays as it is; --force replaces it.")


def _remove_leftovers(target: Path) -> None:
    """What killed processes left behind for the same target."""
    for leftover in target.parent.glob(f".{_literal(target.name)}.*.partial"):
        if not _is_alive(leftover.suffixes[-2].removeprefix(".")):
            remove(leftover)


def _literal(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _is_alive(process: str) -> bool:
    if not process.isdecimal():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return int(process) != os.getpid()


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
