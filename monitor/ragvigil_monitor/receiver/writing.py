"""Rows of a batch into the tables, each span and event once."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.closed_hours import IGNORED, NOT_SUMMED, closed
from ragvigil_monitor.receiver.times import moment
from ragvigil_monitor.store import Writer
from ragvigil_monitor.store.stale_hours import mark_stale
from ragvigil_monitor.telemetry_tables import Row, positions, span_key, to_arrow

DUPLICATE_RANGE: Final = timedelta(hours=1)
"""How far beyond the times of a batch duplicates are looked for."""

_SPAN = positions(tables.SPANS)
_EVENT = positions(tables.LOG_EVENTS)
_EVENT_KEY: Final = pa.schema([tables.LOG_EVENTS.field("event_id")])

Key = Callable[[Row], Any]


def write(writer: Writer, batch: Batch, received_at: datetime) -> Counter[tuple[str, str]]:
    """Store a batch and count what became of it, inside the writer's transaction; the counts."""
    outcomes = batch.outcomes + _write_spans(writer, batch, received_at) + _write_events(writer, batch.log_events)
    outcomes += _write_reports(writer, batch.process_counts)
    if outcomes:
        rows = [(*service_and_outcome, items) for service_and_outcome, items in outcomes.items()]
        writer.execute_with("add_ingest_counts", to_arrow(tables.INGEST_COUNTS, rows), received_at=received_at)
    if batch.positions:
        last = {(row[0], row[1]): row for row in batch.positions}
        positions = to_arrow(tables.FILE_POSITIONS, list(last.values()))
        writer.execute_with("set_file_positions", positions, stored_at=received_at)
    return outcomes


def _write_spans(writer: Writer, batch: Batch, received_at: datetime) -> Counter[tuple[str, str]]:
    if not batch.spans:
        return Counter()
    received = _fresh(batch.spans, span_key, set())
    within = _range(received, _SPAN["started_at"])
    table = to_arrow(tables.SPANS, received)
    stored = writer.execute_with("known_spans", table, **within)
    gone = closed(writer, received, within, received_at)
    known = {(row["trace_id"], row["span_id"]) for row in stored} | gone.known(received)
    passed_over = gone.passed_over(received, batch.answers) - known
    left_out = known | passed_over
    fresh = _fresh(received, span_key, left_out) if left_out else received
    if fresh:
        writer.execute_with("insert_spans", to_arrow(tables.SPANS, fresh) if left_out else table)
    _insert(writer, "insert_answers", tables.ANSWERS, _fresh(batch.answers, span_key, left_out))
    _insert(writer, "insert_query_vectors", tables.QUERY_VECTORS, _fresh(batch.query_vectors, span_key, left_out))
    mark_stale(writer, {row[_SPAN["started_at"]] for row in fresh})
    ignored = [row for row in received if span_key(row) in passed_over] if passed_over else []
    taken = [row for row in batch.spans if span_key(row) not in passed_over] if passed_over else batch.spans
    return (
        _became(taken, fresh, tables.SPANS, "spans")
        + _by_service(ignored, tables.SPANS, IGNORED)
        + _by_service(gone.not_summed(fresh), tables.SPANS, NOT_SUMMED)
    )


def _write_events(writer: Writer, events: list[Row]) -> Counter[tuple[str, str]]:
    if not events:
        return Counter()
    keys = to_arrow(_EVENT_KEY, [[_event_key(row)] for row in events])
    stored = writer.execute_with("known_log_events", keys, **_range(events, _EVENT["occurred_at"]))
    fresh = _fresh(events, _event_key, {row["event_id"] for row in stored})
    _insert(writer, "insert_log_events", tables.LOG_EVENTS, fresh)
    return _became(events, fresh, tables.LOG_EVENTS, "logs")


def _write_reports(writer: Writer, rows: list[Row]) -> Counter[tuple[str, str]]:
    if not rows:
        return Counter()
    reports = to_arrow(tables.PROCESS_COUNTS, rows)
    found = writer.execute_with("reports_that_change_counts", reports)
    committed = Counter({(row["service"], "logs_committed"): row["reports"] for row in found})
    writer.execute_with("add_process_counts", reports)
    writer.execute_with("add_process_counts_by_hour", reports)
    return _with_duplicates(committed, rows, tables.PROCESS_COUNTS, "logs")


def _insert(writer: Writer, question: str, schema: pa.Schema, rows: list[Row]) -> None:
    if rows:
        writer.execute_with(question, to_arrow(schema, rows))


def _event_key(row: Row) -> str:
    return str(row[_EVENT["event_id"]])


def _range(rows: Iterable[Row], position: int) -> dict[str, datetime]:
    times = [row[position] for row in rows]
    return {"earliest": moment(min(times)) - DUPLICATE_RANGE, "latest": moment(max(times)) + DUPLICATE_RANGE}


def _fresh(rows: Iterable[Row], key: Key, known: set[Any]) -> list[Row]:
    """The first row of each key that is not stored yet."""
    seen = set(known)
    fresh = []
    for row in rows:
        if key(row) not in seen:
            seen.add(key(row))
            fresh.append(row)
    return fresh


def _became(received: list[Row], fresh: list[Row], schema: pa.Schema, what: str) -> Counter[tuple[str, str]]:
    return _with_duplicates(_by_service(fresh, schema, f"{what}_committed"), received, schema, what)


def _with_duplicates(
    committed: Counter[tuple[str, str]], received: list[Row], schema: pa.Schema, what: str
) -> Counter[tuple[str, str]]:
    duplicate = _by_service(received, schema, f"{what}_duplicate")
    for (service, _), items in committed.items():
        duplicate[service, f"{what}_duplicate"] -= items
    return committed + duplicate


def _by_service(rows: Sequence[Row], schema: pa.Schema, outcome: str) -> Counter[tuple[str, str]]:
    by_service = Counter(map(itemgetter(schema.get_field_index("service")), rows))
    return Counter({(service, outcome): items for service, items in by_service.items()})
