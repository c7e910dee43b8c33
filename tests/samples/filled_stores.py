"""A store with rows in every table: real traffic where it matters, made-up rows where any will do."""

from datetime import datetime, timedelta
from typing import Any

from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import MOVABLE, Movable
from ragvigil_monitor.store.taking_out import columns

ROWS = 5


def fill(store: Store, now: datetime) -> None:
    """Put ROWS different rows into every table, a day apart, with every column filled in some of them."""
    for table in MOVABLE:
        kinds = columns(store, table) | {name: "BIGINT" for name in table.becomes if name in table.left_out}
        for number in range(ROWS):
            values = {name: _value(name, kind, number, now) for name, kind in kinds.items()}
            _insert(store, table, kinds, values)


def dump(store: Store, table: Movable) -> list[dict[str, Any]]:
    """All rows of a table, but for what means nothing elsewhere, in a fixed order."""
    listed = ", ".join(columns(store, table))
    rows = store.ask(f"SELECT {listed} FROM {table.name}")  # noqa: S608
    return sorted(rows, key=lambda row: str(list(row.values())))


def _insert(store: Store, table: Movable, kinds: dict[str, str], values: dict[str, Any]) -> None:
    given = ", ".join(f"${name}::{kind}" for name, kind in kinds.items())
    with store.transaction() as writer:
        writer.run(f"INSERT INTO {table.name} ({', '.join(kinds)}) VALUES ({given})", **values)  # noqa: S608


def _value(name: str, kind: str, number: int, now: datetime) -> Any:
    if kind == "BLOB":
        return bytes([number + 1]) * (16 if "trace_id" in name else 8)
    values = {
        "TIMESTAMP": now - timedelta(days=number, microseconds=number),
        "JSON": f'{{"n": {number}, "\u00e9": [1.0, null, "x"]}}',
        "BOOLEAN": number % 2 == 0,
        "VARCHAR[]": ["a", str(number)],
        "DOUBLE": 0.1 + number,
        "FLOAT": 0.5 + number,
    }
    if kind in values:
        return values[kind]
    if kind == "VARCHAR":
        return "pending" if (name, number) == ("state", 1) else f"{name} {number} \U0001f642"
    return number + 1
