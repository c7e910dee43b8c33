"""Whole OTLP requests, serialized."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil import attributes as names
from ragvigil.counts import Counts
from ragvigil.encoding.values import add_attributes
from ragvigil.rare import Value
from ragvigil.version import __version__

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

    Spans: TypeAlias = RepeatedCompositeFieldContainer[Span]

_SCOPE = InstrumentationScope(name="ragvigil", version=__version__)


class RequestEncoder:
    """Requests that say which process they come from."""

    def __init__(self, resource: Mapping[str, Value]) -> None:
        self._resource = Resource()
        add_attributes(self._resource.attributes, resource)

    def traces(self) -> "tuple[ExportTraceServiceRequest, Spans]":
        """A request, and its spans to be filled."""
        request = ExportTraceServiceRequest()
        scope = request.resource_spans.add(resource=self._resource).scope_spans.add(scope=_SCOPE)
        return request, scope.spans

    def counts(self, counts: Counts, now_ns: int) -> ExportLogsServiceRequest:
        """A request with the completeness event."""
        request = ExportLogsServiceRequest()
        scope = request.resource_logs.add(resource=self._resource).scope_logs.add(scope=_SCOPE)
        record = scope.log_records.add(
            event_name=names.EVENT_PROCESS_COUNTS, time_unix_nano=now_ns, observed_time_unix_nano=now_ns
        )
        numbers: dict[str, Value] = {
            names.SPANS_STARTED: counts.started,
            names.SPANS_EXPORTED: counts.exported,
            names.SPANS_SPOOLED: counts.spooled,
            names.SPANS_DROPPED: counts.dropped,
        }
        add_attributes(record.attributes, numbers)
        return request
