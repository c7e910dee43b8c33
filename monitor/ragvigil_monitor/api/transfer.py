"""Data in and out of a running service, for `ragvigil export` and `ragvigil import`."""

import asyncio
import logging
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from datetime import date
from io import BytesIO
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime
from starlette.types import Message, Receive, Scope, Send

from ragvigil_monitor.api.auth import ServiceDep, require
from ragvigil_monitor.api.made_elsewhere import MadeElsewhere
from ragvigil_monitor.api.models import ApiModel
from ragvigil_monitor.errors import BadTelemetry, StoreUnavailable, WriteRefused
from ragvigil_monitor.keys import Role
from ragvigil_monitor.receiver.bodies import PROTOBUF, content_type_of, read_body
from ragvigil_monitor.receiver.files.found import Found, Refused, Signal
from ragvigil_monitor.receiver.files.lines import lines
from ragvigil_monitor.receiver.intake import Intake
from ragvigil_monitor.service import Service
from ragvigil_monitor.store.migrate import newest_schema
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.store.putting_in import put_in
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.exporting import Format, Part, content, exported, names, parts
from ragvigil_monitor.transfer.framed_parts import MEDIA_TYPE, framed
from ragvigil_monitor.transfer.importing import import_requests
from ragvigil_monitor.transfer.parquet import from_ipc

router = APIRouter(prefix="/api/v1/admin", dependencies=[Depends(require(Role.ADMIN))], tags=["admin"])

logger = logging.getLogger(__name__)

LINES = "application/x-ndjson"
_PIECE_BYTES = 64 * 2**10
"""So much has to be taken within `body_timeout_s`; a chunk may have 10 MB."""

_MEDIA_TYPES = {Format.PARQUET: "application/vnd.apache.parquet", Format.OTLP: LINES}


class Schema(ApiModel):
    """The schema of the tables."""

    schema_number: int


class ExportPart(ApiModel):
    """One file of an export."""

    name: str
    day: date | None


class ImportedRows(ApiModel):
    """What became of rows; see `PutIn`."""

    new: int
    known: int
    updated: int
    differing: int


class ImportedRequests(ApiModel):
    """What became of requests: spans and log records by outcome, and pieces that are no requests by reason."""

    outcomes: dict[str, int]
    refused: dict[str, int]


def asked_range(start: AwareDatetime | None = None, end: AwareDatetime | None = None) -> Within:
    """The range of time in the query; 422 where it ends before it starts, or then."""
    if start is not None and end is not None and end <= start:
        raise HTTPException(422, f"`end` {end.isoformat()} is not after `start` {start.isoformat()}.")
    return Within(start, end)


RangeDep = Annotated[Within, Depends(asked_range)]
FormatQuery = Annotated[Format, Query(alias="format")]


class MadeWhileRead(StreamingResponse):
    """Sends what is made meanwhile; ends, and lets go of the store, when nobody takes anything for `body_timeout_s`."""

    def __init__(self, chunks: Generator[bytes], media_type: str, service: Service) -> None:
        self._chunks = MadeElsewhere(chunks)
        super().__init__(self._chunks, media_type=media_type)
        self._patience_s = service.settings.server.body_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or end without a traceback where the server stops, which cancels it."""
        try:
            await super().__call__(scope, receive, send)
        except asyncio.CancelledError:
            logger.warning("An export was given up: the service stops.")

    async def stream_response(self, send: Send) -> None:
        """Answer the request."""

        async def patiently(message: Message) -> None:
            for piece in _in_pieces(message):
                async with asyncio.timeout(self._patience_s):
                    await send(piece)

        with closing(self._chunks):
            try:
                await super().stream_response(patiently)
            except TimeoutError:  # the server closes a connection on which an answer is not whole
                logger.warning("An export was given up: nobody took any of it for %g s.", self._patience_s)
            except StoreUnavailable as failure:
                logger.warning("An export was given up: %s", failure)


@router.get("/schema")
def schema() -> Schema:
    """What an import compares with the list of an export."""
    return Schema(schema_number=newest_schema())


@router.get("/export")
def export_parts(service: ServiceDep, within: RangeDep, form: FormatQuery = Format.PARQUET) -> list[ExportPart]:
    """The files of an export."""
    return [ExportPart(name=part.name, day=part.day) for part in parts(service.store, form, within)]


@router.get("/whole-export", status_code=200, response_class=MadeWhileRead)
def whole_export(service: ServiceDep, within: RangeDep, form: FormatQuery = Format.PARQUET) -> MadeWhileRead:
    """All files of an export, of one moment, in one body (see `framed_parts`)."""
    return MadeWhileRead(framed(exported(service.store, form, within)), MEDIA_TYPE, service)


@router.get("/export/{name}", status_code=200, response_class=MadeWhileRead)
def export_part(
    name: str, service: ServiceDep, within: RangeDep, form: FormatQuery = Format.PARQUET, day: date | None = None
) -> MadeWhileRead:
    """One file of an export, made while it is sent. It is whole if the answer ends as HTTP asks for."""
    if name not in names(form):
        raise HTTPException(404, f"There is no {name[:80]!r} in {form}.")
    if form is Format.OTLP and day is None:
        raise HTTPException(422, "OTLP is exported day by day; say `day`.")
    return MadeWhileRead(content(service.store, form, Part(name, day), within), _MEDIA_TYPES[form], service)


@router.post("/import/requests/{signal}")
async def import_telemetry(signal: Signal, request: Request, service: ServiceDep) -> ImportedRequests:
    """Store one request in protobuf, or lines of OTLP/JSON; 200 once they are on disk."""
    body = await _body(request, service)
    if content_type_of(request) == PROTOBUF:
        pieces: list[Found | Refused] = [Found(signal, body, PROTOBUF, len(body))]
    else:
        pieces = list(lines(BytesIO(body), 0, len(body), is_whole=True))
    found = [piece for piece in pieces if isinstance(piece, Found)]
    outcomes = await run_in_threadpool(import_requests, service.store, found, service.received_at())
    return ImportedRequests(outcomes=outcomes, refused=refusals(pieces))


@router.post("/import/rows/{name}")
async def import_rows(name: str, request: Request, service: ServiceDep) -> ImportedRows:
    """Put rows of a table in, sent as an Arrow stream; 422 and nothing is stored when they are none of it."""
    if name not in BY_NAME:
        raise HTTPException(404, f"There is no table {name[:80]!r}.")
    body = await _body(request, service)
    with _refused():
        counts = await run_in_threadpool(lambda: put_in(service.store, BY_NAME[name], from_ipc(body)))
    return ImportedRows(new=counts.new, known=counts.known, updated=counts.updated, differing=counts.differing)


async def _body(request: Request, service: Service) -> bytes:
    """The body, within what all requests may take together while it arrives."""
    intake: Intake = request.app.state.intake
    server = service.settings.server
    with intake.admitted() as room:
        return await read_body(request, server.max_body_bytes, server.body_timeout_s, room)


def _in_pieces(message: Message) -> Iterator[Message]:
    body = message.get("body", b"")
    if len(body) <= _PIECE_BYTES:
        yield message
    else:
        for start in range(0, len(body), _PIECE_BYTES):
            yield {"type": message["type"], "body": body[start : start + _PIECE_BYTES], "more_body": True}


def refusals(pieces: list[Found | Refused]) -> dict[str, int]:
    """How many pieces are no requests, by reason."""
    reasons = [piece.reason for piece in pieces if isinstance(piece, Refused)]
    return {reason: reasons.count(reason) for reason in reasons}


@contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except BadTelemetry:
        raise
    except (WriteRefused, ValueError) as failure:
        raise HTTPException(422, str(failure)) from failure
