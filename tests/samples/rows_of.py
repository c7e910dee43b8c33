"""What is in a database file, read past everything of ours."""

from pathlib import Path
from typing import Any

import duckdb


def rows_of(path: Path, *, leave_out: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    """Every row of every table, sorted by its text, by the name of the table."""
    with duckdb.connect(str(path), read_only=True) as connection:
        names = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' ORDER BY ALL"
        ).fetchall()
        return {
            name: sorted(connection.execute(f'FROM main."{name}"').fetchall(), key=str)
            for (name,) in names
            if name not in leave_out
        }


def schema_of(path: Path) -> list[Any]:
    """Columns, constraints, views and indexes, whatever schema they are in."""
    questions = (
        "SELECT schema_name, table_name, column_name, data_type, is_nullable, column_default FROM duckdb_columns() "
        "WHERE NOT internal",
        "SELECT schema_name, table_name, constraint_text FROM duckdb_constraints()",
        "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal",
        "SELECT schema_name, table_name, index_name, sql FROM duckdb_indexes()",
        "SELECT schema_name, sequence_name FROM duckdb_sequences()",
        "SELECT schema_name, function_name, macro_definition FROM duckdb_functions() WHERE NOT internal",
    )
    with duckdb.connect(str(path), read_only=True) as connection:
        return [sorted(connection.execute(question).fetchall(), key=str) for question in questions]
