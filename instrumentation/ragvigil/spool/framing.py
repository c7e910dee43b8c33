"""Export requests as frames: one whole trace each, and what is in them."""

from collections.abc import Sequence
from dataclasses import dataclass

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans

from ragvigil import attributes as names
from ragvigil.export.exporter import Signal
from ragvigil.spool.frames import Kind, packed


@dataclass(frozen=True, slots=True)
class Contents:
    """What frames hold: spans, and feedback events (other log records are not counted)."""

    spans: int = 0
    feedback: int = 0

    def __add__(self, other: "Contents") -> "Contents":
        return Contents(self.spans + other.spans, self.feedback + other.feedback)


@dataclass(frozen=True, slots=True)
class Packed:
    """A frame as it is written, and what it holds."""

    data: bytes
    contents: Contents


def packed_frames(signal: Signal, payload: bytes) -> Sequence[Packed]:
    """The frames of an export request; raises google.protobuf.message.DecodeError when it is none."""
    if signal is Signal.LOGS:
        return [Packed(packed(Kind.LOGS, payload), _contents_of_logs(payload))]
    requests = _by_trace(ExportTraceServiceRequest.FromString(payload))
    return [Packed(packed(Kind.TRACES, request.SerializeToString()), _contents(request)) for request in requests]


def _by_trace(request: ExportTraceServiceRequest) -> list[ExportTraceServiceRequest]:
    """One request a trace, in the order of their first spans, each span below its resource and scope."""
    requests: dict[bytes, ExportTraceServiceRequest] = {}
    for resource_spans in request.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            places: dict[bytes, ScopeSpans] = {}
            for span in scope_spans.spans:
                if span.trace_id not in places:
                    whole = requests.setdefault(span.trace_id, ExportTraceServiceRequest())
                    places[span.trace_id] = _place_in(whole, resource_spans, scope_spans)
                places[span.trace_id].spans.append(span)
    return list(requests.values())


def _place_in(whole: ExportTraceServiceRequest, resource_spans: ResourceSpans, scope_spans: ScopeSpans) -> ScopeSpans:
    resource = whole.resource_spans.add(resource=resource_spans.resource, schema_url=resource_spans.schema_url)
    return resource.scope_spans.add(scope=scope_spans.scope, schema_url=scope_spans.schema_url)


def _contents(request: ExportTraceServiceRequest) -> Contents:
    return Contents(spans=sum([len(scope.spans) for group in request.resource_spans for scope in group.scope_spans]))


def _contents_of_logs(payload: bytes) -> Contents:
    request = ExportLogsServiceRequest.FromString(payload)
    scopes = [scope for group in request.resource_logs for scope in group.scope_logs]
    events = [record.event_name for scope in scopes for record in scope.log_records]
    return Contents(feedback=events.count(names.EVENT_FEEDBACK))


def contents_of(signal: Signal, payload: bytes) -> Contents:
    """What an export request holds; raises google.protobuf.message.DecodeError when it is none."""
    if signal is Signal.LOGS:
        return _contents_of_logs(payload)
    return _contents(ExportTraceServiceRequest.FromString(payload))
