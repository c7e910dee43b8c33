"""Requests behind their lengths: what a Collector writes in protobuf, or compressed."""

import os
from collections.abc import Iterator
from typing import IO, Final

from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.receiver.bodies import JSON, PROTOBUF
from ragvigil_monitor.receiver.compression import decompressed
from ragvigil_monitor.receiver.files.found import KEPT_BYTES, ZEROS, Found, Piece, Refused
from ragvigil_monitor.receiver.files.holes import are_in_place_of_data, behind_zeros
from ragvigil_monitor.receiver.files.signals import signal_of_json, signal_of_protobuf

LENGTH_BYTES: Final = 4
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_BEGINNINGS: Final = (ZSTD_MAGIC, b"{", b"\n")
"""Of requests compressed, in JSON and in protobuf."""
_MOST_EMPTY_BYTES: Final = 1024
"""So many zeros may be the lengths of requests without content; more are none."""
_LONGEST: Final = 1 << 30
"""A length above this is none: the file is damaged, and nobody knows where the next request begins."""


def framed(file: IO[bytes], offset: int, max_bytes: int, *, is_whole: bool) -> Iterator[Piece]:
    """The frames from an offset on: u32 big-endian length, then JSON, protobuf or either of them in zstd.

    Behind a damaged frame everything to the present end of the file is refused as one piece. Holds one frame in memory,
    at most `max_bytes` of it.
    """
    size = os.fstat(file.fileno()).st_size
    while offset < size:
        file.seek(offset)
        prefix = file.read(LENGTH_BYTES)
        length = int.from_bytes(prefix, "big")
        if prefix == bytes(LENGTH_BYTES):
            start, offset = offset, _behind_hole(file, offset)
            are_frames = (offset - start) % LENGTH_BYTES == 0 and offset - start < _MOST_EMPTY_BYTES
            if offset < size and not are_frames and are_in_place_of_data(file, start, offset):
                yield Refused(ZEROS, b"", offset)
            continue
        end = offset + LENGTH_BYTES + length
        if length > _LONGEST or (is_whole and (len(prefix) < LENGTH_BYTES or end > size)):
            yield Refused("file_damaged", prefix + file.read(KEPT_BYTES), size)
            return
        if len(prefix) < LENGTH_BYTES or end > size:
            return
        yield from _piece(file.read(min(length, max_bytes + 1)), end, max_bytes)
        offset = end


def _behind_hole(file: IO[bytes], offset: int) -> int:
    """Where the next length begins behind zeros, with which it begins itself; the end of the file if it is not there.

    Empty frames leave lengths in step. A hole may not: then the length is one behind which a request begins.
    """
    found = behind_zeros(file, offset)
    if found >= os.fstat(file.fileno()).st_size:
        return found
    in_step = found - (found - offset) % LENGTH_BYTES
    starts: list[int] = [in_step, *range(found, found - LENGTH_BYTES, -1)]
    for start in starts:
        file.seek(start + LENGTH_BYTES)
        if file.read(len(ZSTD_MAGIC)).startswith(_BEGINNINGS):
            return start
    return in_step


def _piece(payload: bytes, end: int, max_bytes: int) -> Iterator[Piece]:
    if len(payload) > max_bytes:
        yield Refused("frame_too_long", payload[:KEPT_BYTES], end)
        return
    try:
        body = decompressed(payload, "zstd" if payload.startswith(ZSTD_MAGIC) else "", max_bytes)
    except BadTelemetry as bad:
        yield Refused("frame_too_long" if bad.status == 413 else "frame_unreadable", payload[:KEPT_BYTES], end)
        return
    yield _request(body, end)


def _request(body: bytes, end: int) -> Piece:
    is_json = body.lstrip()[:1] == b"{"
    signal = signal_of_json(body) if is_json else signal_of_protobuf(body)
    if signal is None:
        return Refused("frame_unreadable", body[:KEPT_BYTES], end)
    return Found(signal, body, JSON if is_json else PROTOBUF, end)
