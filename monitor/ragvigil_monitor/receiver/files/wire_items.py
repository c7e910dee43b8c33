"""Spans, log records and metrics told apart by the numbers and wire types of their fields in protobuf."""

from collections.abc import Iterable, Mapping
from typing import Final, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil_monitor.receiver.files.found import Signal
from ragvigil_monitor.receiver.repair import NotProtobuf, wire_fields
from ragvigil_monitor.span_ids import SPAN_ID_BYTES, TRACE_ID_BYTES

_VARINT, _EIGHT_BYTES, _LENGTH_DELIMITED, _FOUR_BYTES = 0, 1, 2, 5
_WIRE_TYPES: Final = {
    FieldDescriptor.TYPE_FIXED64: _EIGHT_BYTES,
    FieldDescriptor.TYPE_FIXED32: _FOUR_BYTES,
    FieldDescriptor.TYPE_STRING: _LENGTH_DELIMITED,
    FieldDescriptor.TYPE_BYTES: _LENGTH_DELIMITED,
    FieldDescriptor.TYPE_MESSAGE: _LENGTH_DELIMITED,
}
_GAUGE_OR_NAME: Final = 5
_DATA_POINTS: Final = 0x0A
"""The first byte of a gauge: the tag of its data points. No name of a span begins with a line break."""


def _wire_types(kind: type[Message]) -> dict[int, int]:
    fields = cast("Descriptor", kind.DESCRIPTOR).fields
    return {field.number: _WIRE_TYPES.get(field.type, _VARINT) for field in fields}


_FIELDS: Final[Mapping[Signal, Mapping[int, int]]] = {
    Signal.TRACES: _wire_types(Span),
    Signal.LOGS: _wire_types(LogRecord),
    Signal.METRICS: _wire_types(Metric),
}
_KNOWN: Final = frozenset(number for fields in _FIELDS.values() for number in fields)


def signal_of_items(items: Iterable[memoryview]) -> Signal | None:
    """What the items of one request are, by the first that tells; None where they contradict all; raises NotProtobuf.

    Without items, and where nothing tells, traces.
    """
    possible = frozenset(Signal)
    guess: Signal | None = None
    for item in items:
        possible &= _possible(item)
        if len(possible) <= 1:
            return next(iter(possible), None)
        guess = guess or _guess(item, possible)
    return guess if guess in possible else Signal.TRACES if Signal.TRACES in possible else next(iter(possible))


def _possible(item: memoryview) -> frozenset[Signal]:
    """The signals whose items have fields of these numbers and wire types; what nobody knows is passed over."""
    found = {(number, item[start] & 7) for number, start, _, _ in wire_fields(item) if number in _KNOWN}
    return frozenset(
        signal for signal, fields in _FIELDS.items() if all(fields.get(number) == kind for number, kind in found)
    )


def _guess(item: memoryview, possible: frozenset[Signal]) -> Signal | None:
    """What an item is that could be several: a gauge or a span without times, which have texts at the same places."""
    contents = {number: content for number, _, content, _ in wire_fields(item) if content is not None}
    if not contents.keys() & {1, 2}:
        return Signal.LOGS if contents and Signal.LOGS in possible else None
    if Signal.METRICS in possible and _is_gauge(contents.get(_GAUGE_OR_NAME)):
        return Signal.METRICS
    ids = len(contents.get(1, b"")), len(contents.get(2, b""))
    if Signal.TRACES in possible and ids == (TRACE_ID_BYTES, SPAN_ID_BYTES):
        return Signal.TRACES
    return Signal.METRICS if Signal.METRICS in possible and _GAUGE_OR_NAME not in contents else None


def _is_gauge(content: memoryview | None) -> bool:
    if not content or content[0] != _DATA_POINTS:
        return False
    try:
        return all(number == 1 and points is not None for number, _, points, _ in wire_fields(content))
    except NotProtobuf:
        return False
