"""What few spans have, through message objects: its cost does not matter."""

from typing import Final

from opentelemetry.proto.trace.v1.trace_pb2 import (
    SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK,
    SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK,
    Span,
    Status,
)

from ragvigil.clock import unix_ns
from ragvigil.encoding.values import add_attributes, well_formed
from ragvigil.rare import Rare

LOCAL: Final = int(SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK)
"""Flags that say of another span: of this process."""
REMOTE: Final = int(LOCAL | SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
"""Flags that say of another span: of another process."""


def encoded_rare(rare: Rare, anchor_ns: int) -> bytes:
    """Bytes of a `Span` message with status, attributes of other code, events and links."""
    into = Span()
    add_attributes(into.attributes, rare.attributes)
    into.status.code = Status.StatusCode.ValueType(rare.status.value)
    into.status.message = well_formed(rare.description or "")
    for event in rare.events:
        added = into.events.add(name=well_formed(event.name), time_unix_nano=unix_ns(anchor_ns + event.at_ns))
        add_attributes(added.attributes, event.attributes)
    into.dropped_events_count = rare.dropped_events
    for context, attributes in rare.links:
        link = into.links.add(trace_id=context.trace_id.to_bytes(16, "big"), span_id=context.span_id.to_bytes(8, "big"))
        link.flags = context.trace_flags & 0xFF | (REMOTE if context.is_remote else LOCAL)
        add_attributes(link.attributes, attributes)
    into.dropped_links_count = rare.dropped_links
    return into.SerializeToString()


def encoded_regeneration(answer_id: object) -> bytes:
    """The same with a link to the answer that an id of ours names; nothing for an id of another make."""
    trace_id, _, span_id = answer_id.partition("-") if isinstance(answer_id, str) else ("", "", "")
    try:
        link = Span.Link(trace_id=bytes.fromhex(trace_id), span_id=bytes.fromhex(span_id), flags=REMOTE)
    except ValueError:
        return b""
    return Span(links=[link]).SerializeToString() if (len(link.trace_id), len(link.span_id)) == (16, 8) else b""
