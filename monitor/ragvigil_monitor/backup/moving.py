"""What is there before a restore is moved aside, file by file; whatever interrupts that can be undone.

A mark beside the database says what is moved where, from before the first move until the restored file is in its place.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from ragvigil_monitor.backup.files import LOG_ENDS, sync
from ragvigil_monitor.errors import BackupFailed, StoreLocked
from ragvigil_monitor.store.half_restored import mark_path


@dataclass(frozen=True, slots=True)
class Move:
    """What is moved in a folder: the files of `target`, to names that begin with `aside`. is_new: only its logs."""

    target: str
    aside: str
    is_new: bool


def planned(target: Path, now: datetime, *, is_new: bool) -> Move:
    """The move of what is there now, to names that nobody has."""
    stem = f"{target.name}.before-restore-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    names = (stem, *(f"{stem}-{number}" for number in range(2, 1000)))
    free = (name for name in names if not any(target.with_name(name + end).exists() for end in ("", *LOG_ENDS)))
    return Move(target.name, next(free), is_new)


@contextmanager
def marked(target: Path, move: Move) -> Iterator[None]:
    """Hold the mark of a move; it goes when the block ends, unless its process is killed.

    Raises StoreLocked where another restore has one, OSError where it cannot be written; there is none then.
    """
    mark, is_written = mark_path(target), False
    with _created(mark, target) as file:
        try:
            _hold(file, target)
            _write(file, move)
            is_written = True
            yield
        except BaseException:
            if is_written:
                _undo(target.parent, move)
            if _is_at(mark, file):
                mark.unlink()
            raise
        mark.unlink()


def move_aside(folder: Path, move: Move, ends: Sequence[str]) -> Path | None:
    """Where the first of what was there lies now.

    The logs go first, also those of a database that is gone: a log without its database would be thrown away, or keep
    the next one from being opened.
    """
    moved = [end for end in ends if _is_moved(folder / (move.target + end), folder / (move.aside + end))]
    return folder / (move.aside + min(moved)) if moved else None


def undo_interrupted(target: Path) -> None:
    """Put back what a restore moved that was killed; one that had put its file in its place stays.

    Raises StoreLocked while that restore is under way, BackupFailed where its mark cannot be read.
    """
    mark = mark_path(target)
    try:
        with mark.open("rb") as file:
            _hold(file, target)
            _undo(target.parent, _read(file.read(), target))
            mark.unlink()
            sync(target.parent)
    except FileNotFoundError:
        return
    except (OSError, ValueError, TypeError) as failure:
        raise BackupFailed(
            f"A restore of {target} was interrupted, and {mark} does not say what it moved ({failure}). Give the files "
            f"{target.name}.before-restore-… back their names, remove {mark.name}, and run this again."
        ) from failure


def _created(mark: Path, target: Path) -> BinaryIO:
    try:
        return mark.open("xb")
    except FileExistsError as other:
        raise _under_way(target) from other


def _hold(file: BinaryIO, target: Path) -> None:
    """Keep other restores off a mark; one that was removed meanwhile is nobody's."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as held:
        raise _under_way(target) from held
    if not _is_at(mark_path(target), file):
        raise _under_way(target)


def _is_at(mark: Path, file: BinaryIO) -> bool:
    return mark.exists() and os.path.samestat(mark.stat(), os.fstat(file.fileno()))


def _under_way(target: Path) -> StoreLocked:
    return StoreLocked(f"Another restore of {target} is under way; nothing was changed.")


def _write(file: BinaryIO, move: Move) -> None:
    """Have the mark on disk, before anything is moved."""
    file.write(json.dumps(asdict(move)).encode())
    file.flush()
    os.fsync(file.fileno())
    sync(Path(file.name).parent)


def _read(content: bytes, target: Path) -> Move:
    beginning = f"{target.name}.before-restore-"
    try:
        move = Move(**json.loads(content))
    except ValueError:
        if content and any(path.name.startswith(beginning) for path in target.parent.iterdir()):
            raise
        return Move(target.name, target.name, is_new=True)  # ended while it wrote, before it moved anything
    if move.target != target.name or not str(move.aside).startswith(beginning):
        raise ValueError(f"it names {move.target!r} and {move.aside!r}")
    return move


def _undo(folder: Path, move: Move) -> None:
    """Move back what was moved, unless the restored file is in its place."""
    target, aside = folder / move.target, folder / move.aside
    if target.exists() and target.stat().st_size == 0:
        target.unlink()  # a name that was held for the restored file
    is_in_place = target.exists() and (move.is_new or aside.exists())
    if move.aside == move.target or is_in_place:
        return
    for end in ("", *reversed(LOG_ENDS)):
        kept = folder / (move.aside + end)
        if os.path.lexists(kept) and not os.path.lexists(folder / (move.target + end)):
            kept.rename(folder / (move.target + end))


def _is_moved(path: Path, aside: Path) -> bool:
    if not os.path.lexists(path):
        return False
    path.rename(aside)
    return True
