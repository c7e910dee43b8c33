"""Content encodings of request bodies, undone within a limit."""

import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from ragvigil_monitor.errors import BadTelemetry

if TYPE_CHECKING:
    import zstandard

_GZIP_FORMAT: Final = 16 + zlib.MAX_WBITS
_LARGEST_WINDOW: Final = 8 << 20
"""The window that RFC 8878 asks every decoder to support; larger ones are refused, since they cost as much memory."""
_MOST_PARTS: Final = 64
_PIECE: Final = 256
"""A block of zstd takes 4 bytes at least and becomes 128 KiB at most."""


def decompressed(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """The body without its encoding; raise BadTelemetry when it is not what it says (400) or too long (413)."""
    return _DECODERS[encoding](body, max_bytes)


def too_large(max_bytes: int) -> BadTelemetry:
    """The refusal of a body that is too long, as it comes or decompressed."""
    return BadTelemetry(f"The body is longer than {max_bytes} bytes; send smaller batches.", 413)


def _as_it_is(body: bytes, _: int) -> bytes:
    return body


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    plain = bytearray()
    parts = 0
    while body:
        parts = _counted(parts)
        member = zlib.decompressobj(_GZIP_FORMAT)
        try:
            plain += member.decompress(body, max_bytes + 1 - len(plain))
        except zlib.error as failure:
            raise BadTelemetry(f"The body is not gzip as Content-Encoding says: {failure}.") from failure
        if len(plain) > max_bytes:
            raise too_large(max_bytes)
        if not member.eof:
            raise BadTelemetry("The gzip body ends too early.")
        body = member.unused_data.lstrip(b"\0")  # as gzip(1) and Python do: blocks may be filled up with zeros
    return bytes(plain)


def _unzstd(body: bytes, max_bytes: int) -> bytes:
    import zstandard  # few senders use it

    decoder = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    plain = bytearray()
    position = parts = 0
    try:
        while position < len(body):
            parts = _counted(parts)
            position = _unzstd_frame(decoder.decompressobj(), body, position, plain, max_bytes)
    except zstandard.ZstdError as failure:
        raise BadTelemetry(f"The body is not zstd as Content-Encoding says: {failure}.") from failure
    return bytes(plain)


def _unzstd_frame(
    frame: "zstandard.ZstdDecompressionObj", body: bytes, position: int, plain: bytearray, max_bytes: int
) -> int:
    """Append what one frame holds; where it ends. It is fed in pieces, so that no piece becomes more than 8 MiB."""
    while not frame.eof:
        piece = body[position : position + _PIECE]
        if not piece:
            raise BadTelemetry("The zstd body ends too early.")
        plain += frame.decompress(piece)
        position += len(piece)
        if len(plain) > max_bytes:
            raise too_large(max_bytes)
    return position - len(frame.unused_data)


def _counted(parts: int) -> int:
    """One part more; every part costs a copy of the rest of the body."""
    if parts >= _MOST_PARTS:
        raise BadTelemetry(f"The body is compressed in more than {_MOST_PARTS} parts; compress it as a whole.")
    return parts + 1


_DECODERS: Final[Mapping[str, Callable[[bytes, int], bytes]]] = {
    "": _as_it_is,
    "identity": _as_it_is,
    "gzip": _gunzip,
    "zstd": _unzstd,
}
ENCODINGS: Final = frozenset(_DECODERS)
"""The values of Content-Encoding that are read."""
COMPRESSED: Final = frozenset(name for name, decoder in _DECODERS.items() if decoder is not _as_it_is)
"""Those of them that make a body shorter."""
