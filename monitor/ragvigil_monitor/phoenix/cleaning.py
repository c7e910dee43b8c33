"""Leave out what Phoenix cannot store: it answers 200 to a span that holds bytes, and then loses it."""

from collections.abc import Iterable, MutableSequence

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


def leave_out_bytes(spans: Iterable[Span]) -> None:
    """Remove the attributes of spans and their events that hold bytes, query vectors above all."""
    for span in spans:
        _clean(span.attributes)
        for event in span.events:
            _clean(event.attributes)


def _clean(attributes: MutableSequence[KeyValue]) -> None:
    places = [place for place, pair in enumerate(attributes) if _holds_bytes(pair.value)]
    for place in reversed(places):
        del attributes[place]


def _holds_bytes(value: AnyValue) -> bool:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return any(_holds_bytes(element) for element in value.array_value.values)
    if kind == "kvlist_value":
        return any(_holds_bytes(pair.value) for pair in value.kvlist_value.values)
    return kind == "bytes_value"
