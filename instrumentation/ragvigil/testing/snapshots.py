"""Exported telemetry as plain values that a test can compare."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil import attributes as names


@dataclass(frozen=True, slots=True)
class EventSnapshot:
    """An event of an exported span."""

    name: str
    time_ns: int
    attributes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SpanSnapshot:
    """An exported span: ids as hex, times in nanoseconds since the epoch, attributes in the order of writing."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    start_ns: int
    end_ns: int
    status: str
    status_message: str
    flags: int
    attributes: dict[str, Any]
    events: list[EventSnapshot]
    links: list[tuple[str, str]]
    dropped_attributes: int
    dropped_events: int
    dropped_links: int
    resource: dict[str, Any]

    @property
    def duration_s(self) -> float:
        """How long it took."""
        return (self.end_ns - self.start_ns) / 1e9

    @property
    def stage(self) -> str | None:
        """Which stage it is; None for an answer and for spans of others."""
        return self._text(names.STAGE)

    @property
    def answer_id(self) -> str | None:
        """The id of an answer; None for anything else."""
        return self._text(names.ANSWER_ID)

    @property
    def input(self) -> str | None:
        """The question of an answer, the text that a stage was given."""
        return self._text(names.INPUT_VALUE)

    @property
    def output(self) -> str | None:
        """The text of an answer, the text that a stage made."""
        return self._text(names.OUTPUT_VALUE)

    @property
    def filter_state(self) -> str | None:
        """Of a retrieval: known, none, partial or unknown."""
        return self._text(names.FILTER_STATE)

    @property
    def documents(self) -> list[tuple[str, float | None]]:
        """Ids and scores of what a stage returned, best first; empty where it told of none."""
        listed = json.loads(self._text(names.STAGE_OUTPUT_DOCUMENTS) or "[]")
        return [(document["id"], document["score"]) for document in listed]

    def _text(self, name: str) -> str | None:
        value = self.attributes.get(name)
        return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class LogSnapshot:
    """An exported log record: ids as hex, '' where it has none."""

    event_name: str
    time_ns: int
    observed_ns: int
    trace_id: str
    span_id: str
    attributes: dict[str, Any]
    resource: dict[str, Any]


def read_spans(payload: bytes) -> Iterator[SpanSnapshot]:
    """The spans of a serialized `ExportTraceServiceRequest`."""
    for group in ExportTraceServiceRequest.FromString(payload).resource_spans:
        resource = _attributes(group.resource.attributes)
        for scope in group.scope_spans:
            yield from (_snapshot(span, resource) for span in scope.spans)


def read_logs(payload: bytes) -> Iterator[LogSnapshot]:
    """The records of a serialized `ExportLogsServiceRequest`."""
    for group in ExportLogsServiceRequest.FromString(payload).resource_logs:
        resource = _attributes(group.resource.attributes)
        for scope in group.scope_logs:
            yield from (_log_snapshot(log, resource) for log in scope.log_records)


def describe(spans: Iterable[SpanSnapshot]) -> str:
    """Spans as text, one attribute a line, made to be compared as a whole."""
    return "\n".join(line for span in spans for line in _lines(span))


def _lines(span: SpanSnapshot) -> Iterator[str]:
    parent = f" below {span.parent_id}" if span.parent_id else ""
    yield f"{span.name} [{span.span_id}{parent}] {span.duration_s:g} s {span.status} {span.status_message}".rstrip()
    yield from (f"    {key} = {value!r}" for key, value in span.attributes.items())
    for event in span.events:
        yield f"  event {event.name}"
        yield from (f"    {key} = {value!r}" for key, value in event.attributes.items())
    yield from (f"  link {trace_id} {span_id}" for trace_id, span_id in span.links)


def _snapshot(span: Span, resource: dict[str, Any]) -> SpanSnapshot:
    return SpanSnapshot(
        name=span.name,
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        status=("unset", "ok", "error")[span.status.code],
        status_message=span.status.message,
        flags=span.flags,
        attributes=_attributes(span.attributes),
        events=[EventSnapshot(e.name, e.time_unix_nano, _attributes(e.attributes)) for e in span.events],
        links=[(link.trace_id.hex(), link.span_id.hex()) for link in span.links],
        dropped_attributes=span.dropped_attributes_count,
        dropped_events=span.dropped_events_count,
        dropped_links=span.dropped_links_count,
        resource=resource,
    )


def _log_snapshot(log: LogRecord, resource: dict[str, Any]) -> LogSnapshot:
    return LogSnapshot(
        event_name=log.event_name,
        time_ns=log.time_unix_nano,
        observed_ns=log.observed_time_unix_nano,
        trace_id=log.trace_id.hex(),
        span_id=log.span_id.hex(),
        attributes=_attributes(log.attributes),
        resource=resource,
    )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    return None if kind is None else getattr(value, kind)
