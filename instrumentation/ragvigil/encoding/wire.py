"""Protobuf's wire format, as much of it as spans and their attributes need.

The 180 attributes of one trace are most of what recording costs a process, and through message objects they take twice
the CPU. The format never changes: https://protobuf.dev/programming-guides/encoding/
"""

from collections.abc import Sequence
from struct import Struct
from typing import Final

_UINT64: Final = (1 << 64) - 1
_DOUBLE: Final = Struct("<cd")
_TRUE: Final = b"\x10\x01"
_FALSE: Final = b"\x10\x00"


def varint(number: int) -> bytes:
    """A whole number in [0, 2^64): seven bits a byte, the lowest first."""
    return _VARINTS[number] if number < _TABULATED else _long_varint(number)


def field(tag: bytes, content: bytes) -> bytes:
    """A text, bytes or message field: its tag, its length, its content."""
    return b"".join((tag, varint(len(content)), content))


def utf8(text: str) -> bytes:
    """Text as UTF-8; lone surrogates, which it cannot carry, become question marks."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace")


# --- `AnyValue` -------------------------------------------------------------------------------------------------


def text(value: str) -> bytes:
    """An `AnyValue` that is text."""
    content = utf8(value)
    size = len(content)
    return _TEXT_HEADS[size] + content if size < _TABULATED else field(b"\x0a", content)


def boolean(value: bool) -> bytes:
    """An `AnyValue` that is true or false."""
    return _TRUE if value else _FALSE


def integer(value: int) -> bytes:
    """An `AnyValue` that is a whole number in [-2^63, 2^63)."""
    return b"\x18" + varint(value & _UINT64)


def double(value: float) -> bytes:
    """An `AnyValue` that is a double."""
    return _DOUBLE.pack(b"\x21", value)


def raw(value: bytes) -> bytes:
    """An `AnyValue` that is bytes."""
    return field(b"\x3a", value)


def array(values: Sequence[bytes]) -> bytes:
    """An `AnyValue` that is a list of the given `AnyValue`s, perhaps empty."""
    return field(b"\x2a", b"".join([field(b"\x0a", value) for value in values]))


# --- attributes of a `Span` -------------------------------------------------------------------------------------


def attribute(key: str, value: bytes) -> bytes:
    """An attribute of a `Span`; `value` is an `AnyValue`."""
    head, size = KEY_HEADS[key], len(value)
    if size < _ONE_BYTE and len(head) < _LONGEST_KEPT:
        return _ATTRIBUTE_HEADS[len(head) + 1 + size] + head + _VARINTS[size] + value
    return field(b"\x4a", head + varint(size) + value)


def key_head(key: str) -> bytes:
    """A `KeyValue` up to the length of its value."""
    return field(b"\x0a", utf8(key)) + b"\x12"


def text_attribute(head: bytes, value: str) -> bytes:
    """An attribute of a `Span` that is text, its `key_head` given."""
    try:  # `utf8`, written out where most of a trace passes
        content = value.encode()
    except UnicodeEncodeError:
        content = value.encode(errors="replace")
    size = len(content)
    if size < _ONE_BYTE - 2 and len(head) < _LONGEST_KEPT:
        return _ATTRIBUTE_HEADS[len(head) + 3 + size] + head + _TEXT_SIZES[size] + content
    return field(b"\x4a", head + field(b"", text(value)))


def double_head(key: str) -> bytes:
    """An attribute of a `Span` that is a double, up to its eight bytes."""
    return field(b"\x4a", key_head(key) + b"\x09\x21" + bytes(8))[:-8]


class _KeyHeads(dict[str, bytes]):
    """The `key_head` of each key, kept for as many keys as an application can have on purpose."""

    def __missing__(self, key: str) -> bytes:
        head = key_head(key)
        if len(self) < _KEPT_KEYS and len(head) < _LONGEST_KEPT:
            self[key] = head
        return head


def _long_varint(number: int) -> bytes:
    groups = []
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])


_KEPT_KEYS: Final = 2048
_LONGEST_KEPT: Final = 256
KEY_HEADS: Final = _KeyHeads()

_ONE_BYTE: Final = 0x80
"""Lengths below take one byte."""
_TABULATED: Final = 1024
_VARINTS: Final = tuple(map(_long_varint, range(_TABULATED)))
_TEXT_HEADS: Final = tuple([b"\x0a" + size for size in _VARINTS])
_TEXT_SIZES: Final = tuple([bytes((size + 2, 0x0A, size)) for size in range(_ONE_BYTE - 2)])
_ATTRIBUTE_HEADS: Final = tuple([b"\x4a" + size for size in _VARINTS])
