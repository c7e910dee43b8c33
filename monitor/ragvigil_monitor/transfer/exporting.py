"""What an export consists of: files, each a table or a day of it, in Parquet or OTLP."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final

from ragvigil_monitor.store import Reader, Store
from ragvigil_monitor.store.movable import BY_NAME, MOVABLE
from ragvigil_monitor.store.taking_out import Within, days, taken_out
from ragvigil_monitor.transfer.otlp_lines import log_lines, trace_lines
from ragvigil_monitor.transfer.parquet import parquet_chunks

_DAY: Final = timedelta(days=1)
_OTLP: Final = {"traces": trace_lines, "logs": log_lines}
_TABLES_OF: Final = {"traces": ("spans",), "logs": ("log_events", "process_counts")}


class Format(StrEnum):
    """How data is written."""

    PARQUET = "parquet"
    OTLP = "otlp"


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an export: a table, or `traces` and `logs` in OTLP, as a whole or of one UTC day."""

    name: str
    day: date | None = None

    def within(self, given: Within) -> Within:
        """What of a range of time belongs to this part."""
        if self.day is None:
            return given
        start = datetime.combine(self.day, time(), UTC)
        end = start + min(_DAY, datetime.max.replace(tzinfo=UTC) - start)
        return Within(max(start, given.start or start), min(end, given.end or end))


def exported(store: Store, form: Format, within: Within) -> Iterator[tuple[Part, Iterator[bytes]]]:
    """The files of an export and their bytes, all of one moment; each is read before the next one is asked for."""
    with store.snapshot() as moment:
        for part in parts(moment, form, within):
            yield part, content(moment, form, part, within)


def parts(store: Reader, form: Format, within: Within) -> list[Part]:
    """The files of an export, in the order in which an import wants them."""
    if form is Format.OTLP:
        return [
            Part(name, day)
            for name, tables in _TABLES_OF.items()
            for day in sorted({day for table in tables for day in days(store, BY_NAME[table], within)})
        ]
    return [
        Part(table.name, day)
        for table in MOVABLE
        for day in (days(store, table, within) if table.is_telemetry else [None])
    ]


def names(form: Format) -> frozenset[str]:
    """What parts of a format are called."""
    return frozenset(_OTLP) if form is Format.OTLP else frozenset(BY_NAME)


def content(store: Reader, form: Format, part: Part, within: Within) -> Generator[bytes]:
    """The bytes of a file, made while they are read."""
    asked = part.within(within)
    if form is Format.PARQUET:
        with taken_out(store, BY_NAME[part.name], asked) as reader:
            yield from parquet_chunks(part.name, reader)
    elif asked.start is not None and asked.end is not None:
        yield from _OTLP[part.name](store, asked.start, asked.end)
