"""The job that reads new labels of relevance items, once each, together with the searches that they are about."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor.job import Job, Turn, Write
from ragvigil_monitor.review.outcomes import Label, outcome
from ragvigil_monitor.review.recorded_stages import search_of, stages_after
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.database import Row

_AT_ONCE: Final = 500
"""How many labels are read with one look into the spans."""
_AROUND: Final = timedelta(hours=1)
"""How long after the start of their answer, or of the probe, spans may start."""
_TIME: Final = pa.timestamp("us")
_OUTCOMES: Final = pa.schema(
    {
        "item_id": pa.string(),
        "trace_id": pa.binary(),
        "answer_span_id": pa.binary(),
        "started_at": _TIME,
        "is_filtered": pa.bool_(),
        "depth": pa.int32(),
        "documents": pa.int32(),
        "relevant": pa.int32(),
        "has_evidence": pa.bool_(),
        "is_excluded": pa.bool_(),
        "lost_at": pa.string(),
        "unknown_because": pa.string(),
        "decided_at": _TIME,
    }
)

Key = tuple[bytes, bytes]


def read_labels(service: Service, turn: Turn) -> Write | None:
    """Read the labels that were given up to now and not read before; None where there are none."""
    items = service.store.rows("relevance_labels_unread", now=turn.now)
    rows = [row for some in _portions(items) for row in _outcomes(service.store, some, turn.now)]
    return (lambda writer: _write(writer, rows)) if rows else None


READ_LABELS: Final = Job("relevance_outcomes", 0, read_labels)


def _write(writer: Writer, rows: list[dict[str, Any]]) -> None:
    writer.execute_with("add_relevance_outcomes", pa.Table.from_pylist(rows, _OUTCOMES))


def _portions(items: Sequence[Row]) -> Iterator[Sequence[Row]]:
    return (items[begin : begin + _AT_ONCE] for begin in range(0, len(items), _AT_ONCE))


def _outcomes(store: Store, items: Sequence[Row], now: datetime) -> Iterator[dict[str, Any]]:
    """Rows of `relevance_outcomes` for items in order of time."""
    spans, citations = _spans(store, items), _citations(store, items)
    for item in items:
        own = spans.get(item["trace_id"], [])
        probed = (item["probe_trace_id"], item["probe_span_id"])
        label = Label(frozenset(item["shown"]), frozenset(item["relevant"]))
        found = outcome(
            label,
            search_of(own, item["retrieval_span_id"]),
            search_of(spans.get(probed[0], []), probed[1]),
            stages_after(own, item, citations.get((item["trace_id"], item["answer_span_id"]))),
            is_filtered=probed[1] is not None,
        )
        yield {
            **{name: item[name] for name in ("item_id", "trace_id", "answer_span_id")},
            "started_at": item["started_at"].replace(tzinfo=None),
            "is_filtered": probed[1] is not None,
            "documents": len(label.shown),
            "relevant": len(label.relevant),
            **{name: getattr(found, name) for name in _DECIDED},
            "decided_at": now.replace(tzinfo=None),
        }


_DECIDED: Final = ("has_evidence", "is_excluded", "lost_at", "unknown_because", "depth")


def _spans(store: Store, items: Sequence[Row]) -> dict[bytes, list[Row]]:
    moments = [moment for item in items for moment in (item["started_at"], item["probe_started_at"]) if moment]
    named = {item[name] for item in items for name in ("trace_id", "probe_trace_id")} - {None}
    rows = store.rows(
        "searches_of_traces", trace_ids=sorted(named), start=min(moments) - _AROUND, end=max(moments) + _AROUND
    )
    by_trace: defaultdict[bytes, list[Row]] = defaultdict(list)
    for row in rows:
        by_trace[row["trace_id"]].append(row)
    return by_trace


def _citations(store: Store, items: Sequence[Row]) -> dict[Key, str | None]:
    rows = store.rows(
        "citations_of_answers",
        trace_ids=sorted({item["trace_id"] for item in items}),
        start=items[0]["started_at"],
        end=items[-1]["started_at"] + _AROUND,
    )
    return {(row["trace_id"], row["span_id"]): row["citations"] for row in rows}
