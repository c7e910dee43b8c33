"""Whole OTLP requests, serialized."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeAlias

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans

from ragvigil import attributes as names
from ragvigil.clock import unix_ns
from ragvigil.counts import Counts
from ragvigil.encoding import wire
from ragvigil.encoding.values import add_attributes
from ragvigil.feedback_event import FeedbackEvent
from ragvigil.rare import Value
from ragvigil.version import __version__

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

    Records: TypeAlias = RepeatedCompositeFieldContainer[LogRecord]

_SCOPE = InstrumentationScope(name="ragvigil", version=__version__)


class RequestEncoder:
    """Requests that say which process they come from."""

    def __init__(self, resource: Mapping[str, Value]) -> None:
        self._resource = Resource()
        add_attributes(self._resource.attributes, resource)
        self._resource_field = ResourceSpans(resource=self._resource).SerializeToString()
        self._scope = ScopeSpans(scope=_SCOPE).SerializeToString()

    def traces(self, spans: Iterable[bytes]) -> bytes:
        """A serialized `ExportTraceServiceRequest` with serialized spans."""
        parts = [self._scope]
        for span in spans:
            parts += (b"\x12", wire.varint(len(span)), span)
        scope_size = sum(map(len, parts))
        head = self._resource_field + b"\x12" + wire.varint(scope_size)
        # Joined once: a request has megabytes, and each copy of them takes fresh memory.
        return b"".join((b"\x0a", wire.varint(len(head) + scope_size), head, *parts))

    def counts(self, counts: Counts, now_ns: int) -> ExportLogsServiceRequest:
        """A request with the completeness event."""
        request, records = self._logs()
        at_ns = unix_ns(now_ns)
        record = records.add(event_name=names.EVENT_PROCESS_COUNTS, time_unix_nano=at_ns, observed_time_unix_nano=at_ns)
        add_attributes(record.attributes, _numbers(counts))
        return request

    def feedback(self, events: Iterable[FeedbackEvent]) -> ExportLogsServiceRequest:
        """A request with feedback, one record an event, each in the trace of its answer."""
        request, records = self._logs()
        for event in events:
            record = records.add(
                event_name=names.EVENT_FEEDBACK,
                time_unix_nano=unix_ns(event.at_ns),
                observed_time_unix_nano=unix_ns(event.observed_ns),
                trace_id=bytes.fromhex(event.answer.trace_id),
                span_id=bytes.fromhex(event.answer.span_id),
            )
            add_attributes(record.attributes, _facts(event))
        return request

    def _logs(self) -> "tuple[ExportLogsServiceRequest, Records]":
        request = ExportLogsServiceRequest()
        scope = request.resource_logs.add(resource=self._resource).scope_logs.add(scope=_SCOPE)
        return request, scope.log_records


def _numbers(counts: Counts) -> dict[str, Value]:
    return {
        names.SPANS_STARTED: counts.started,
        names.SPANS_EXPORTED: counts.exported,
        names.SPANS_SPOOLED: counts.spooled,
        names.SPANS_DROPPED: counts.dropped,
        names.TRACES_LEFT_OUT: counts.left_out,
        **{f"{names.FEEDBACK_COUNT_PREFIX}{outcome}": n for outcome, n in asdict(counts.feedback).items()},
        **{f"{names.PROBES_COUNT_PREFIX}{outcome}": n for outcome, n in asdict(counts.probes).items()},
        **{f"{names.REDACTION_COUNT_PREFIX}{outcome}": n for outcome, n in asdict(counts.redaction).items()},
        **{f"{names.BRIDGE_COUNT_PREFIX}{outcome}": n for outcome, n in asdict(counts.bridge).items()},
        **{f"{names.SPOOL_COUNT_PREFIX}{outcome}": n for outcome, n in asdict(counts.spool).items()},
    }


def _facts(event: FeedbackEvent) -> dict[str, Value]:
    facts: dict[str, Value | None] = {
        names.ANSWER_ID: event.answer.answer_id,
        names.ANSWER_STARTED_AT: event.answer.started_at_unix_nano,
        names.FEEDBACK_ID: event.id,
        names.FEEDBACK_KIND: event.kind,
        names.FEEDBACK_REASON: event.reason,
        names.FEEDBACK_VALUE: None if event.value is None else float(event.value),
    }
    return {name: fact for name, fact in facts.items() if fact is not None}
