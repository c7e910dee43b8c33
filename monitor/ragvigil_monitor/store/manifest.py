"""What a backup says of itself, in a schema of its own inside the file."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import duckdb

SCHEMA: Final = "ragvigil_backup"


@dataclass(frozen=True, slots=True)
class Manifest:
    """program: the version that took it. schema_number: of its newest migration. rows: of each table, by name."""

    program: str
    schema_number: int
    taken_at: datetime
    rows: Mapping[str, int]
    newest_answer_at: datetime | None


def manifest_of(cursor: duckdb.DuckDBPyConnection, program: str, taken_at: datetime) -> Manifest:
    """Describe the database that `cursor` sees now; raises duckdb.CatalogException where it is not Ragvigil's."""
    schema_number, newest = _only(
        cursor.execute(
            "SELECT (SELECT coalesce(max(number), 0) FROM schema_migrations), (SELECT max(started_at) FROM answers)"
        )
    )
    return Manifest(program, schema_number, taken_at, row_counts(cursor), _aware(newest))


def row_counts(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """How many rows each table of the current database has."""
    names = cursor.execute(
        "SELECT table_name FROM duckdb_tables() "
        "WHERE database_name = current_database() AND schema_name = 'main' ORDER BY table_name"
    ).fetchall()
    return {name: _only(cursor.execute(f"SELECT count(*) FROM main.{quoted(name)}"))[0] for (name,) in names}  # noqa: S608


def write_manifest(cursor: duckdb.DuckDBPyConnection, catalog: str, manifest: Manifest) -> None:
    """Put it into the attached database."""
    place = f"{quoted(catalog)}.{SCHEMA}"
    cursor.execute(f"CREATE SCHEMA {place}")
    cursor.execute(
        f"CREATE TABLE {place}.about "
        "(program VARCHAR, schema_number INTEGER, taken_at TIMESTAMP, newest_answer_at TIMESTAMP)"
    )
    cursor.execute(f"CREATE TABLE {place}.row_counts (table_name VARCHAR, row_count BIGINT)")
    about = [manifest.program, manifest.schema_number, _naive(manifest.taken_at), _naive(manifest.newest_answer_at)]
    cursor.execute(f"INSERT INTO {place}.about VALUES (?, ?, ?, ?)", about)  # noqa: S608
    for name, count in manifest.rows.items():
        cursor.execute(f"INSERT INTO {place}.row_counts VALUES (?, ?)", [name, count])  # noqa: S608


def read_manifest(cursor: duckdb.DuckDBPyConnection) -> Manifest:
    """The manifest in the current database; raises duckdb.Error or ValueError where there is no sound one."""
    columns = "program, schema_number, taken_at, newest_answer_at"
    program, schema_number, taken_at, newest = _only(cursor.execute(f"SELECT {columns} FROM {SCHEMA}.about"))  # noqa: S608
    rows = cursor.execute(f"SELECT table_name, row_count FROM {SCHEMA}.row_counts").fetchall()  # noqa: S608
    if not (isinstance(schema_number, int) and isinstance(taken_at, datetime)):
        raise ValueError("its manifest has no schema number or no time")
    return Manifest(str(program), schema_number, taken_at.replace(tzinfo=UTC), dict(rows), _aware(newest))


def quoted(name: str) -> str:
    """An identifier in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _only(cursor: duckdb.DuckDBPyConnection) -> tuple[Any, ...]:
    rows = cursor.fetchall()
    if len(rows) != 1:
        raise ValueError(f"one row was expected, {len(rows)} are there")
    found: tuple[Any, ...] = rows[0]
    return found


def _naive(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None)


def _aware(moment: object) -> datetime | None:
    return moment.replace(tzinfo=UTC) if isinstance(moment, datetime) else None
