"""OTLP over HTTP: `/v1/traces`, `/v1/logs`, and `/v1/metrics` for those who send everything to one place."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from fastapi import APIRouter, Depends, Request, Response
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from starlette.requests import ClientDisconnect

from ragvigil_monitor.api.auth import ServiceDep, may_ingest
from ragvigil_monitor.errors import BadTelemetry, Overloaded
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.bodies import JSON, PROTOBUF, check_headers, content_type_of, encoding_of, read_body
from ragvigil_monitor.receiver.compression import COMPRESSED, decompressed
from ragvigil_monitor.receiver.decoding import decode_logs, decode_traces
from ragvigil_monitor.receiver.intake import Intake, Room
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.unreadable import IGNORED_METRICS, count_unreadable
from ragvigil_monitor.service import Service

router = APIRouter(prefix="/v1", dependencies=[Depends(may_ingest)], tags=["telemetry"])

Decode = Callable[..., Batch]
"""Of the body, when it was received in microseconds since the epoch, and `content_type`."""


_ENDS_EARLY: Final = "The request ends before its body does."


@router.post("/traces")
async def receive_traces(request: Request, service: ServiceDep) -> Response:
    """Store the spans of an ExportTraceServiceRequest; 200 once they are on disk."""
    batch = await _receive(request, service, partial(decode_traces, pick=service.pick))
    service.forward(batch.picked)
    answer = ExportTraceServiceResponse()
    if batch.outcomes:
        answer.partial_success.rejected_spans = batch.rejected()
        answer.partial_success.error_message = batch.remarks()
    return _in_its_language(request, answer)


@router.post("/logs")
async def receive_logs(request: Request, service: ServiceDep) -> Response:
    """Store the records of an ExportLogsServiceRequest; 200 once they are on disk."""
    batch = await _receive(request, service, decode_logs)
    answer = ExportLogsServiceResponse()
    if batch.outcomes:
        answer.partial_success.rejected_log_records = batch.rejected()
        answer.partial_success.error_message = batch.remarks()
    return _in_its_language(request, answer)


@router.post("/metrics")
async def receive_metrics(request: Request, service: ServiceDep) -> Response:
    """Accept an ExportMetricsServiceRequest, count it and say that nothing is done with it."""
    check_headers(request)
    server, intake = service.settings.server, request.app.state.intake
    with _told_of_the_end(), intake.admitted() as room:
        try:
            await read_body(request, server.max_body_bytes, server.body_timeout_s, room)
        except ClientDisconnect as gone:
            raise BadTelemetry(_ENDS_EARLY) from gone
    count_unreadable(service.committer, IGNORED_METRICS)
    answer = ExportMetricsServiceResponse()
    answer.partial_success.error_message = "Ragvigil does not use metrics; send traces and logs."
    return _in_its_language(request, answer)


async def _receive(request: Request, service: Service, decode: Decode) -> Batch:
    intake: Intake = request.app.state.intake
    with _told_of_the_end(), intake.admitted() as room:
        try:
            batch = await _decoded(request, service, room, decode)
        except BadTelemetry as bad:
            count_unreadable(service.committer, f"rejected_request_{bad.status}")
            raise
        except ClientDisconnect as gone:  # nobody reads this answer; who lives sends again
            raise BadTelemetry(_ENDS_EARLY) from gone
        await asyncio.wrap_future(service.committer.submit(batch))
    return batch


@contextmanager
def _told_of_the_end() -> Iterator[None]:
    """Have the sender of a request that the end of the service cancels come again; nobody else cancels requests."""
    try:
        yield
    except asyncio.CancelledError as stopping:
        raise Overloaded("The service stops; send this again.") from stopping


async def _decoded(request: Request, service: Service, room: Room, decode: Decode) -> Batch:
    check_headers(request)
    server, encoding = service.settings.server, encoding_of(request)
    body = await read_body(request, server.max_body_bytes, server.body_timeout_s, room)
    received_us = microseconds(service.received_at())
    read = partial(decode, received_us=received_us, content_type=content_type_of(request))

    def unpack() -> bytes:
        plain = decompressed(body, encoding, server.max_body_bytes)
        room.take(len(plain) if encoding in COMPRESSED else 0)
        return plain

    intake: Intake = request.app.state.intake
    with service.committer.announced():
        batch = await intake.decode(unpack, read)
    newest_us = batch.newest_us()
    if newest_us is not None:
        service.metrics.lag_s.observe(max(0, received_us - newest_us) / 1e6)
    return batch


def _in_its_language(request: Request, message: Message) -> Response:
    if content_type_of(request) == JSON:
        return Response(MessageToJson(message, indent=None), media_type=JSON)
    return Response(message.SerializeToString(), media_type=PROTOBUF)
