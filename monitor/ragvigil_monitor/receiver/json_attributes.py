"""Attributes of requests in OTLP/JSON, which are most of them, made into messages faster than `ParseDict` does.

Only what is written in the usual way is made here; everything else is left to `ParseDict`, errors above all.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeVar

from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

MessageT = TypeVar("MessageT", bound=Message)
Document = dict[str, Any]

_PATHS: Final = (("resourceSpans", "scopeSpans", "spans"), ("resourceLogs", "scopeLogs", "logRecords"))
_FIELDS: Final = (("resource_spans", "scope_spans", "spans"), ("resource_logs", "scope_logs", "log_records"))


def parsed(document: Document, message: MessageT) -> MessageT:
    """Fill a request from its document, whose attributes are taken out and put back; raises ParseError."""
    items = list(_items(document, message))
    taken = [item.pop("attributes") if isinstance(item.get("attributes"), list) else [] for item in items]
    try:
        ParseDict(document, message, ignore_unknown_fields=True)
    finally:
        for item, attributes in zip(items, taken, strict=True):
            item["attributes"] = attributes
    made = list(_made(message))
    if len(made) != len(items):  # names in another spelling
        message.Clear()
        return ParseDict(document, message, ignore_unknown_fields=True)
    for each, attributes in zip(made, taken, strict=True):
        each.attributes.extend(map(_pair, attributes))
    return message


def _items(document: Document, message: Message) -> Iterator[Document]:
    """The spans or log records of a request, in the order of `_made`."""
    known = message.DESCRIPTOR.fields_by_camelcase_name
    for outer, middle, inner in (path for path in _PATHS if path[0] in known):
        for group in _objects(document, outer):
            for scope in _objects(group, middle):
                yield from _objects(scope, inner)


def _made(message: Message) -> Iterator[Any]:
    for outer, middle, inner in _FIELDS:
        for group in getattr(message, outer, ()):
            for scope in getattr(group, middle):
                yield from getattr(scope, inner)


def _objects(parent: Document, name: str) -> list[Document]:
    found = parent.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _pair(pair: Any) -> KeyValue:
    if not isinstance(pair, dict):  # ParseDict raises TypeError, and takes a text for an empty pair
        raise ParseError(f"expected an attribute, not {type(pair).__name__}")
    if pair.keys() == {"key", "value"} and isinstance(pair["key"], str):
        value = _value(pair["value"])
        if value is not None:
            return KeyValue(key=pair["key"], value=value)
    return ParseDict(pair, KeyValue(), ignore_unknown_fields=True)


def _value(value: Any) -> AnyValue | None:
    """A value of the usual kind; None for every other."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((name, content),) = value.items()
    maker = _MAKERS.get(name)
    return None if maker is None else maker(content)


def _text(content: Any) -> AnyValue | None:
    return AnyValue(string_value=content) if isinstance(content, str) else None


def _whole(content: Any) -> AnyValue | None:
    is_number = isinstance(content, str) and content.isascii() and content.removeprefix("-").isdigit()
    return AnyValue(int_value=int(content)) if is_number and len(content) < 19 else None


def _number(content: Any) -> AnyValue | None:
    return AnyValue(double_value=content) if isinstance(content, float) else None


def _flag(content: Any) -> AnyValue | None:
    return AnyValue(bool_value=content) if isinstance(content, bool) else None


_MAKERS: Final[Mapping[str, Callable[[Any], AnyValue | None]]] = {
    "stringValue": _text,
    "intValue": _whole,
    "doubleValue": _number,
    "boolValue": _flag,
}
