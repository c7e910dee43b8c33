"""Bodies of export requests, decoded to batches."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.phoenix.picking import Picked
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.logs import read_logs
from ragvigil_monitor.receiver.repair import repaired
from ragvigil_monitor.receiver.resources import UNKNOWN_SERVICE
from ragvigil_monitor.receiver.spans import read_traces

Pick = Callable[[ExportTraceServiceRequest], Picked | None]
MessageT = TypeVar("MessageT", bound=Message)


def decode_traces(body: bytes, received_us: int, *, pick: Pick | None = None) -> Batch:
    """Decode an ExportTraceServiceRequest; raise BadTelemetry when it is none. pick: chooses what goes to Phoenix."""
    request, texts = _parsed(ExportTraceServiceRequest, body)
    batch = _counted(read_traces(request, received_us), texts)
    batch.picked = pick(request) if pick is not None else None
    return batch


def decode_logs(body: bytes, received_us: int) -> Batch:
    """Decode an ExportLogsServiceRequest; raise BadTelemetry when it is none."""
    request, texts = _parsed(ExportLogsServiceRequest, body)
    return _counted(read_logs(request, received_us), texts)


def _parsed(kind: type[MessageT], body: bytes) -> tuple[MessageT, int]:
    """The message, and how many texts had to be repaired for it."""
    try:
        return kind.FromString(body), 0
    except DecodeError as failure:
        found = repaired(kind, body)
        if found is None:
            raise BadTelemetry(f"The body is not an {kind.__name__} in protobuf: {failure}.") from failure
    return _parsed(kind, found.body)[0], found.texts


def _counted(batch: Batch, repaired_texts: int) -> Batch:
    if repaired_texts:
        sender = next(iter(batch.items_by_service()), UNKNOWN_SERVICE)
        batch.count(sender, "flawed_text_not_utf8", repaired_texts)
    return batch
