"""The files of an export in one HTTP body, so that they are of one moment and nobody has to know their sizes before.

Each file is its name and day in JSON, then its bytes in pieces, then an empty piece; an empty name ends the body. Each
of these has its length before it: 4 bytes, little endian.
"""

from collections.abc import Generator, Iterable, Iterator
from datetime import date
from struct import Struct
from typing import Final

import orjson

from ragvigil_monitor.transfer.exporting import Part

MEDIA_TYPE: Final = "application/vnd.ragvigil.export"
MOST_NAME_BYTES: Final = 4096
MOST_PIECE_BYTES: Final = 1 << 28
_LENGTH: Final = Struct("<I")

Files = Iterable[tuple[Part, Iterable[bytes]]]


def framed(files: Files) -> Generator[bytes]:
    """The body, made while it is read."""
    for part, content in files:
        yield from _piece(orjson.dumps([part.name, part.day]))
        for chunk in content:
            if chunk:
                yield from _piece(chunk)
        yield _LENGTH.pack(0)
    yield _LENGTH.pack(0)


def unframed(body: Iterable[bytes]) -> Iterator[tuple[Part, Iterator[bytes]]]:
    """The files of a body, what is not read of one passed over; raises ValueError where it is none or ends early."""
    pieces = _Pieces(body)
    while name := pieces.next(MOST_NAME_BYTES):
        content = iter(lambda: pieces.next(MOST_PIECE_BYTES), b"")
        yield _part(name), content
        for _ in content:
            pass


def _piece(content: bytes) -> Iterator[bytes]:
    yield _LENGTH.pack(len(content))
    yield content


def _part(said: bytes) -> Part:
    """Its name becomes that of a file here, whoever sent it."""
    try:
        name, day = orjson.loads(said)
        if not (isinstance(name, str) and name.isidentifier()):
            raise ValueError(f"a file called {name!r}")
        return Part(name, None if day is None else date.fromisoformat(day))
    except TypeError as failure:
        raise ValueError(f"no name of a file: {said[:80]!r}") from failure


class _Pieces:
    """What has its length before it, one after the other."""

    def __init__(self, body: Iterable[bytes]) -> None:
        self._body = iter(body)
        self._held = bytearray()

    def next(self, most_bytes: int) -> bytes:
        (length,) = _LENGTH.unpack(self._take(_LENGTH.size))
        if length > most_bytes:
            raise ValueError(f"a piece of {length:,} bytes")
        return self._take(length)

    def _take(self, size: int) -> bytes:
        while len(self._held) < size:
            chunk = next(self._body, None)
            if chunk is None:
                raise ValueError("the answer ends too early")
            self._held += chunk
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken
