"""A stored log record, and the counters of a process, as the records that were sent, in OTLP/JSON."""

from collections.abc import Mapping
from typing import Any

import orjson

from ragvigil import attributes as names
from ragvigil_monitor.receiver.logs import SEVERITY
from ragvigil_monitor.transfer.otlp_values import Document, pairs


def log_document(row: Mapping[str, Any]) -> Document:
    """The log record of a row of `log_events_between`."""
    attributes: dict[str, object] = orjson.loads(row["attributes"] or "{}")
    severity = attributes.pop(SEVERITY, None)
    if attributes.get(names.FEEDBACK_ID) != row["event_id"]:
        attributes[names.EVENT_ID] = row["event_id"]
    document = {
        "timeUnixNano": str(row["occurred_us"] * 1000),
        "observedTimeUnixNano": str(row["observed_us"] * 1000),
        "eventName": row["event_name"] or None,
        "severityText": severity,
        "body": None if row["body"] is None else {"stringValue": row["body"]},
        "attributes": pairs(attributes),
        "traceId": row["trace_id"],
        "spanId": row["span_id"],
    }
    return {name: value for name, value in document.items() if value is not None}


def counters_document(row: Mapping[str, Any]) -> Document:
    """The log record that reports the counters of a row of `process_counts_between`."""
    counters = {
        names.SPANS_STARTED: row["started"],
        names.SPANS_EXPORTED: row["exported"],
        names.SPANS_SPOOLED: row["spooled"],
        names.SPANS_DROPPED: row["dropped"],
    }
    time = str(row["reported_us"] * 1000)
    return {
        "timeUnixNano": time,
        "observedTimeUnixNano": time,
        "eventName": names.EVENT_PROCESS_COUNTS,
        "attributes": pairs(counters),
    }
