"""Put a backup where a database is to be; what is there is moved aside, never deleted."""

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ragvigil_monitor.backup.files import LOG_ENDS, FreeBytes, free_bytes, require_space, sync, whole_file
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

    Raises StoreLocked while a process has `database` open, NotABackup and StoreTooNew for files that cannot be
    restored, BackupFailed when there is no room; nothing is changed then.
    """
    target = database.resolve()
    if target == backup.resolve():
        raise BackupFailed(f"{backup} is the backup itself; restore it to another file.")
    with ExitStack() as locks:
        is_new = not target.exists()
        if not is_new:
            locks.enter_context(_kept_from_others(target))
        read_backup(backup)
        with whole_file(target, replace=True) as partial:
            require_space(partial.parent, backup.stat().st_size, "The restored database", free)
            manifest = _copied(backup, partial)
            sync(partial)
            set_aside = _make_room(target, now, locks, is_new=is_new)
    return Restored(manifest, set_aside)


def _copied(backup: Path, partial: Path) -> Manifest:
    partial.touch(mode=0o600)
    shutil.copyfile(backup, partial)
    manifest = check_backup(partial)
    forget_manifest(partial)
    return manifest


def _make_room(target: Path, now: datetime, locks: ExitStack, *, is_new: bool) -> Path | None:
    """Move what is there aside, and hold its name; what another process puts there meanwhile stays."""
    if is_new:
        locks.enter_context(_reserved(target))
        return _move_aside(target, now, LOG_ENDS)
    set_aside = _move_aside(target, now, (*LOG_ENDS, ""))
    locks.enter_context(_reserved(target))
    return set_aside


def _move_aside(target: Path, now: datetime, ends: Sequence[str]) -> Path | None:
    """Where the first of what was there lies now.

    The logs go first, also those of a database that is gone: a database without its log is old, a log without its
    database would be thrown away, or keep the next one from being opened.
    """
    aside = _unused(target, now)
    moved = [end for end in ends if _is_moved(_with_end(target, end), _with_end(aside, end))]
    return _with_end(aside, min(moved)) if moved else None


def _is_moved(path: Path, aside: Path) -> bool:
    if not os.path.lexists(path):
        return False
    path.rename(aside)
    return True


def _unused(target: Path, now: datetime) -> Path:
    stem = f"{target.name}.before-restore-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    paths = (target.with_name(name) for name in (stem, *(f"{stem}-{number}" for number in range(2, 1000))))
    return next(path for path in paths if not any(_with_end(path, end).exists() for end in ("", *LOG_ENDS)))


def _with_end(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


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
