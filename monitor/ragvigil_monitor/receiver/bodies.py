"""Request bodies: read within a limit, and decompressed within the same limit."""

import zlib
from typing import Final

from fastapi import Request

from ragvigil_monitor.errors import BadTelemetry

PROTOBUF: Final = "application/x-protobuf"
GZIP: Final = "gzip"
_GZIP_FORMAT: Final = 16 + zlib.MAX_WBITS


def check_headers(request: Request) -> None:
    """Raise BadTelemetry (415) for a content type or encoding that is not read."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != PROTOBUF:
        raise BadTelemetry(f"Content-Type is {content_type or 'missing'!r}; send {PROTOBUF}.", 415)
    encoding = encoding_of(request)
    if encoding not in {"", "identity", GZIP}:
        raise BadTelemetry(f"Content-Encoding is {encoding!r}; send gzip or none.", 415)


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
            raise _too_large(max_bytes)
        parts.append(part)
    return b"".join(parts)


def decompressed(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """The body without its encoding; raise BadTelemetry when it is no gzip (400) or too long (413)."""
    return _gunzip(body, max_bytes) if encoding == GZIP else body


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    plain = bytearray()
    while body:
        member = zlib.decompressobj(_GZIP_FORMAT)
        try:
            plain += member.decompress(body, max_bytes + 1 - len(plain))
        except zlib.error as failure:
            raise BadTelemetry(f"The body is not gzip as Content-Encoding says: {failure}.") from failure
        if len(plain) > max_bytes:
            raise _too_large(max_bytes)
        if not member.eof:
            raise BadTelemetry("The gzip body ends too early.")
        body = member.unused_data
    return bytes(plain)


def _too_large(max_bytes: int) -> BadTelemetry:
    return BadTelemetry(f"The body is longer than {max_bytes} bytes; send smaller batches.", 413)
