"""Numbered migrations, applied once each, together with their record."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import duckdb

from ragvigil_monitor.errors import StoreError, StoreTooNew


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: `migrations/<number>_<name>.sql`."""

    number: int
    name: str
    sql: str


def migrations() -> list[Migration]:
    """Every migration that this version knows, in order."""
    folder = resources.files(__package__).joinpath("migrations")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [_read(file.name, file.read_text(encoding="utf-8")) for file in files]


def newest_schema() -> int:
    """The schema of every open store: the number of the last migration."""
    return migrations()[-1].number


def migrate(connection: duckdb.DuckDBPyConnection, known: Sequence[Migration] | None = None) -> None:
    """Apply what is missing of the `known` steps (default: all).

    Raises StoreTooNew for a database from a later version, StoreError for one that something else keeps tables in.
    """
    known = migrations() if known is None else known
    applied = _applied(connection)
    if applied > known[-1].number:
        raise StoreTooNew(
            f"The database has schema {applied}, this Ragvigil knows up to {known[-1].number}. "
            "Install the version that wrote it, or a newer one; nothing was changed."
        )
    for migration in known[applied:]:
        _apply(connection, migration)


def _read(file_name: str, sql: str) -> Migration:
    number, _, name = file_name.removesuffix(".sql").partition("_")
    return Migration(int(number), name, sql)


def _applied(connection: duckdb.DuckDBPyConnection) -> int:
    _refuse_foreign(connection)
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name VARCHAR, applied_at TIMESTAMP)"
    )
    found = connection.execute("SELECT coalesce(max(number), 0) FROM schema_migrations").fetchone()
    return int(found[0]) if found else 0


def _refuse_foreign(connection: duckdb.DuckDBPyConnection) -> None:
    """Nothing is put into a database whose tables are not ours."""
    rows = connection.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    tables = sorted({table for table, _ in rows})
    is_ours = {("schema_migrations", "number"), ("schema_migrations", "name")} <= set(rows)
    if tables and not is_ours:
        named = ", ".join(tables[:3]) + (" …" if len(tables) > 3 else "")
        raise StoreError(
            f"The database holds tables of something else ({named}) and is not Ragvigil's; nothing was changed. "
            "Name another file with --db."
        )


def _apply(connection: duckdb.DuckDBPyConnection, migration: Migration) -> None:
    connection.execute("BEGIN")
    try:
        connection.execute(migration.sql)
        connection.execute(
            "INSERT INTO schema_migrations VALUES (?, ?, now()::TIMESTAMP)",
            [migration.number, migration.name],
        )
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
