"""Request bodies: of a type that is read, and read within a limit."""

import asyncio
from typing import Final

from fastapi import Request

from ragvigil_monitor.errors import BadTelemetry, Overloaded
from ragvigil_monitor.receiver.compression import ENCODINGS, too_large
from ragvigil_monitor.receiver.intake import Room

PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"


def check_headers(request: Request) -> None:
    """Raise BadTelemetry (415) for a content type or encoding that is not read."""
    content_type = content_type_of(request)
    if content_type not in {PROTOBUF, JSON}:
        raise BadTelemetry(f"Content-Type is {content_type or 'missing'!r}; send {PROTOBUF} or {JSON}.", 415)
    encoding = encoding_of(request)
    if encoding not in ENCODINGS:
        raise BadTelemetry(f"Content-Encoding is {encoding!r}; send gzip, zstd or none.", 415)


def content_type_of(request: Request) -> str:
    """The content type of a request, in lower case and without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def encoding_of(request: Request) -> str:
    """The content encoding of a request, in lower case."""
    return request.headers.get("content-encoding", "").strip().lower()


async def read_body(request: Request, max_bytes: int, timeout_s: float, room: Room) -> bytes:
    """The body as sent, in the room that it takes.

    Raises BadTelemetry (413) as soon as it is longer than `max_bytes`, and Overloaded when there is no room for it or
    it is not there in time: of the refusals that OTLP lets a sender try again, none says that the sender was slow.
    """
    _check_length(request, max_bytes)
    try:
        async with asyncio.timeout(timeout_s):
            return await _parts(request, max_bytes, room)
    except TimeoutError as late:
        raise Overloaded(
            f"The body did not arrive within {timeout_s:g} s; send it again, in smaller batches."
        ) from late


def _check_length(request: Request, max_bytes: int) -> None:
    """Refuse what says that it is too long before it is sent."""
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > max_bytes:
        raise too_large(max_bytes)


async def _parts(request: Request, max_bytes: int, room: Room) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > max_bytes:
            raise too_large(max_bytes)
        room.take(len(part))
        parts.append(part)
    return b"".join(parts)
