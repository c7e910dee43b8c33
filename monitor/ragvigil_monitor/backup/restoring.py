"""Put a backup where a database is to be; what is there is moved aside, never deleted."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ragvigil_monitor.backup.files import LOG_ENDS, FreeBytes, free_bytes, require_space, sync, whole_file
from ragvigil_monitor.backup.moving import Move, marked, move_aside, planned, undo_interrupted
from ragvigil_monitor.errors import BackupFailed, StoreLocked
from ragvigil_monitor.store.copying import check_backup, forget_manifest, read_backup
from ragvigil_monitor.store.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Restored:
    """What a backup held, and where that lies which was there before; None where nothing was."""

    manifest: Manifest
    set_aside: Path | None


def restore(backup: Path, database: Path, now: datetime, free: FreeBytes = free_bytes) -> Restored:
    """Check a backup, copy it beside `database` and put the copy in its place.

    What a restore left that was killed among its moves is put back first. Raises StoreLocked while a process has
    `database` open, NotABackup and StoreTooNew for files that cannot be restored, BackupFailed when there is no room;
    nothing is changed then.
    """
    target = database.resolve()
    if target == backup.resolve():
        raise BackupFailed(f"{backup} is the backup itself; restore it to another file.")
    with ExitStack() as locks:
        undo_interrupted(target)
        is_new = not target.exists()
        if not is_new:
            locks.enter_context(_kept_from_others(target))
        read_backup(backup)
        with whole_file(target, replace=True) as partial:
            require_space(partial.parent, backup.stat().st_size, "The restored database", free)
            manifest = _copied(backup, partial)
            sync(partial)
            move = planned(target, now, is_new=is_new)
            locks.enter_context(marked(target, move))
            set_aside = _make_room(target, move, locks)
    return Restored(manifest, set_aside)


def _copied(backup: Path, partial: Path) -> Manifest:
    partial.touch(mode=0o600)
    shutil.copyfile(backup, partial)
    manifest = check_backup(partial)
    forget_manifest(partial)
    return manifest


def _make_room(target: Path, move: Move, locks: ExitStack) -> Path | None:
    """Move what is there aside, and hold its name; what another process puts there meanwhile stays."""
    if move.is_new:
        locks.enter_context(_reserved(target))
        return move_aside(target.parent, move, LOG_ENDS)
    set_aside = move_aside(target.parent, move, (*LOG_ENDS, ""))
    locks.enter_context(_reserved(target))
    return set_aside


@contextmanager
def _kept_from_others(database: Path) -> Iterator[None]:
    """Hold the lock that DuckDB takes; a service that starts meanwhile says who has the file."""
    if not database.is_file():
        raise BackupFailed(f"{database} is no file; nothing was changed.")
    descriptor = os.open(database, os.O_RDWR)
    try:
        _lock(descriptor, database)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _reserved(database: Path) -> Iterator[None]:
    """The same where there was nothing: an empty file, until the restored one takes its place."""
    try:
        descriptor = os.open(database, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as appeared:
        raise StoreLocked(
            f"{database} was made by another process meanwhile, probably `ragvigil serve`; it stays as it is."
        ) from appeared
    try:
        _lock(descriptor, database)
        yield
    except BaseException:
        if database.stat().st_size == 0:
            database.unlink()
        raise
    finally:
        os.close(descriptor)


def _lock(descriptor: int, database: Path) -> None:
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as held:
        raise StoreLocked(
            f"{database} is open in another process, probably `ragvigil serve`. Stop it first; nothing was changed."
        ) from held
