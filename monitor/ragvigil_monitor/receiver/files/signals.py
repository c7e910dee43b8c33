"""Which signal a request carries that does not say so: its first key in JSON, its items in protobuf."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import orjson

from ragvigil_monitor.receiver.files.found import Signal
from ragvigil_monitor.receiver.files.wire_items import signal_of_items
from ragvigil_monitor.receiver.repair import NotProtobuf, wire_fields

_KEYS: Final = {
    "resourceSpans": Signal.TRACES,
    "resourceLogs": Signal.LOGS,
    "resourceMetrics": Signal.METRICS,
    "resource_spans": Signal.TRACES,
    "resource_logs": Signal.LOGS,
    "resource_metrics": Signal.METRICS,
}
"""In both spellings that are read over HTTP."""
_BEGINNINGS: Final = {f'{{"{key}":'.encode(): signal for key, signal in _KEYS.items()}
_MOST_ITEMS: Final = 100
"""So many are looked at; one is enough where it was sent by an SDK."""
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
    """The signal of a request in protobuf, by the fields of its items; None when it is none.

    A request without items, and one whose items could be anything, is called traces: who stores it counts it.
    """
    try:
        return signal_of_items(islice(_items(memoryview(body)), _MOST_ITEMS))
    except NotProtobuf:
        return None


def _items(body: memoryview) -> Iterator[memoryview]:
    for group in _inner(body, _GROUPS):
        for scope in _inner(group, _SCOPES):
            yield from _inner(scope, _ITEMS)


def _inner(message: memoryview, wanted: int) -> Iterator[memoryview]:
    return (content for number, _, content, _ in wire_fields(message) if number == wanted and content is not None)
