"""What was found of traces, into the store: in short transactions, each trace in one."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.foreign.settling import Settlement
from ragvigil_monitor.foreign.unsettled import Problem
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.stale_hours import mark_stale
from ragvigil_monitor.telemetry_tables import ANSWERS, INGEST_COUNTS, QUERY_VECTORS

MOST_SPANS: Final = 1000
"""How many spans one transaction changes, unless one trace has more: nothing that arrives is stored meanwhile."""
_TIME: Final = pa.timestamp("us")
_SUPERSEDED: Final = pa.schema(
    {
        **dict.fromkeys(("trace_id", "span_id", "new_span_id"), pa.binary()),
        **dict.fromkeys(("started_at", "new_started_at"), _TIME),
        **dict.fromkeys(("answer_id", "new_answer_id"), pa.string()),
    }
)
_SPANS: Final = pa.schema(
    {
        **dict.fromkeys(("trace_id", "span_id", "answer_span_id"), pa.binary()),
        **dict.fromkeys(("stage", "query_text", "attributes"), pa.string()),
        **dict.fromkeys(("input_tokens", "output_tokens", "cached_tokens"), pa.int64()),
        "started_at": _TIME,
        "cost_usd": pa.float64(),
    }
)


def write_settlements(store: Store, settlements: Sequence[Settlement]) -> dict[bytes, Exception]:
    """Write what was found; what the store does not take, by trace. Raises StoreUnavailable."""
    refused: dict[bytes, Exception] = {}
    for some in _portions(settlements):
        refused |= _write_some(store, some)
    return refused


def write_problem_counts(store: Store, problems: Sequence[Problem], now: datetime) -> None:
    """Count traces that cannot be judged among what became of everything received."""
    if problems:
        rows = [{"service": each.service, "outcome": each.reason.value, "items": 1} for each in problems]
        table = pa.Table.from_pylist(rows, INGEST_COUNTS).group_by(["service", "outcome"]).aggregate([("items", "sum")])
        with store.transaction() as writer:
            writer.execute_with("add_ingest_counts", table.rename_columns(INGEST_COUNTS.names), received_at=now)


def _portions(settlements: Sequence[Settlement]) -> Iterator[list[Settlement]]:
    portion: list[Settlement] = []
    for each in settlements:
        if portion and sum(len(other.spans) for other in portion) + len(each.spans) > MOST_SPANS:
            yield portion
            portion = []
        portion.append(each)
    if portion:
        yield portion


def _write_some(store: Store, settlements: Sequence[Settlement]) -> dict[bytes, Exception]:
    try:
        with store.transaction() as writer:
            _write(writer, settlements)
    except StoreUnavailable:
        raise
    except Exception as refusal:  # noqa: BLE001 - of one of the traces; the others must not wait for it
        if len(settlements) == 1:
            return {settlements[0].trace_id: refusal}
        return {key: why for each in settlements for key, why in _write_some(store, [each]).items()}
    return {}


def _write(writer: Writer, settlements: Sequence[Settlement]) -> None:
    changed = {row["started_at"] for each in settlements for row in (*each.superseded, *each.answers, *each.spans)}
    if not changed:
        return
    mark_stale(writer, changed)
    superseded = [row for each in settlements for row in each.superseded]
    answers = [row for each in settlements for row in each.answers]
    spans = [row for each in settlements for row in each.spans]
    vectors = [row for each in settlements for row in each.vectors]
    if superseded:
        table, within = pa.Table.from_pylist(superseded, _SUPERSEDED), _range(superseded)
        writer.execute_with("remove_answers", table, **within)
        for question in ("move_feedback", "move_regenerations", "move_query_vectors"):
            writer.execute_with(question, table, start=within["start"])
    if answers:
        writer.execute_with("insert_answers", pa.Table.from_pylist(answers, ANSWERS))
    if spans:
        writer.execute_with("settle_spans", pa.Table.from_pylist(spans, _SPANS), **_range(spans))
    if vectors:
        writer.execute_with("insert_query_vectors", pa.Table.from_pylist(vectors, QUERY_VECTORS))


def _range(rows: Sequence[dict[str, Any]]) -> dict[str, datetime]:
    times = [row["started_at"] for row in rows]
    return {"start": min(times), "end": max(times) + timedelta(microseconds=1)}
