"""OTLP spans as the finished spans that span processors of the SDK take.

They are made from what was encoded for the receiver, so both paths say the same by construction, whatever was
protected or redacted on the way.
"""

import base64
from collections.abc import Iterable
from typing import Any, NamedTuple

from opentelemetry.attributes import BoundedAttributes
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2 as otlp
from opentelemetry.sdk.trace import Event, ReadableSpan, SpanLimits
from opentelemetry.sdk.util import BoundedList
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState

from ragvigil.bridge.limits import limited
from ragvigil.bridge.target import Target
from ragvigil.version import __version__

SCOPE = InstrumentationScope("ragvigil", __version__)


class Dropped(NamedTuple):
    """What was lost of a span."""

    attributes: int
    events: int
    links: int


class FinishedSpan(ReadableSpan):
    """A finished span that knows what was lost of it; its base asks containers that would count anew."""

    def __init__(self, dropped: Dropped, **parts: Any) -> None:
        super().__init__(**parts)
        self._dropped = dropped
        self._parts = parts

    @property
    def dropped_attributes(self) -> int:
        """Attributes that could not be recorded, or were over the limit."""
        return self._dropped.attributes

    @property
    def dropped_events(self) -> int:
        """Events over the limit."""
        return self._dropped.events

    @property
    def dropped_links(self) -> int:
        """Links over the limit."""
        return self._dropped.links

    def to_json(self, indent: int | None = 4) -> str:
        """For the console; bytes, which JSON has not, in base64, as OTLP writes them."""
        textual = {key: _textual(value) for key, value in (self.attributes or {}).items()}
        printable = ReadableSpan(**{**self._parts, "attributes": textual})
        return str(printable.to_json(indent))


def readable(span: otlp.Span, target: Target) -> FinishedSpan:
    """`span` within the limits of the application's provider, with its resource."""
    flags = TraceFlags(span.flags & otlp.SPAN_FLAGS_TRACE_FLAGS_MASK)
    state = TraceState.from_header([span.trace_state]) if span.trace_state else TraceState()
    dropped, parts = _within(span, target.limits)
    return FinishedSpan(
        dropped,
        name=span.name,
        context=_context(span.trace_id, span.span_id, flags, state),
        parent=_parent(span, flags, state),
        resource=target.resource,
        kind=SpanKind(span.kind - otlp.Span.SPAN_KIND_INTERNAL),
        status=Status(StatusCode(span.status.code), span.status.message or None),
        start_time=span.start_time_unix_nano,
        end_time=span.end_time_unix_nano,
        instrumentation_scope=SCOPE,
        **parts,
    )


def _within(span: otlp.Span, limits: SpanLimits) -> tuple[Dropped, dict[str, Any]]:
    """Attributes, events and links within the limits, and what was lost of the span before and here."""
    written = _attributes(span.attributes, limits.max_span_attribute_length)
    attributes = limited(written, limits.max_span_attributes)
    events = BoundedList.from_seq(limits.max_events, [_event(event, limits) for event in span.events])
    links = BoundedList.from_seq(limits.max_links, [_link(link, limits) for link in span.links])
    dropped = Dropped(
        span.dropped_attributes_count + len(written) - len(attributes),
        span.dropped_events_count + events.dropped,
        span.dropped_links_count + links.dropped,
    )
    return dropped, {"attributes": attributes, "events": events, "links": links}


def _context(
    trace_id: bytes, span_id: bytes, flags: TraceFlags, state: TraceState, *, is_remote: bool = False
) -> SpanContext:
    return SpanContext(int.from_bytes(trace_id, "big"), int.from_bytes(span_id, "big"), is_remote, flags, state)


def _parent(span: otlp.Span, flags: TraceFlags, state: TraceState) -> SpanContext | None:
    if not span.parent_span_id:
        return None
    return _context(span.trace_id, span.parent_span_id, flags, state, is_remote=_is_remote(span.flags))


def _is_remote(flags: int) -> bool:
    return bool(flags & otlp.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)


def _event(event: otlp.Span.Event, limits: SpanLimits) -> Event:
    attributes = _attributes(event.attributes, limits.max_attribute_length)
    return Event(event.name, BoundedAttributes(limits.max_event_attributes, attributes), event.time_unix_nano)


def _link(link: otlp.Span.Link, limits: SpanLimits) -> Link:
    attributes = _attributes(link.attributes, limits.max_attribute_length)
    flags = TraceFlags(link.flags & otlp.SPAN_FLAGS_TRACE_FLAGS_MASK)
    context = _context(link.trace_id, link.span_id, flags, TraceState(), is_remote=_is_remote(link.flags))
    return Link(context, BoundedAttributes(limits.max_link_attributes, attributes))


def _attributes(pairs: Iterable[KeyValue], longest: int | None) -> dict[str, Any]:
    return {pair.key: _value(pair.value, longest) for pair in pairs}


def _value(value: AnyValue, longest: int | None) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return tuple([_value(item, longest) for item in value.array_value.values])
    if kind == "string_value":
        return value.string_value[:longest]
    return None if kind is None else getattr(value, kind)


def _textual(value: object) -> object:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
