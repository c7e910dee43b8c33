"""Python values as OTLP attribute values."""

from collections.abc import Mapping
from typing import Final, Protocol

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue

from ragvigil.rare import Value

_INT64_MIN: Final = -(1 << 63)
_INT64_MAX: Final = (1 << 63) - 1


class Pairs(Protocol):
    """The attributes of a message, as protobuf keeps them."""

    def add(self, *, key: str) -> KeyValue:
        """Append an attribute."""
        ...


def add_attributes(into: Pairs, attributes: Mapping[str, Value]) -> None:
    """Append a mapping as OTLP attributes."""
    for key, value in attributes.items():
        into.add(key=well_formed(key)).value.CopyFrom(any_value(value))


def any_value(value: Value) -> AnyValue:
    """One value; an integer beyond 64 bits becomes text."""
    if isinstance(value, str):
        return AnyValue(string_value=well_formed(value))
    if isinstance(value, bool):
        return AnyValue(bool_value=value)
    if isinstance(value, int):
        return AnyValue(int_value=value) if _fits(value) else AnyValue(string_value=str(value))
    if isinstance(value, float):
        return AnyValue(double_value=value)
    if isinstance(value, bytes):
        return AnyValue(bytes_value=value)
    return AnyValue(array_value=ArrayValue(values=[any_value(item) for item in value]))


def well_formed(text: str) -> str:
    """Text that UTF-8 can carry: lone surrogates become question marks."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _fits(value: int) -> bool:
    return _INT64_MIN <= value <= _INT64_MAX
