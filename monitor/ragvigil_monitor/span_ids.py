"""Which spans can be told apart: those with a proper trace id and span id."""

from typing import Final

from opentelemetry.proto.trace.v1.trace_pb2 import Span

TRACE_ID_BYTES: Final = 16
SPAN_ID_BYTES: Final = 8


def has_ids(span: Span) -> bool:
    """Whether both ids have their length and are not all zeros, as OpenTelemetry asks for."""
    trace_id, span_id = span.trace_id, span.span_id
    return len(trace_id) == TRACE_ID_BYTES and len(span_id) == SPAN_ID_BYTES and any(trace_id) and any(span_id)
