"""The side of the service: a snapshot of its store, ready to be read to its end."""

import fcntl
import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import IO, Final

from ragvigil_monitor.backup.files import FreeBytes, free_bytes, remove, require_space
from ragvigil_monitor.errors import BackupFailed, ConfigurationError
from ragvigil_monitor.service import Service

CHUNK_BYTES: Final = 2**20
_MARK: Final = ".snapshot-"


def open_snapshot(service: Service, free: FreeBytes = free_bytes) -> IO[bytes]:
    """A copy of everything that is committed now, as an open file that has no name and goes when it is closed.

    Raises BackupFailed when there is no room, or a snapshot is being made already.
    """
    folder = _folder(service)
    if not folder.is_dir():
        raise BackupFailed(f"There is no folder {folder}, which is to hold the copy of the store.")
    require_space(folder, service.store.size_bytes() or 0, "A copy of the store", free)
    path = folder / f"{_prefix(service)}{secrets.token_hex(8)}"
    try:
        service.store.copy_to(path, program=version("ragvigil"), taken_at=service.clock())
        return path.open("rb")
    finally:
        remove(path)


def chunks(snapshot: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a snapshot."""
    while chunk := snapshot.read(CHUNK_BYTES):
        yield chunk


def size_of(snapshot: IO[bytes]) -> int:
    """How many bytes it has."""
    return os.fstat(snapshot.fileno()).st_size


def remove_leftovers(service: Service) -> None:
    """Delete what a service that was killed in the middle of a snapshot left; for the owner of the store, at its start.

    Raises ConfigurationError where the folder of the snapshots is not there.
    """
    folder = _folder(service)
    if not folder.is_dir():
        raise ConfigurationError(f"store.snapshot_directory: there is no folder {folder}")
    for leftover in folder.iterdir():
        if leftover.name.startswith(_prefix(service)) and not _is_written(leftover):
            remove(leftover)


def _is_written(leftover: Path) -> bool:
    """Whether a living process writes it, also one of another container, whose database has the same path there."""
    database, _, own = leftover.name.rpartition(_MARK)
    snapshot = leftover.with_name(f"{database}{_MARK}{own.partition('.')[0]}")
    try:
        with snapshot.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _folder(service: Service) -> Path:
    path = service.store.path
    asked = service.settings.store.snapshot_directory
    return asked or (Path(tempfile.gettempdir()) if path is None else path.parent)


def _prefix(service: Service) -> str:
    """Of the names of this database's snapshots; others may have theirs in the same folder."""
    path = service.store.path
    if path is None:
        return f"memory{_MARK}"
    return f"{path.name}{_MARK}{hashlib.sha256(os.fsencode(path)).hexdigest()[:12]}-"
