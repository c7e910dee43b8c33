"""Where a backup may be written: never over a database, which it would destroy."""

import os
from pathlib import Path
from typing import Final

from ragvigil_monitor.backup.files import LOG_ENDS
from ragvigil_monitor.errors import BackupFailed, NotABackup, StoreError, StoreTooNew
from ragvigil_monitor.keys import keys_path
from ragvigil_monitor.store.copying import read_backup

_MARK: Final = b"DUCK"
_MARK_AT: Final = 8
"""Each file of DuckDB has this mark behind a checksum of so many bytes."""


def refuse_databases(target: Path, database: Path) -> None:
    """Raise BackupFailed where `target` is or belongs to `database`, or may be another one; backups of ours may go.

    The names and numbers of files are compared first: whoever opens and closes a file loses the locks held on it.
    """
    _refuse_own(target, database)
    for path in {target, _real(target)}:
        _refuse_beside_logs(path)
    if _is_of_duckdb(target):
        _refuse_unless_backup(target)


def _refuse_own(target: Path, database: Path) -> None:
    for path in {database, _real(database)}:
        for own in (*_with_logs(path), keys_path(path)):
            if _real(target) == _real(own) or _is_same(target, own):
                raise BackupFailed(
                    f"{target} is the database {database} itself, its log or its keys; nothing was written. "
                    "Name another file."
                )


def _refuse_beside_logs(target: Path) -> None:
    if target.name.endswith(LOG_ENDS):
        raise BackupFailed(
            f"{target} has the name of a log of a DuckDB database; nothing was written. Name another file."
        )
    for log in _with_logs(target)[1:]:
        if os.path.lexists(log):
            raise BackupFailed(
                f"{log} is there, which DuckDB would read with {target}: a database is or was in that place; "
                "nothing was written. Name another file."
            )


def _is_of_duckdb(target: Path) -> bool:
    try:
        if not target.is_file():
            return False
        with target.open("rb") as file:
            return file.read(_MARK_AT + len(_MARK))[_MARK_AT:] == _MARK
    except OSError as failure:
        raise BackupFailed(f"What is in {target} cannot be read ({failure}); it stays as it is.") from failure


def _refuse_unless_backup(target: Path) -> None:
    try:
        read_backup(target)
    except StoreTooNew:
        return
    except NotABackup as failure:
        raise BackupFailed(
            f"{target} is a DuckDB database and no sound backup, and stays as it is. Name another file."
        ) from failure
    except StoreError as failure:
        raise BackupFailed(f"{target} stays as it is: {failure}") from failure


def _with_logs(path: Path) -> list[Path]:
    return [path.with_name(path.name + end) for end in ("", *LOG_ENDS)]


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there
        return False


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
