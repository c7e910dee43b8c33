"""Log records of an export request, as rows."""

import hashlib
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from ragvigil import attributes as names
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.resources import Sender, sender_of
from ragvigil_monitor.receiver.times import believable
from ragvigil_monitor.receiver.values import count, json_text, plain, plain_mapping, text
from ragvigil_monitor.telemetry_tables import Row

SEVERITY: Final = "otel.severity_text"
"""Where a record's severity is kept among its attributes."""
_COUNTERS: Final = (names.SPANS_STARTED, names.SPANS_EXPORTED, names.SPANS_SPOOLED, names.SPANS_DROPPED)


def read_logs(request: ExportLogsServiceRequest, received_us: int) -> Batch:
    """All log records of a request; counters of a process that cannot be read are rejected."""
    batch = Batch()
    for group in request.resource_logs:
        sender = sender_of(group.resource)
        for record in (record for scope in group.scope_logs for record in scope.log_records):
            _read_record(record, sender, received_us, batch)
    return batch


def _read_record(record: LogRecord, sender: Sender, received_us: int, batch: Batch) -> None:
    attributes = plain_mapping(record.attributes)
    event_name = record.event_name or attributes.pop(names.EVENT_NAME, "")
    times = _times(record, sender, received_us, batch)
    if event_name == names.EVENT_PROCESS_COUNTS:
        _read_counters(attributes, sender, times[0], batch)
        return
    if record.severity_text:
        attributes[SEVERITY] = record.severity_text
    batch.log_events.append(_event_row(record, str(event_name), attributes, sender, times))


def _times(record: LogRecord, sender: Sender, received_us: int, batch: Batch) -> tuple[int, int]:
    occurred = believable(record.time_unix_nano, received_us)
    observed = believable(record.observed_time_unix_nano, received_us)
    if occurred is None and (record.time_unix_nano or observed is None):
        batch.count(sender.service, "flawed_bad_time")
    return occurred or observed or received_us, observed or received_us


def _read_counters(attributes: dict[str, object], sender: Sender, reported_us: int, batch: Batch) -> None:
    counters = [count(attributes.get(name, 0)) for name in _COUNTERS]
    if sender.instance_id is None or None in counters or names.SPANS_STARTED not in attributes:
        batch.count(sender.service, "rejected_bad_process_counts")
        return
    batch.process_counts.append([sender.instance_id, sender.service, sender.version, reported_us, *counters])


def _event_row(
    record: LogRecord, event_name: str, attributes: dict[str, object], sender: Sender, times: tuple[int, int]
) -> Row:
    body = plain(record.body)
    return [
        _given_id(attributes) or _content_hash(record, sender),
        event_name,
        *times,
        sender.service,
        sender.instance_id,
        record.trace_id if len(record.trace_id) == 16 else None,
        record.span_id if len(record.span_id) == 8 else None,
        body if body is None or isinstance(body, str) else json_text(body),
        json_text(attributes) if attributes else None,
    ]


def _given_id(attributes: dict[str, object]) -> str | None:
    """The id that a record says it has; that of an export is taken away, since it is no attribute of the record."""
    exported = text(attributes.get(names.EVENT_ID))
    if exported:
        del attributes[names.EVENT_ID]
    return text(attributes.get(names.FEEDBACK_ID)) or exported or None


def _content_hash(record: LogRecord, sender: Sender) -> str:
    content = record.SerializeToString(deterministic=True)
    return hashlib.sha256(f"{sender.service}\0{sender.instance_id}\0".encode() + content).hexdigest()[:32]
