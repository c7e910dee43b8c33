"""Texts that are not UTF-8 in a protobuf message, replaced so that the rest of the message can be read.

Protobuf refuses a whole message for one such text, and some senders let lone surrogates through. The message is
walked as the wire format describes it: https://protobuf.dev/programming-guides/encoding/
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from ragvigil_monitor.receiver.parts import has_more_parts

_VARINT, _EIGHT_BYTES, _LENGTH_DELIMITED, _FOUR_BYTES = 0, 1, 2, 5
_FIXED: Final = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}
_MAX_VARINT_BYTES: Final = 10
_MAX_DEPTH: Final = 100
_MOST_PARTS: Final = 100_000


class NotProtobuf(ValueError):  # noqa: N818 - what the bytes are
    """The bytes are no message of that kind."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A message whose texts are UTF-8, and how many of them had to be changed."""

    body: bytes
    texts: int


def repaired(kind: type[Message], body: bytes) -> Repaired | None:
    """Replace what is not UTF-8 in every text of a message by U+FFFD.

    None where that is not what is wrong, and for a message of so many parts that it would take more than a second.
    """
    if has_more_parts(kind, body, _MOST_PARTS):
        return None
    try:
        found = _message(cast("Descriptor", kind.DESCRIPTOR), memoryview(body), 0)
    except NotProtobuf:
        return None
    return found if found.texts else None


def _message(kind: Descriptor, body: memoryview, depth: int) -> Repaired:
    if depth > _MAX_DEPTH:
        raise NotProtobuf
    parts = bytearray()
    texts = 0
    for number, start, content, end in wire_fields(body):
        field = kind.fields_by_number.get(number)
        new = _content(field, content, depth) if field is not None and content is not None else None
        if new is None:
            parts += body[start:end]
        else:
            parts += _varint(number << 3 | _LENGTH_DELIMITED) + _varint(len(new.body)) + new.body
            texts += new.texts
    return Repaired(bytes(parts), texts)


def _content(field: FieldDescriptor, content: memoryview, depth: int) -> Repaired | None:
    """The repaired content of a text or message; None for other types, which stay as they are."""
    if field.message_type is not None:
        return _message(field.message_type, content, depth + 1)
    if field.type != FieldDescriptor.TYPE_STRING:
        return None
    text = bytes(content).decode("utf-8", "replace").encode()
    return Repaired(text, int(text != content))


def wire_fields(body: memoryview) -> Iterator[tuple[int, int, memoryview | None, int]]:
    """Number, start, content if it is length-delimited, and end of each field; raises NotProtobuf."""
    position = 0
    while position < len(body):
        start = position
        tag, position = _read_varint(body, position)
        number, wire_type = tag >> 3, tag & 7
        content = None
        if wire_type == _VARINT:
            _, position = _read_varint(body, position)
        elif wire_type == _LENGTH_DELIMITED:
            length, position = _read_varint(body, position)
            content = body[position : position + length]
            position += length
        else:
            position += _FIXED.get(wire_type, len(body))
        if position > len(body):
            raise NotProtobuf
        yield number, start, content, position


def _read_varint(body: memoryview, position: int) -> tuple[int, int]:
    value = 0
    for place, byte in enumerate(body[position : position + _MAX_VARINT_BYTES]):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, position + place + 1
    raise NotProtobuf


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
