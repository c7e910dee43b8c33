"""The spans of a request that go to Phoenix, as a request of their own."""

from collections.abc import Iterable
from dataclasses import dataclass

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from ragvigil import attributes as names
from ragvigil_monitor.phoenix.cleaning import leave_out_bytes
from ragvigil_monitor.phoenix.share import is_in_share
from ragvigil_monitor.span_ids import has_ids

UNNAMED_PROJECT = "default"
"""Where Phoenix files the spans of a service without a name, too."""


@dataclass(frozen=True, slots=True)
class Picked:
    """An ExportTraceServiceRequest in protobuf, and how many spans it holds.

    strikes: how often it failed when Phoenix had taken the one before.
    """

    body: bytes
    spans: int
    strikes: int = 0


def pick(request: ExportTraceServiceRequest, *, share: float, project: str | None) -> Picked | None:
    """The spans of the traces in the share; None where there is none.

    Resources, scopes and spans stay as they were sent, but for two things: attributes that hold bytes are left out, and
    a resource that names no project is given one: `project`, else the name of its service.
    """
    chosen = _Choice(share)
    groups = [_resource_spans(group, chosen, project) for group in request.resource_spans]
    picked = ExportTraceServiceRequest(resource_spans=[group for group in groups if group.scope_spans])
    return Picked(picked.SerializeToString(), chosen.spans) if chosen.spans else None


class _Choice:
    """Which spans are chosen, how many so far; each trace id is hashed once."""

    def __init__(self, share: float) -> None:
        self.spans = 0
        self._share = share
        self._by_trace: dict[bytes, bool] = {}

    def of(self, spans: Iterable[Span]) -> list[Span]:
        found = [span for span in spans if has_ids(span) and self._takes(span.trace_id)]
        self.spans += len(found)
        return found

    def _takes(self, trace_id: bytes) -> bool:
        known = self._by_trace.get(trace_id)
        if known is None:
            known = self._by_trace[trace_id] = is_in_share(trace_id, self._share)
        return known


def _resource_spans(group: ResourceSpans, chosen: _Choice, project: str | None) -> ResourceSpans:
    scopes = [(scope, chosen.of(scope.spans)) for scope in group.scope_spans]
    found = ResourceSpans(
        scope_spans=[
            ScopeSpans(scope=scope.scope, schema_url=scope.schema_url, spans=spans) for scope, spans in scopes if spans
        ],
        schema_url=group.schema_url,
    )
    if found.scope_spans:
        found.resource.CopyFrom(group.resource)
        _name_project(found.resource, project)
        leave_out_bytes(span for scope in found.scope_spans for span in scope.spans)
    return found


def _name_project(resource: Resource, project: str | None) -> None:
    texts = {pair.key: pair.value.string_value for pair in resource.attributes}
    if not texts.get(names.PROJECT_NAME):
        name = project or texts.get(names.SERVICE_NAME) or UNNAMED_PROJECT
        resource.attributes.append(KeyValue(key=names.PROJECT_NAME, value=AnyValue(string_value=name)))
