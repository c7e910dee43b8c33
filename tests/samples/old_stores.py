"""A database as an earlier version left it, with rows in every table that this version had."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from ragvigil_monitor.store.migrate import migrate, migrations

ROWS = 3
"""In each table; in the last row everything is NULL that may be."""
MOMENT = datetime(2026, 3, 1, 12, 30, 15, 123456)  # noqa: DTZ001 - as the tables hold it


def old_store(path: Path, version: int) -> dict[str, list[dict[str, Any]]]:
    """Make it; its rows by table, each by column."""
    with duckdb.connect(str(path)) as connection:
        migrate(connection, migrations()[:version])
        for table in tables(connection):
            _fill(connection, table)
        return {table: rows(connection, table) for table in tables(connection)}


def tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Every table but the record of the migrations."""
    names = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' AND table_name <> 'schema_migrations'"
    ).fetchall()
    return sorted(name for (name,) in names)


def rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, Any]]:
    """Its rows, in an order that depends only on them."""
    cursor = connection.execute(f'FROM "{table}" ORDER BY ALL')
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _fill(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    columns = connection.execute(
        "SELECT column_name, data_type, is_nullable FROM duckdb_columns() "
        "WHERE schema_name = 'main' AND table_name = ? ORDER BY column_index",
        [table],
    ).fetchall()
    places = ", ".join("?" for _ in columns)
    connection.execute(f'DELETE FROM "{table}"')  # noqa: S608 - a name from the catalogue
    for number in range(1, ROWS + 1):
        values = [
            None if may_be_null and number == ROWS else _value(data_type, name, number)
            for name, data_type, may_be_null in columns
        ]
        connection.execute(f'INSERT INTO "{table}" VALUES ({places})', values)  # noqa: S608


def _value(data_type: str, column: str, number: int) -> Any:
    """A value of a type; KeyError for a type that no table had when this was written."""
    if data_type.endswith("[]"):
        return [_value(data_type.removesuffix("[]"), column, each) for each in range(number, 2 * number)]
    plain: dict[str, Any] = {
        "VARCHAR": f"{column} {number}",
        "JSON": f'[{{"id": "{column} {number}", "score": 0.5}}]',
        "BLOB": bytes(15) + bytes([number]),
        "TIMESTAMP": MOMENT + timedelta(hours=number),
        "DATE": (MOMENT + timedelta(days=number)).date(),
        "DOUBLE": number + 0.25,
        "FLOAT": number + 0.5,
        "TINYINT": number,
        "SMALLINT": number * 10,
        "INTEGER": number * 100,
        "BIGINT": number * 2**40,
        "UINTEGER": number * 2**31,
        "HUGEINT": number * 2**70,
        "BOOLEAN": bool(number % 2),
    }
    return plain[data_type]
