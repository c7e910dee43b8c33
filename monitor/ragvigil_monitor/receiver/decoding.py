"""Bodies of export requests, decoded to batches."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.phoenix.picking import Picked
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.bodies import JSON, PROTOBUF
from ragvigil_monitor.receiver.logs import read_logs
from ragvigil_monitor.receiver.otlp_json import from_json
from ragvigil_monitor.receiver.parts import check_parts
from ragvigil_monitor.receiver.repair import repaired
from ragvigil_monitor.receiver.resources import UNKNOWN_SERVICE
from ragvigil_monitor.receiver.spans import read_traces

Pick = Callable[[ExportTraceServiceRequest], Picked | None]
MessageT = TypeVar("MessageT", bound=Message)


def decode_traces(body: bytes, received_us: int, *, content_type: str = PROTOBUF, pick: Pick | None = None) -> Batch:
    """Decode an ExportTraceServiceRequest; raise BadTelemetry when it is none. pick: chooses what goes to Phoenix."""
    request, texts = _parsed(ExportTraceServiceRequest, body, content_type)
    batch = _counted(read_traces(request, received_us), texts)
    batch.picked = pick(request) if pick is not None else None
    return batch


def decode_logs(body: bytes, received_us: int, *, content_type: str = PROTOBUF) -> Batch:
    """Decode an ExportLogsServiceRequest; raise BadTelemetry when it is none."""
    request, texts = _parsed(ExportLogsServiceRequest, body, content_type)
    return _counted(read_logs(request, received_us), texts)


def _parsed(kind: type[MessageT], body: bytes, content_type: str) -> tuple[MessageT, int]:
    """The message, and how many texts had to be repaired for it."""
    return from_json(kind, body) if content_type == JSON else _from_protobuf(kind, body)


def _from_protobuf(kind: type[MessageT], body: bytes) -> tuple[MessageT, int]:
    check_parts(kind, body)
    try:
        return kind.FromString(body), 0
    except DecodeError as failure:
        found = repaired(kind, body)
        if found is None:
            raise BadTelemetry(f"The body is not an {kind.__name__} in protobuf: {failure}.") from failure
    return kind.FromString(found.body), found.texts


def _counted(batch: Batch, repaired_texts: int) -> Batch:
    if repaired_texts:
        sender = next(iter(batch.items_by_service()), UNKNOWN_SERVICE)
        batch.count(sender, "flawed_text_not_utf8", repaired_texts)
    return batch
