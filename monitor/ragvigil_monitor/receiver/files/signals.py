"""Which signal a request carries that does not say so: its first key in JSON, its first item in protobuf."""

from collections.abc import Iterator
from typing import Final

import orjson

from ragvigil_monitor.receiver.files.found import Signal
from ragvigil_monitor.receiver.repair import NotProtobuf, wire_fields
from ragvigil_monitor.span_ids import SPAN_ID_BYTES, TRACE_ID_BYTES

_KEYS: Final = {
    "resourceSpans": Signal.TRACES,
    "resourceLogs": Signal.LOGS,
    "resourceMetrics": Signal.METRICS,
}
_BEGINNINGS: Final = {f'{{"{key}":'.encode(): signal for key, signal in _KEYS.items()}
_GROUPS, _SCOPES, _ITEMS = 1, 2, 2
"""Field numbers on the way to the items, the same in requests of all three signals."""


def signal_of_json(body: bytes) -> Signal | None:
    """The signal of a request in OTLP/JSON; None when it is none."""
    for beginning, signal in _BEGINNINGS.items():
        if body.startswith(beginning):
            return signal
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(document, dict):
        return None
    return next((signal for key, signal in _KEYS.items() if key in document), None if document else Signal.TRACES)


def behind_tear(line: bytes) -> int:
    """Where a request begins behind the half of another, whose writer was killed and began anew; 0 for nowhere.

    Inside a string the quotation marks would be escaped.
    """
    return max(0, *(line.rfind(beginning) for beginning in _BEGINNINGS))


def signal_of_protobuf(body: bytes) -> Signal | None:
    """The signal of a request in protobuf, by its first item; None when it is none.

    A span begins with two ids, a metric with its name, a log record with its time, which is no text on the wire. A
    request without items is called traces.
    """
    try:
        item = next(_items(memoryview(body)), None)
        return Signal.TRACES if item is None else _signal_of_item(item)
    except NotProtobuf:
        return None


def _signal_of_item(item: memoryview) -> Signal:
    contents = {number: content for number, _, content, _ in wire_fields(item)}
    trace_id, span_id = contents.get(1), contents.get(2)
    if trace_id is None:
        return Signal.LOGS
    has_ids = len(trace_id) == TRACE_ID_BYTES and span_id is not None and len(span_id) == SPAN_ID_BYTES
    return Signal.TRACES if has_ids else Signal.METRICS


def _items(body: memoryview) -> Iterator[memoryview]:
    for group in _inner(body, _GROUPS):
        for scope in _inner(group, _SCOPES):
            yield from _inner(scope, _ITEMS)


def _inner(message: memoryview, wanted: int) -> Iterator[memoryview]:
    return (content for number, _, content, _ in wire_fields(message) if number == wanted and content is not None)
