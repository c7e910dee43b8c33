"""A store as large as a busy application leaves it, made inside DuckDB: minutes, not hours."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
from tests.benchmarks._progress import Progress

from ragvigil_monitor.guardrails.models import Evidence
from ragvigil_monitor.hour_sums import add_up, pass_hours
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store, Writer

HERE: Final = Path(__file__).parent
DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
JOBS_BEHIND: Final = timedelta(hours=6)
"""How far before the end of the data the hourly jobs have come: so many of their turns can be measured."""
_DIMENSION: Final = 384
_VECTORS: Final = 1_000
_THREADS: Final = 2
_CONFIG: Final[dict[str, Any]] = {"memory_limit": "3GB", "threads": str(_THREADS)}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def build(path: Path, *, answers: int, days: int, end: datetime) -> None:
    """Fill a new file with `days` days of traffic up to `end`, six spans an answer, in order of time."""
    Store.open(path).close()
    progress = Progress(path.stem)
    with duckdb.connect(str(path), config=_CONFIG) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        _run(connection, "_large_store_tools.sql")
        _add_vectors(connection)
        for day in progress.each("days", list(_days(answers, days, end))):
            with _transaction(connection):
                _run(connection, "_large_store_day.sql", **day)
        with progress.phase("conclusions"), _transaction(connection):
            _conclude(connection, days, end)
        connection.execute("CHECKPOINT")
    with progress.phase("sums of hours"):
        _add_up_hours(path, end, progress)


def _conclude(connection: duckdb.DuckDBPyConnection, days: int, end: datetime) -> None:
    concluded = {"start": _naive(end - days * DAY), "end_at": _naive(end), "evidence": _evidence(end)}
    _run(connection, "_large_store_end.sql", **concluded, done_up_to=_naive(end - JOBS_BEHIND))
    _add_drift_hours(connection)
    _set_watermarks(connection, end)


def _days(answers: int, days: int, end: datetime) -> Iterator[dict[str, Any]]:
    per_day = answers // days
    for number in range(days):
        first = number * per_day
        yield {
            "day": _naive(end - (days - number) * DAY),
            "first": first,
            "end": first + per_day,
            "per_day": float(per_day),
            "done_up_to": _naive(end - JOBS_BEHIND),
        }


def _run(connection: duckdb.DuckDBPyConnection, file: str, **values: object) -> None:
    for statement in duckdb.extract_statements((HERE / file).read_text(encoding="utf-8")):
        connection.execute(statement, {name: values[name] for name in statement.named_parameters})


def _add_vectors(connection: duckdb.DuckDBPyConnection) -> None:
    rng = np.random.default_rng(5)
    units = rng.normal(size=(_VECTORS, _DIMENSION))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    stored = [unit.astype("<f2").tobytes() for unit in units]
    connection.register("given", pa.table({"k": range(_VECTORS), "unit_f16": pa.array(stored, pa.binary())}))
    connection.execute("CREATE TEMP TABLE vectors AS SELECT * FROM given")
    connection.unregister("given")


def _add_drift_hours(connection: duckdb.DuckDBPyConnection) -> None:
    """Sums of random vectors, beside the true number of those in each hour."""
    rng = np.random.default_rng(6)
    counted = connection.sql(
        "SELECT date_trunc('hour', started_at) AS hour, 'mini' AS model, 384 AS dimension, count(*) AS n,"
        " 0 AS unusable, count(*)::DOUBLE AS square_sum FROM query_vectors GROUP BY ALL ORDER BY hour"
    ).to_arrow_table()
    sums = [rng.normal(0.0, n**0.5, _DIMENSION).tobytes() for n in counted["n"].to_pylist()]
    connection.register("given", counted.append_column("vector_sum", pa.array(sums, pa.binary())))
    connection.execute("INSERT INTO drift_hours BY NAME SELECT * FROM given")
    connection.unregister("given")


def _set_watermarks(connection: duckdb.DuckDBPyConnection, end: datetime) -> None:
    """As if every job had run until some hours ago; those that run once a day, until a day before."""
    for job in jobs(Settings()):
        behind = end - JOBS_BEHIND - (DAY if job.every_s > HOUR.total_seconds() else timedelta())
        every = timedelta(seconds=job.every_s or 1)
        done_up_to = _EPOCH + (behind - _EPOCH) // every * every
        connection.execute("INSERT INTO job_watermarks VALUES (?, ?)", [job.name, _naive(done_up_to)])


def _add_up_hours(path: Path, end: datetime, progress: Progress) -> None:
    """As the job does it, but a day a transaction, and two at a time."""
    with closing(Store.open(path)) as store:
        pass_hours(store, end - JOBS_BEHIND)
        hours = [row["hour"] for row in store.rows("hours_to_sum", most=1_000_000)]
    with duckdb.connect(str(path), config=_CONFIG) as connection, ThreadPoolExecutor(_THREADS) as threads:
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        days = [hours[first : first + 24] for first in range(0, len(hours), 24)]
        for _ in progress.each("days added up", threads.map(partial(_add_up_day, connection), days), of=len(days)):
            pass


def _add_up_day(connection: duckdb.DuckDBPyConnection, hours: Sequence[datetime]) -> None:
    with connection.cursor() as cursor, _transaction(cursor):
        for hour in hours:
            add_up(Writer(cursor), hour)


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """One commit for many statements; what fails ends the process, and the file is built anew."""
    connection.execute("BEGIN")
    yield
    connection.execute("COMMIT")


def _evidence(end: datetime) -> str:
    return Evidence(
        window_start=end - DAY,
        window_end=end,
        value=1.0,
        lower=0.9,
        upper=1.1,
        alarm_lower=0.9,
        limit=0.5,
        unit="ms",
        n=100,
        missing=0,
        slices=[],
        trace_ids=[],
        releases=[],
    ).model_dump_json()


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
