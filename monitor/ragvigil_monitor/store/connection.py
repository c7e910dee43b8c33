"""Connections to DuckDB, and what its refusals mean."""

import re
from pathlib import Path

import duckdb

from ragvigil_monitor.errors import StoreError, StoreLocked

_LOCK_HOLDER = re.compile(r"\(PID (\d+)\)")


def connect(path: Path | None, memory_limit: str, threads: int) -> duckdb.DuckDBPyConnection:
    """A connection to the file at `path` (None: in memory) that never reaches for the network.

    Raises StoreLocked when another process holds the file, StoreError when it cannot be opened.
    """
    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": memory_limit,
        "threads": str(threads),
    }
    try:
        connection = duckdb.connect(":memory:" if path is None else str(path), config=settings)
    except duckdb.Error as failure:
        raise explained(path, failure) from failure
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    return connection


def explained(path: Path | None, failure: duckdb.Error) -> StoreError:
    """Why the file at `path` could not be opened."""
    holder = _LOCK_HOLDER.search(str(failure))
    if holder:
        return StoreLocked(
            f"{path} is open in process {holder[1]}. One `ragvigil serve` owns a database: stop that one, "
            "or give this one another file with --db."
        )
    return StoreError(f"{path} cannot be opened as a DuckDB database: {failure}")
