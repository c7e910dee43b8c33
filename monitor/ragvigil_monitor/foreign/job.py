"""Settle what other instrumentations have sent: its answers, and the steps that several of them tell of."""

from datetime import timedelta
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor.conventions.genai import SPEAKING_EVENTS
from ragvigil_monitor.foreign.settling import Settlement, settle
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer

OVERLAP: Final = timedelta(hours=1)
"""How far before its last run the job looks again, and how far spans of one trace may start apart."""
AT_ONCE: Final = 200
"""Traces that are held in memory together."""
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


def settle_foreign(service: Service, turn: Turn) -> Write:
    """Find the answers in what other instrumentations have sent since the last run, and count each step once."""
    del service

    def write(writer: Writer) -> None:
        reach = {"earliest": turn.start - OVERLAP, "latest": turn.now + OVERLAP}
        waiting = [row["trace_id"] for row in writer.execute("foreign_traces_unsettled", **reach)]
        for begin in range(0, len(waiting), AT_ONCE):
            _settle_some(writer, waiting[begin : begin + AT_ONCE], turn)

    return write


def _settle_some(writer: Writer, trace_ids: list[bytes], turn: Turn) -> None:
    within = {"start": turn.start - 2 * OVERLAP, "end": turn.now + 2 * OVERLAP}
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
