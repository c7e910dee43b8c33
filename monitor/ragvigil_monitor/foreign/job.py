"""Settle what other instrumentations have sent: its answers, and the steps that several of them tell of."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor.conventions.genai import SPEAKING_EVENTS
from ragvigil_monitor.foreign.settling import Settlement, settle
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer
from ragvigil_monitor.store.database import Row

OVERLAP: Final = timedelta(hours=1)
"""How far before its last run the job looks again, and how far spans of one trace may start apart."""
MOST_BYTES: Final = 16_000_000
"""How much of the store is held in memory together; a trace of more than that is left as it is."""
_ANSWERS: Final = pa.schema(
    {
        **dict.fromkeys(("trace_id", "span_id"), pa.binary()),
        **dict.fromkeys(("started_at",), pa.timestamp("us")),
        **dict.fromkeys(("duration_ms", "confidence", "sampling_probability"), pa.float64()),
        **dict.fromkeys(
            (
                "answer_id",
                "service",
                "service_version",
                "status",
                "session_id",
                "user_id",
                "intent",
                "slices",
                "question",
                "answer",
                "citations",
                "regeneration_of",
            ),
            pa.string(),
        ),
        "refusal": pa.bool_(),
    }
)
_KEYS: Final = pa.schema({"trace_id": pa.binary(), "span_id": pa.binary()})
_SPANS: Final = pa.schema(
    {
        **dict.fromkeys(("trace_id", "span_id", "answer_span_id"), pa.binary()),
        **dict.fromkeys(("stage", "query_text", "attributes"), pa.string()),
        **dict.fromkeys(("input_tokens", "output_tokens", "cached_tokens"), pa.int64()),
        "started_at": pa.timestamp("us"),
        "cost_usd": pa.float64(),
    }
)


def settle_foreign(service: Service, turn: Turn, *, most_bytes: int = MOST_BYTES) -> Write:
    """Find the answers in what other instrumentations have sent since the last run, and count each step once."""
    del service

    def write(writer: Writer) -> None:
        reach = {"earliest": turn.start - OVERLAP, "latest": turn.now + OVERLAP, "most_bytes": most_bytes}
        within = {"start": turn.start - 2 * OVERLAP, "end": turn.now + 2 * OVERLAP}
        for trace_ids in _portions(writer.execute("foreign_traces_unsettled", **reach, **within), most_bytes):
            _settle_some(writer, trace_ids, within, turn)

    return write


def _portions(waiting: Iterable[Row], most_bytes: int) -> Iterator[list[bytes]]:
    """Ids of traces that have at most so many bytes together."""
    portion: list[bytes] = []
    held = 0
    for row in waiting:
        if portion and held + row["bytes"] > most_bytes:
            yield portion
            portion, held = [], 0
        portion.append(row["trace_id"])
        held += row["bytes"]
    if portion:
        yield portion


def _settle_some(writer: Writer, trace_ids: list[bytes], within: dict[str, Any], turn: Turn) -> None:
    rows = writer.execute("spans_to_settle", trace_ids=trace_ids, **within)
    answers = writer.execute("answers_to_settle", trace_ids=trace_ids, **within)
    events = writer.execute("messages_of_traces", trace_ids=trace_ids, event_names=list(SPEAKING_EVENTS), **within)
    _write(writer, settle(rows, answers, events, now=turn.now), within)


def _write(writer: Writer, found: Settlement, within: dict[str, Any]) -> None:
    if found.superseded:
        writer.execute_with("remove_answers", pa.Table.from_pylist(found.superseded, _KEYS), **within)
    if found.answers:
        writer.execute_with("insert_answers", pa.Table.from_pylist(found.answers, _ANSWERS))
    if found.spans:
        writer.execute_with("settle_spans", pa.Table.from_pylist(found.spans, _SPANS), **within)
