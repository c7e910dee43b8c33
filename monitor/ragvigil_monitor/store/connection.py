"""Connections to DuckDB."""

import os
from pathlib import Path

import duckdb

from ragvigil_monitor.errors import StoreError
from ragvigil_monitor.store.half_restored import refuse_half_restored
from ragvigil_monitor.store.refusals import explained, refuse_cut_off


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
    _refuse_name(path)
    if path is not None:
        refuse_half_restored(path)
    try:
        connection = duckdb.connect(":memory:" if path is None else str(path), config=settings)
    except duckdb.Error as failure:
        raise explained(path, failure) from failure
    try:
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        if path is not None:
            refuse_cut_off(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_name(path: Path | None) -> None:
    try:
        os.fspath(path or "").encode("utf-8")
    except UnicodeEncodeError as failure:
        raise StoreError(f"{path!r} is no name that DuckDB can open: it is not UTF-8. Name another file.") from failure
