"""Every error as a `Problem`; for senders of telemetry as the `Status` that OTLP asks for, in their language."""

import logging
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from starlette.exceptions import HTTPException

from ragvigil_monitor.api.models import Problem
from ragvigil_monitor.errors import BackupFailed, BadTelemetry, Overloaded, ReviewRefused, StoreUnavailable
from ragvigil_monitor.receiver.bodies import PROTOBUF, content_type_of

_STORE_RETRY_S = 4
"""Python's exporter gives up at once what is to wait for longer than all its attempts may take, 10 s by default."""

logger = logging.getLogger(__name__)


def answer_errors_as_problems(app: FastAPI) -> None:
    """Register the handlers of an application."""
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(RequestValidationError)(_not_valid)
    app.exception_handler(BadTelemetry)(_bad_telemetry)
    app.exception_handler(Overloaded)(_overloaded)
    app.exception_handler(ReviewRefused)(_review_refused)
    app.exception_handler(BackupFailed)(_backup_failed)
    app.exception_handler(StoreUnavailable)(_store_unavailable)
    app.exception_handler(Exception)(_unexpected)


def problem(request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error answer, in the language of the request."""
    if content_type_of(request) == PROTOBUF:
        return Response(_status_message(detail), status, headers, PROTOBUF)
    if request.url.path.startswith(("/v1/", "/v1development/")):
        return JSONResponse({"message": detail}, status, headers)
    body = Problem(error=HTTPStatus(status).phrase, detail=detail)
    return JSONResponse(body.model_dump(), status, headers)


def _status_message(detail: str) -> bytes:
    # Here and in google.rpc.Status, which OTLP means, `message` has the same number; that package is not needed else.
    return Status(message=detail).SerializeToString()


async def _http(request: Request, failure: HTTPException) -> Response:
    return problem(request, failure.status_code, str(failure.detail), failure.headers)


async def _not_valid(request: Request, failure: RequestValidationError) -> Response:
    wrong = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in failure.errors()]
    return problem(request, 422, "; ".join(wrong))


async def _bad_telemetry(request: Request, failure: BadTelemetry) -> Response:
    return problem(request, failure.status, str(failure))


async def _overloaded(request: Request, failure: Overloaded) -> Response:
    request.app.state.service.metrics.overloaded.inc()
    return problem(request, 503, str(failure), {"Retry-After": "1"})


async def _review_refused(request: Request, failure: ReviewRefused) -> Response:
    return problem(request, failure.status, str(failure))


async def _backup_failed(request: Request, failure: BackupFailed) -> Response:
    logger.error("No backup was made: %s", failure)
    return problem(request, failure.status, str(failure))


async def _store_unavailable(request: Request, failure: StoreUnavailable) -> Response:
    logger.info("The store is not available: %s", failure)  # each retry is one; the watch of the disk logs it once
    return problem(request, 503, str(failure), {"Retry-After": str(_STORE_RETRY_S)})


async def _unexpected(request: Request, failure: Exception) -> Response:
    logger.error("%s %s failed", request.method, request.url.path, exc_info=failure)
    return problem(request, 500, "This is a fault of Ragvigil; its log says more.")
