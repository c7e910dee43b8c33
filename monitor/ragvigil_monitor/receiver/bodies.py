"""Request bodies: of a type that is read, and read within a limit."""

from typing import Final

from fastapi import Request

from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.receiver.compression import ENCODINGS, too_large

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


async def read_body(request: Request, max_bytes: int) -> bytes:
    """The body as sent; raise BadTelemetry (413) as soon as it is longer than `max_bytes`."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > max_bytes:
            raise too_large(max_bytes)
        parts.append(part)
    return b"".join(parts)
