"""The format of a segment: a header, then frames, each one export request with its checksum."""

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

HEADER: Final = b"RVSP0001"
MAX_SEGMENT_BYTES: Final = 8 << 20

_PREFIX: Final = struct.Struct("<BII")
FRAME_OVERHEAD: Final = _PREFIX.size


class Kind(IntEnum):
    """What a frame holds: an ExportTraceServiceRequest with one trace, or an ExportLogsServiceRequest."""

    TRACES = 1
    LOGS = 2


class TornSegment(ValueError):  # noqa: N818 - a state of the file
    """Behind the frames that were read comes something that is none: a write was cut off, or the file is damaged."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame, and the offset in bytes at which the next one begins."""

    kind: Kind
    payload: bytes
    end: int


def packed(kind: Kind, payload: bytes) -> bytes:
    """A frame as it lies on disk: u8 kind, u32 length, u32 CRC-32 of kind and payload, all little endian, payload."""
    return _PREFIX.pack(kind, len(payload), _checksum(kind, payload)) + payload


def read_frames(descriptor: int, offset: int = 0) -> Iterator[Frame]:
    """The frames of an open segment from `offset` on (0: from the first); raises TornSegment behind the last good one.

    Holds one frame in memory at a time, at most MAX_SEGMENT_BYTES, whatever the file claims.
    """
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, len(HEADER), 0) != HEADER:
        raise TornSegment("it does not begin as a segment does")
    offset = max(offset, len(HEADER))
    while offset < size:
        frame = _frame_at(descriptor, offset)
        offset = frame.end
        yield frame


def _frame_at(descriptor: int, offset: int) -> Frame:
    prefix = os.pread(descriptor, _PREFIX.size, offset)
    if len(prefix) < _PREFIX.size:
        raise TornSegment(f"it ends inside the frame at {offset}")
    kind, length, checksum = _PREFIX.unpack(prefix)
    if kind not in _KINDS or length > MAX_SEGMENT_BYTES:
        raise TornSegment(f"there is no frame at {offset}")
    payload = os.pread(descriptor, length, offset + _PREFIX.size)
    if len(payload) < length or _checksum(kind, payload) != checksum:
        raise TornSegment(f"the frame at {offset} is cut off or damaged")
    return Frame(Kind(kind), payload, offset + _PREFIX.size + length)


def _checksum(kind: int, payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(bytes([kind])))


_KINDS: Final = frozenset(kind.value for kind in Kind)
