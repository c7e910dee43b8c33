"""How many parts a protobuf message has, found without building them.

As objects the parts of a message take far more memory than as bytes: an empty span is two bytes on the wire and 180 in
memory. So the bytes are counted first, as the wire format describes them:
https://protobuf.dev/programming-guides/encoding/
"""

from functools import cache
from typing import Final, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from ragvigil_monitor.errors import BadTelemetry

MAX_ITEMS: Final = 100_000
"""Spans or log records in one request; each becomes a row of about a kilobyte in memory."""
MAX_PARTS: Final = 1_000_000
"""Messages inside one request, above all attributes and their values; each takes up to 85 bytes, and what is made of it
as much again. A realistic trace has one in 47 bytes, so that a body of 32 MiB has 700,000."""
UNCOUNTED_BYTES: Final = 1 << 20
"""A body up to this size cannot have more than half as many parts, nor 40,000 spans with ids: it is not counted."""

_VARINT, _EIGHT_BYTES, _LENGTH_DELIMITED, _FOUR_BYTES = 0, 1, 2, 5
_FIXED: Final = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}
_MAX_VARINT_BYTES: Final = 10
_MAX_DEPTH: Final = 100
_ITEM_LEVELS: Final = 3
"""resource_spans, scope_spans, spans; and the same for logs."""
_Inner = dict[int, Descriptor | None]


def check_parts(kind: type[Message], body: bytes) -> None:
    """Raise BadTelemetry (413) when a message of that kind has too many items or parts. What is malformed passes."""
    if len(body) <= UNCOUNTED_BYTES:
        return
    request = cast("Descriptor", kind.DESCRIPTOR)
    if _Count(body, MAX_ITEMS).exceeded(request, _ITEM_LEVELS):
        raise too_many(MAX_ITEMS, "spans or log records")
    if _most_parts(request, body) > MAX_PARTS and _Count(body, MAX_PARTS).exceeded(request, _MAX_DEPTH):
        raise too_many(MAX_PARTS, "attributes and values")


def has_more_parts(kind: type[Message], body: bytes, limit: int) -> bool:
    """Whether a message of that kind has more than `limit` parts."""
    return _Count(body, limit).exceeded(cast("Descriptor", kind.DESCRIPTOR), _MAX_DEPTH)


def too_many(limit: int, what: str) -> BadTelemetry:
    """The refusal of a request that would take too much memory."""
    return BadTelemetry(f"The request has more than {limit:,} {what}; send smaller batches.", 413)


def _most_parts(request: Descriptor, body: bytes) -> int:
    """A number that is never too small: every part begins with one of few bytes, which are counted anywhere."""
    return len(body) - len(body.translate(None, _first_bytes(request)))


@cache
def _first_bytes(request: Descriptor) -> bytes:
    """The bytes with which a part may begin, a tag that is written longer than it need be included."""
    first: set[int] = set()
    seen: set[Descriptor] = set()
    ahead = [request]
    while ahead:
        kind = ahead.pop()
        if kind in seen:
            continue
        seen.add(kind)
        ahead += [nested for nested in _inner(kind).values() if nested is not None]
        first |= {(number << 3 | _LENGTH_DELIMITED) & 0x7F for number in _inner(kind)}
    return bytes(first | {byte | 0x80 for byte in first})


@cache
def _inner(kind: Descriptor) -> _Inner:
    """The fields whose every occurrence takes memory of its own, and the messages in them."""
    return {field.number: field.message_type for field in kind.fields if _takes_memory(field)}


def _takes_memory(field: FieldDescriptor) -> bool:
    return field.message_type is not None or field.is_repeated


class _Count:
    """A walk over a message that ends as soon as there are more parts than `limit`."""

    def __init__(self, body: bytes, limit: int) -> None:
        self._body = body
        self._left = limit

    def exceeded(self, kind: Descriptor, levels: int) -> bool:
        """Whether there are more parts in the first `levels` levels."""
        self._walk(kind, 0, len(self._body), levels)
        return self._left < 0

    def _walk(self, kind: Descriptor, position: int, end: int, levels: int) -> None:
        """Count the fields between two positions; what no parser reads on after is left."""
        inner = _inner(kind)
        while position < end and self._left >= 0:
            tag, position = self._varint(position)
            wire_type = tag & 7
            if wire_type == _LENGTH_DELIMITED:
                length, position = self._varint(position)
                if position + length > end:
                    return
                if tag >> 3 in inner:
                    self._enter(inner[tag >> 3], position, position + length, levels - 1)
                position += length
            elif wire_type == _VARINT:
                _, position = self._varint(position)
            else:  # groups are walked as if their fields belonged to the message: that counts too much, not too little
                position += _FIXED.get(wire_type, 0)

    def _enter(self, kind: Descriptor | None, position: int, end: int, levels: int) -> None:
        self._left -= 1
        if kind is not None and levels and position < end:
            self._walk(kind, position, end, levels)

    def _varint(self, position: int) -> tuple[int, int]:
        """The number at a position, and where it ends: behind everything when it is cut off or longer than any is."""
        body = self._body
        if position < len(body) and body[position] < 0x80:
            return body[position], position + 1
        value = 0
        for place, byte in enumerate(body[position : position + _MAX_VARINT_BYTES]):
            value |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                return value, position + place + 1
        return 0, len(body)
