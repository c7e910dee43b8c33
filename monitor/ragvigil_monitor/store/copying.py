"""A copy of the whole database as one file, and the check that such a file is whole."""

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import duckdb

from ragvigil_monitor.errors import BackupFailed, NotABackup, StoreError, StoreTooNew
from ragvigil_monitor.store.connection import connect
from ragvigil_monitor.store.half_restored import refuse_half_restored
from ragvigil_monitor.store.manifest import (
    SCHEMA,
    Manifest,
    manifest_of,
    quoted,
    read_manifest,
    row_counts,
    write_manifest,
)
from ragvigil_monitor.store.migrate import migrations
from ragvigil_monitor.store.refusals import explained

_MEMORY_LIMIT: Final = "1GB"
_THREADS: Final = 2


def copy_database(cursor: duckdb.DuckDBPyConnection, target: Path, program: str, taken_at: datetime) -> Manifest:
    """Copy what `cursor` sees now to a new file, with a manifest: one snapshot, writers go on meanwhile.

    Only its owner can read the file. Raises BackupFailed when it cannot be written; what is there then is nobody's
    backup.
    """
    source = _current_database(cursor)
    try:
        with _attached(cursor, target) as copy:
            target.chmod(0o600)
            with one_transaction(cursor):
                manifest = manifest_of(cursor, program, taken_at)
                cursor.execute(f"COPY FROM DATABASE {quoted(source)} TO {quoted(copy)}")
                write_manifest(cursor, copy, manifest)
            cursor.execute(f"CHECKPOINT {quoted(copy)}")
    except duckdb.Error as failure:
        raise BackupFailed(f"The copy of the database could not be written: {failure}") from failure
    return manifest


def copy_file(source: Path, target: Path, program: str, taken_at: datetime) -> Manifest:
    """Copy a database that no process has open; it is only read, so its schema stays as it is.

    Raises StoreLocked when a process has it, StoreTooNew when a newer version wrote it, StoreError when it is not
    Ragvigil's, BackupFailed when the copy cannot be written.
    """
    with _reading(source) as cursor:
        try:
            _refuse_too_new(manifest_of(cursor, program, taken_at), source)
        except duckdb.CatalogException as failure:
            raise StoreError(f"{source} is a DuckDB database, but not one of Ragvigil: {failure}") from failure
        return copy_database(cursor, target, program, taken_at)


def read_backup(path: Path) -> Manifest:
    """What a backup says of itself; raises NotABackup where it is none, StoreTooNew where a newer version took it."""
    with _reading_backup(path) as cursor:
        return _manifest(cursor, path)


def check_backup(path: Path) -> Manifest:
    """Read every block of a backup and count its tables; raises as `read_backup`, NotABackup for a damaged one too."""
    with _reading_backup(path) as cursor:
        manifest = _manifest(cursor, path)
        try:
            _read_all(cursor, manifest)
        except (duckdb.Error, ValueError) as failure:
            raise NotABackup(f"{path} is a damaged backup: {failure}") from failure
        return manifest


def forget_manifest(path: Path) -> None:
    """Make a copied backup an ordinary database again."""
    with closing(connect(path, _MEMORY_LIMIT, _THREADS)) as connection:
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
        connection.execute("CHECKPOINT")


def _manifest(cursor: duckdb.DuckDBPyConnection, path: Path) -> Manifest:
    try:
        manifest = read_manifest(cursor)
    except (duckdb.Error, ValueError) as failure:
        raise NotABackup(
            f"{path} is a DuckDB database, but no backup that `ragvigil backup` made "
            f"({str(failure).splitlines()[0]}); nothing was changed."
        ) from failure
    _refuse_too_new(manifest, path)
    return manifest


def _refuse_too_new(manifest: Manifest, path: Path) -> None:
    newest = migrations()[-1].number
    if manifest.schema_number > newest:
        raise StoreTooNew(
            f"{path} has schema {manifest.schema_number}, this Ragvigil knows up to {newest}. "
            f"Install the version that wrote it ({manifest.program}), or a newer one; nothing was changed."
        )


def _read_all(cursor: duckdb.DuckDBPyConnection, manifest: Manifest) -> None:
    found = row_counts(cursor)
    if found != manifest.rows:
        wrong = sorted(
            name for name in found.keys() | manifest.rows.keys() if found.get(name) != manifest.rows.get(name)
        )
        raise ValueError(f"the rows of {', '.join(wrong)} are not those of its manifest")
    for name in found:
        cursor.execute(f"SELECT bit_xor(hash(rows)) FROM main.{quoted(name)} AS rows").fetchall()  # noqa: S608


@contextmanager
def _reading_backup(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor that can do nothing but read this file, whoever made it."""
    try:
        with _reading(path) as cursor:
            cursor.execute("SET enable_external_access = false")
            yield cursor
    except StoreError as failure:
        if type(failure) is StoreError:
            raise NotABackup(str(failure)) from failure
        raise


@contextmanager
def _reading(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    refuse_half_restored(path)
    if not path.is_file():
        raise StoreError(f"There is no file {path}.")
    with closing(connect(None, _MEMORY_LIMIT, _THREADS)) as connection:
        try:
            attached = _attach(connection, path, read_only=True)
        except duckdb.Error as failure:
            raise explained(path, failure) from failure
        connection.execute(f"USE {quoted(attached)}")
        yield connection


@contextmanager
def _attached(cursor: duckdb.DuckDBPyConnection, path: Path) -> Iterator[str]:
    name = _attach(cursor, path, read_only=False)
    try:
        yield name
    finally:
        with suppress(duckdb.Error):  # it goes with the last connection then
            cursor.execute(f"DETACH {quoted(name)}")


def _attach(cursor: duckdb.DuckDBPyConnection, path: Path, *, read_only: bool) -> str:
    name = f"{SCHEMA}_{secrets.token_hex(8)}"
    file = str(path).replace("'", "''")
    cursor.execute(f"ATTACH '{file}' AS {quoted(name)} (TYPE duckdb{', READ_ONLY' if read_only else ''})")
    return name


@contextmanager
def one_transaction(cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Everything inside the block in one transaction, which sees what was committed at its first query."""
    cursor.execute("BEGIN")
    try:
        yield
        cursor.execute("COMMIT")
    except BaseException:
        with suppress(duckdb.Error):  # a commit that fails has ended it already
            cursor.execute("ROLLBACK")
        raise


def _current_database(cursor: duckdb.DuckDBPyConnection) -> str:
    ((name,),) = cursor.execute("SELECT current_database()").fetchall()
    return str(name)
