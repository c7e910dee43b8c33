"""A stored span as the span that was sent, in OTLP/JSON."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import NO_STAGE
from ragvigil_monitor.receiver.events import EVENTS, LINKS
from ragvigil_monitor.receiver.foreign import STAGE_OF_KIND
from ragvigil_monitor.transfer.otlp_columns import Attributes, answer_attributes, span_attributes
from ragvigil_monitor.transfer.otlp_values import Document, pairs
from ragvigil_monitor.transfer.otlp_vectors import sent_vector

_STATUS_CODES: Final = {"unset": 0, "ok": 1, "error": 2}


def span_document(row: Mapping[str, Any]) -> Document:
    """The span of a row of `spans_with_answers`."""
    others: Attributes = orjson.loads(row["attributes"] or "{}")
    events, links = _taken(others, EVENTS, _event), _taken(others, LINKS, _link)
    document = {
        "traceId": row["trace_id"],
        "spanId": row["span_id"],
        "parentSpanId": row["parent_span_id"],
        "name": row["name"],
        **_times(row),
        "attributes": pairs(_attributes(row, others)),
        "droppedAttributesCount": row["dropped_attributes"] or None,
        "events": events,
        "links": links,
        "status": {"code": _STATUS_CODES.get(row["status"], 0), "message": row["status_message"] or ""},
    }
    return {name: value for name, value in document.items() if value is not None}


def _times(row: Mapping[str, Any]) -> Document:
    """Where no duration is known, the end is left out: the receiver takes that for what it is."""
    start_ns = row["started_us"] * 1000
    if row["duration_ms"] is None:
        return {"startTimeUnixNano": str(start_ns)}
    return {"startTimeUnixNano": str(start_ns), "endTimeUnixNano": str(start_ns + round(row["duration_ms"] * 1e6))}


def _attributes(row: Mapping[str, Any], others: Attributes) -> Attributes:
    told = span_attributes(row, others)
    if row["answer_id"] is not None:
        told |= answer_attributes(row, others)
    elif row["answer_span_id"] is not None:
        others.pop(names.ANSWER_SPAN_ID, None)
        told[names.ANSWER_SPAN_ID] = row["answer_span_id"]
    if row["stage"] is None and row["answer_id"] is None and row["kind"] in STAGE_OF_KIND:
        told[NO_STAGE] = True
    if row["unit_f16"] is not None:
        told[names.QUERY_VECTOR] = sent_vector(row["unit_f16"], row["norm"])
    return told | others


def _taken(others: Attributes, name: str, made: Any) -> list[Document] | None:
    """What is kept among the attributes in a form of its own; what only has the name stays an attribute."""
    kept = others.get(name)
    if not isinstance(kept, list) or not kept:
        return None
    made_of_each = (made(dict(each)) if isinstance(each, dict) else None for each in kept)
    found = [each for each in made_of_each if each is not None]
    if len(found) < len(kept):
        return None
    del others[name]
    return found


def _event(kept: dict[str, Any]) -> Document | None:
    name, time = kept.pop("name", None), kept.pop("time_unix_nano", None)
    if not isinstance(name, str) or not isinstance(time, int) or time < 0:
        return None
    return {"name": name, "timeUnixNano": str(time), "attributes": pairs(kept)}


def _link(kept: dict[str, Any]) -> Document | None:
    trace_id, span_id = kept.pop("trace_id", None), kept.pop("span_id", None)
    if not isinstance(trace_id, str) or not isinstance(span_id, str):
        return None
    return {"traceId": trace_id, "spanId": span_id, "attributes": pairs(kept)}
