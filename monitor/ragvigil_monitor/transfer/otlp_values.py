"""Attributes in OTLP/JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding."""

import base64
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

Document = dict[str, Any]


def pairs(attributes: Mapping[str, object]) -> list[Document]:
    """Attributes as a list of keys and values."""
    return [{"key": key, "value": any_value(value)} for key, value in attributes.items()]


def any_value(value: object) -> Document:
    """A plain value as an AnyValue; None is one without a value."""
    made = _MAKERS.get(type(value))
    return {} if made is None else made(value)


def nanoseconds(moment: datetime) -> int:
    """Nanoseconds since the epoch."""
    return (moment - _EPOCH) // _MICROSECOND * 1000


def _array(values: list[object]) -> Document:
    return {"arrayValue": {"values": [any_value(value) for value in values]}}


def _mapping(values: dict[str, object]) -> Document:
    return {"kvlistValue": {"values": pairs(values)}}


_MAKERS: Final[Mapping[type, Callable[[Any], Document]]] = {
    str: lambda value: {"stringValue": value},
    bool: lambda value: {"boolValue": value},
    int: lambda value: {"intValue": str(value)},
    float: lambda value: {"doubleValue": value},
    bytes: lambda value: {"bytesValue": base64.b64encode(value).decode("ascii")},
    list: _array,
    dict: _mapping,
}
