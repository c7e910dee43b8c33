"""Many questions about one moment of the store."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Protocol

import duckdb

from ragvigil_monitor.errors import StoreUnavailable

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]


class Reader(Protocol):
    """What answers questions: a store as of now each time, or a snapshot."""

    def rows(self, question: str, **values: object) -> list[Row]:
        """Answer `queries/<question>.sql` as a list of dictionaries."""

    def ask(self, sql: str, **values: object) -> list[Row]:
        """Answer SQL that was made inside this package."""

    def stream(self, sql: str, batch_rows: int, **values: object) -> AbstractContextManager["pa.RecordBatchReader"]:
        """Answer SQL that was made inside this package in batches."""

    def stream_rows(
        self, question: str, batch_rows: int, **values: object
    ) -> AbstractContextManager[Iterator[list[Row]]]:
        """Answer `queries/<question>.sql` in portions of dictionaries."""


class Snapshot:
    """A reader of one transaction: all its answers are about the same moment. One question at a time, of any thread."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor

    def rows(self, question: str, **values: object) -> list[Row]:
        """As `Reader` says."""
        return self.ask(query_text(question), **values)

    def ask(self, sql: str, **values: object) -> list[Row]:
        """As `Reader` says."""
        return fetch(self._cursor.execute(sql, to_database(values)))

    @contextmanager
    def stream(self, sql: str, batch_rows: int, **values: object) -> Iterator["pa.RecordBatchReader"]:
        """As `Reader` says; times are aware where the SQL says so."""
        import pyarrow as pa

        reader = self._cursor.sql(sql, params=to_database(values)).to_arrow_reader(batch_rows)
        with closing(reader):  # DuckDB takes no other question before
            yield pa.RecordBatchReader.from_batches(reader.schema, _read(reader))

    @contextmanager
    def stream_rows(self, question: str, batch_rows: int, **values: object) -> Iterator[Iterator[list[Row]]]:
        """As `Reader` says."""
        with self.stream(query_text(question), batch_rows, **values) as reader:
            yield (batch.to_pylist() for batch in reader)


def _read(batches: Iterator["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
    """The batches; what fails in the database is an OSError of Arrow, which others take for one of their files."""
    try:
        yield from batches
    except OSError as failure:
        raise StoreUnavailable(f"The database cannot be read now: {failure}") from failure


@cache
def query_text(question: str) -> str:
    """The SQL of one question."""
    return resources.files(__package__).joinpath("queries", f"{question}.sql").read_text(encoding="utf-8")


def to_database(values: Mapping[str, object]) -> dict[str, object]:
    """Turn aware datetimes into the UTC timestamps that the tables hold."""
    return {name: _utc_timestamp(name, value) for name, value in values.items()}


def fetch(cursor: duckdb.DuckDBPyConnection) -> list[Row]:
    """What a query found, its times aware."""
    if cursor.description is None:
        return []
    names = [column[0] for column in cursor.description]
    return [{name: _aware(value) for name, value in zip(names, row, strict=True)} for row in cursor.fetchall()]


def _utc_timestamp(name: str, value: object) -> object:
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError(f"{name}={value.isoformat()} has no time zone; the store takes aware datetimes only")
    return value.astimezone(UTC).replace(tzinfo=None)


def _aware(value: object) -> object:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
