"""Rows that were taken out of a store, put into another: what is there already stays as it is."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import pyarrow as pa

from ragvigil_monitor.errors import WriteRefused
from ragvigil_monitor.store.database import Store, Writer
from ragvigil_monitor.store.following_reviews import follow_reviews
from ragvigil_monitor.store.movable import Movable
from ragvigil_monitor.store.stale_hours import mark_stale
from ragvigil_monitor.store.taking_out import columns, is_id

_ID_BYTES: Final = {True: 16, False: 8}
"""Of the id of a trace, and of a span."""
_SUMMED: Final = frozenset({"spans", "answers"})
"""Tables whose hours are added up."""


@dataclass(frozen=True, slots=True)
class PutIn:
    """What became of rows.

    known: the very same row is there. updated: the row that is there had older counts. differing: there is a row with
    the same key and other values, which stays.
    """

    new: int = 0
    known: int = 0
    updated: int = 0
    differing: int = 0

    def __add__(self, other: "PutIn") -> "PutIn":
        return PutIn(
            self.new + other.new,
            self.known + other.known,
            self.updated + other.updated,
            self.differing + other.differing,
        )


def put_in(store: Store, table: Movable, rows: pa.Table) -> PutIn:
    """Put rows in, all or none.

    Raises WriteRefused for rows that are none of this table, StoreUnavailable when the disk does not take them.
    """
    kinds = {name: kind for name, kind in columns(store, table).items() if name in rows.column_names}
    _check_names(table, kinds, rows.column_names)
    with store.transaction() as writer:
        writer.run(_incoming(table, kinds), batch=rows)
        _check_ids(writer, table, kinds)
        _note_existing(writer, table)
        (counts,) = writer.run(_counts(table, kinds))
        updated = len(writer.run(_update(table, kinds))) if table.grows_by else 0
        writer.run(f"INSERT INTO {table.name} BY NAME SELECT * FROM incoming WHERE {_is_new(table)}")  # noqa: S608
        if table.name in _SUMMED:
            started = writer.run("SELECT DISTINCT date_trunc('hour', started_at) AS started_at FROM incoming")
            mark_stale(writer, (row["started_at"] for row in started))
        follow_reviews(writer, table.name)
        return _became(counts, rows.num_rows, updated)


def _became(counts: dict[str, int], given: int, updated: int) -> PutIn:
    repeated = given - counts["distinct_rows"]
    differing = counts["distinct_rows"] - counts["new"] - counts["same"] - updated
    return PutIn(counts["new"], counts["same"] + repeated, updated, differing)


def _check_names(table: Movable, kinds: dict[str, str], names: list[str]) -> None:
    others = [name for name in names if name not in kinds]
    missing = {name for key in table.keys for name in key} - set(names)
    if others or missing:
        what = f"has no column {others[0]!r}" if others else f"needs the column {min(missing)!r}"
        raise WriteRefused(f"The table {table.name} {what}.")


def _check_ids(writer: Writer, table: Movable, kinds: dict[str, str]) -> None:
    for name in (name for name, kind in kinds.items() if is_id(name, kind)):
        length = _ID_BYTES["trace" in name]
        wrong = writer.run(f"SELECT 1 FROM batch WHERE length({name}) <> {2 * length} LIMIT 1")  # noqa: S608
        if wrong:
            raise WriteRefused(f"A {name} of {table.name} is not {2 * length} hexadecimal digits.")


def _incoming(table: Movable, kinds: dict[str, str]) -> str:
    listed = [f"{table.becomes.get(name) or _expression(name, kind)} AS {name}" for name, kind in kinds.items()]
    listed += [f"{made} AS {name}" for name, made in table.becomes.items() if name not in kinds]
    once = " AND ".join(f"row_number() OVER (PARTITION BY {', '.join(key)}) = 1" for key in table.keys)
    return f"CREATE TEMP TABLE incoming AS SELECT {', '.join(listed)} FROM batch QUALIFY {once}"  # noqa: S608


def _expression(name: str, kind: str) -> str:
    if is_id(name, kind):
        return f"unhex({name})"
    return f"{name}::TIMESTAMPTZ AT TIME ZONE 'UTC'" if kind == "TIMESTAMP" else f"{name}::{kind}"


def _note_existing(writer: Writer, table: Movable) -> None:
    """Make a table of the rows that are there with a key of one that comes in."""
    near, values = _near(writer, table) if table.is_telemetry else ("true", {})
    known = " OR ".join(f"EXISTS (FROM incoming WHERE {_equal('there', key)})" for key in table.keys)
    found = f"SELECT * FROM {table.name} AS there WHERE {near} AND ({known})"  # noqa: S608
    writer.run(f"CREATE TEMP TABLE existing AS {found}", **values)


def _near(writer: Writer, table: Movable) -> tuple[str, dict[str, datetime]]:
    times = f"min({table.time}) - INTERVAL 1 HOUR AS earliest, max({table.time}) + INTERVAL 1 HOUR AS latest"
    (values,) = writer.run(f"SELECT {times} FROM incoming")  # noqa: S608
    return f"{table.time} BETWEEN $earliest::TIMESTAMP AND $latest::TIMESTAMP", values


def _is_new(table: Movable) -> str:
    return " AND ".join(f"NOT EXISTS (FROM existing WHERE {_equal('existing', key)})" for key in table.keys)


def _counts(table: Movable, kinds: dict[str, str]) -> str:
    same = f"EXISTS (FROM existing WHERE {_equal('existing', tuple(kinds))})"
    counted = f"count(*) FILTER ({_is_new(table)}) AS new, count(*) FILTER ({same}) AS same"
    return f"SELECT count(*) AS distinct_rows, {counted} FROM incoming"  # noqa: S608


def _update(table: Movable, kinds: dict[str, str]) -> str:
    (key,) = table.keys
    changed = ", ".join(f"{name} = incoming.{name}" for name in kinds if name not in key)
    more = f"incoming.{table.grows_by} > there.{table.grows_by}"
    return (
        f"UPDATE {table.name} AS there SET {changed} FROM incoming"  # noqa: S608
        f" WHERE {_equal('there', key)} AND {more} RETURNING 1"
    )


def _equal(other: str, names: tuple[str, ...]) -> str:
    return " AND ".join(f"incoming.{name} IS NOT DISTINCT FROM {other}.{name}" for name in names)
