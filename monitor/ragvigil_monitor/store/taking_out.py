"""Rows of a table as other tools read them: ids in hex, times with their zone, JSON as text."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from ragvigil_monitor.store.movable import Movable
from ragvigil_monitor.store.snapshot import Reader

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS: Final = 256
"""A row may have megabytes."""


@dataclass(frozen=True, slots=True)
class Within:
    """A range of time, [start, end); None: from the beginning, or to the end."""

    start: datetime | None = None
    end: datetime | None = None


def days(store: Reader, table: Movable, within: Within) -> list[date]:
    """The UTC days of a range of time in which a table has rows, in order."""
    condition, values = _range(table, within)
    asked = f"SELECT DISTINCT {table.time}::DATE AS day FROM {table.name} WHERE {condition} ORDER BY day"  # noqa: S608
    return [row["day"] for row in store.ask(asked, **values)]


@contextmanager
def taken_out(store: Reader, table: Movable, within: Within) -> Iterator["pa.RecordBatchReader"]:
    """The rows of a table that lie in a range of time, at most BATCH_ROWS at once."""
    listed = ", ".join(_expression(name, kind) for name, kind in columns(store, table).items())
    condition, values = _range(table, within)
    with store.stream(f"SELECT {listed} FROM {table.name} WHERE {condition}", BATCH_ROWS, **values) as reader:  # noqa: S608
        yield reader


def columns(store: Reader, table: Movable) -> dict[str, str]:
    """The columns of a table that are moved, with their types, in order."""
    found = store.rows("columns_of_table", table_name=table.name)
    return {row["column_name"]: row["data_type"] for row in found if row["column_name"] not in table.left_out}


def is_id(name: str, kind: str) -> bool:
    """Whether a column holds the bytes of an id, which is hex outside."""
    return kind == "BLOB" and name.endswith("_id")


def _expression(name: str, kind: str) -> str:
    if is_id(name, kind):
        return f"lower(hex({name})) AS {name}"
    if kind == "TIMESTAMP":
        return f"{name} AT TIME ZONE 'UTC' AS {name}"
    return f"{name}::VARCHAR AS {name}" if kind == "JSON" else name


def _range(table: Movable, within: Within) -> tuple[str, dict[str, datetime]]:
    """The condition that cuts a range of time out of a table, and its values."""
    bounds = {"start": within.start, "end": within.end} if table.time is not None else {}
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    signs = {"start": ">=", "end": "<"}
    conditions = [f"{table.time} {signs[name]} ${name}::TIMESTAMP" for name in given]
    return " AND ".join(["true", *conditions]), given
