"""Why a file could not be opened as the database, and what to do about it."""

import os
import re
from pathlib import Path
from typing import Final

import duckdb

from ragvigil_monitor.errors import StoreError, StoreLocked
from ragvigil_monitor.store.holder import noted_holder

_LOCKED: Final = "Could not set lock"
_UNOPENED: Final = "Cannot open file"
_LOCK_HOLDER: Final = re.compile(r"\(PID ([1-9]\d*)\)")
_NEWER_FORMAT: Final = re.compile(r"version number|newer (DuckDB )?version", re.IGNORECASE)
_DAMAGED: Final = re.compile(r"corrupt|checksum|not read enough bytes|not a valid|deserializ", re.IGNORECASE)
_HEADER_BYTES: Final = 3 * 4096
_MARK: Final = slice(8, 12)
_DUCKDB: Final = b"DUCK"
_SQLITE: Final = b"SQLite format 3\0"
_ANOTHER: Final = "Name another file with --db."
_RESTORE: Final = "Restore a backup with `ragvigil restore`, or give --db another file."


def explained(path: Path | None, failure: Exception) -> StoreError:
    """Why the file at `path` could not be opened."""
    if path is None:
        return StoreError(f"DuckDB cannot open a database in memory: {_first_line(failure)}")
    if _LOCKED in str(failure):
        return _locked(path, failure)
    return StoreError(f"{path} cannot be opened as a DuckDB database: {_reason(path, failure)}")


def refuse_cut_off(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Raise StoreError where a file is too short for what is in use of it; DuckDB notices only when it reads that.

    Free blocks do not count: DuckDB takes those at the end from the file, and its header still counts them.
    """
    ((blocks, block_bytes),) = connection.execute(
        "SELECT used_blocks, block_size FROM pragma_database_size()"
    ).fetchall()
    expected, found = _HEADER_BYTES + blocks * block_bytes, path.stat().st_size
    if blocks and found < expected:
        raise StoreError(
            f"{path} is cut off: of {expected:,} bytes that are in use it has {found:,}, so that some of its rows are "
            f"gone. {_RESTORE}"
        )


def _locked(path: Path, failure: Exception) -> StoreLocked:
    found = _LOCK_HOLDER.search(str(failure))
    note = noted_holder(path)
    is_noted = found is not None and note is not None and note.pid == int(found[1])
    if found is None:
        told = f"; its note says {note}" if note else ""
        who = f"another process, probably of another machine or container{told}"
    else:
        who = str(note) if is_noted else f"process {found[1]}"
    return StoreLocked(
        f"{path} is open in {who}. One `ragvigil serve` owns a database: stop that one, "
        "or give this one another file with --db.",
        note.address if note is not None and is_noted else None,
    )


def _reason(path: Path, failure: Exception) -> str:
    try:
        return _of_place(path, failure) or _of_content(path) or _of_words(failure)
    except OSError as unreadable:
        return f"{unreadable}."


def _of_place(path: Path, failure: Exception) -> str | None:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}. Make it, or name another file with --db."
    if path.is_dir():
        return f"it is a folder. Name a file in it: --db {path / 'ragvigil.duckdb'}"
    if _UNOPENED not in str(failure):
        return None
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        return f"{_user()} may not read and write it. Let that user own it, or name another file with --db."
    if not path.exists() and not os.access(folder, os.W_OK | os.X_OK):
        return f"{_user()} may not make files in {folder}. Let that user write there, or name another file with --db."
    return None


def _of_content(path: Path) -> str | None:
    if not path.is_file():
        return f"it is no regular file. {_ANOTHER}" if path.exists() else None
    with path.open("rb") as file:
        beginning = file.read(len(_SQLITE))
    if not beginning:
        return "it is empty. Delete it, and a new database is made in its place, or name another file with --db."
    if beginning == _SQLITE:
        return f"it is a database of SQLite. {_ANOTHER}"
    if beginning[_MARK] != _DUCKDB:
        return f"it is something else. {_ANOTHER}"
    return None


def _of_words(failure: Exception) -> str:
    said = _first_line(failure)
    if _NEWER_FORMAT.search(said):
        return f"a newer DuckDB wrote it. Install the Ragvigil that wrote it, or a newer one. ({said})"
    return f"it is damaged. {_RESTORE} ({said})" if _DAMAGED.search(said) else said


def _user() -> str:
    return f"the user with id {os.geteuid()}"


def _first_line(failure: Exception) -> str:
    return str(failure).partition("\n")[0]
