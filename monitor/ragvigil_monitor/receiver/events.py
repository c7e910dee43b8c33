"""Events and links of a span as they are kept among its attributes."""

from typing import Final

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil_monitor.conventions.provenance import EVENTS as EVENTS
from ragvigil_monitor.receiver.values import plain_mapping

LINKS: Final = "otel.links"
"""Where the links of a span are kept among its attributes."""


def event_values(event: Span.Event) -> dict[str, object]:
    """Name, time and attributes of an event."""
    return {"name": event.name, "time_unix_nano": event.time_unix_nano, **plain_mapping(event.attributes)}


def link_values(link: Span.Link) -> dict[str, object]:
    """Where a link leads, and its attributes."""
    return {"trace_id": link.trace_id.hex(), "span_id": link.span_id.hex(), **plain_mapping(link.attributes)}
