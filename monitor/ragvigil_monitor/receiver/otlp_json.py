"""Export requests in OTLP/JSON, as messages.

It is protobuf's JSON but for the ids of traces and spans, which are hexadecimal instead of base64:
https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

Names are in lowerCamelCase there. Those of the protocol's definition (`resource_spans`) are read too: were they unknown
names, which are ignored, all would be lost that such a sender sends, and acknowledged.
"""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any, Final, TypeVar

import orjson
from google.protobuf.json_format import ParseError
from google.protobuf.message import Message

from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.receiver.json_attributes import parsed
from ragvigil_monitor.receiver.parts import MAX_ITEMS, UNCOUNTED_BYTES, too_many

MessageT = TypeVar("MessageT", bound=Message)

MAX_VALUES: Final = 1_500_000
"""Values in one body; each takes up to 150 bytes in memory. A realistic trace has one in 24 bytes."""
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)
"""A text, or the rest of the body behind a quotation mark that nothing closes: so it takes time in proportion only."""
_IDS: Final = ("traceId", "spanId", "parentSpanId", "trace_id", "span_id", "parent_span_id")
_PATHS: Final = (
    (("resourceSpans", "resource_spans"), ("scopeSpans", "scope_spans"), ("spans",)),
    (("resourceLogs", "resource_logs"), ("scopeLogs", "scope_logs"), ("logRecords", "log_records")),
)
"""On the way to spans and log records, each in both spellings."""


def from_json(kind: type[MessageT], body: bytes) -> tuple[MessageT, int]:
    """The message, and how many texts had to be repaired for it; raise BadTelemetry when it is none."""
    try:
        _check_values(body)
        document, texts = _decoded(body)
        if not isinstance(document, dict):
            raise ParseError(f"expected an object, not {type(document).__name__}")
        _check_names(kind, document)
        _prepare_items(document)
        return parsed(document, kind()), texts
    except BadTelemetry:
        raise
    except (ParseError, ValueError, RecursionError) as failure:
        raise BadTelemetry(f"The body is not an {kind.__name__} in OTLP/JSON: {failure}.") from failure


def _check_names(kind: type[Message], document: dict[str, Any]) -> None:
    """Raise ParseError where all of a request has other names, as one for another path has: nothing would be left."""
    known = {name for field in kind.DESCRIPTOR.fields for name in (field.name, field.json_name)}
    if document and not known & document.keys():
        wanted = " or ".join(field.json_name for field in kind.DESCRIPTOR.fields)
        raise ParseError(f"it has no {wanted}, only {', '.join(repr(name[:40]) for name in sorted(document)[:3])}")


def _check_values(body: bytes) -> None:
    """Raise BadTelemetry (413) when there are more values than MAX_VALUES; texts may hold what looks like some."""
    if len(body) > UNCOUNTED_BYTES and _marks(body, 0, len(body)) > MAX_VALUES and _has_too_many(body):
        raise too_many(MAX_VALUES, "values")


def _marks(body: bytes, start: int, end: int) -> int:
    """How many values may begin between two positions."""
    return sum(body.count(mark, start, end) for mark in (b"{", b"[", b","))


def _has_too_many(body: bytes) -> bool:
    """Whether there are too many outside of texts, or too many texts, of which each value may have two."""
    values = position = 0
    for texts, found in enumerate(_STRING.finditer(body)):
        values += _marks(body, position, found.start())
        position = found.end()
        if values > MAX_VALUES or texts > 2 * MAX_VALUES:
            return True
    return values + _marks(body, position, len(body)) > MAX_VALUES


def _prepare_items(document: dict[str, Any]) -> None:
    """Give spans, links and log records ids as protobuf reads them; raise BadTelemetry (413) when they are too many."""
    for place, item in enumerate(_items(document)):
        if place >= MAX_ITEMS:
            raise too_many(MAX_ITEMS, "spans or log records")
        _ids_to_base64(item)
        for link in _objects(item, ("links",)):
            _ids_to_base64(link)


def _decoded(body: bytes) -> tuple[Any, int]:
    """The document, and how many halves of a surrogate pair were replaced: texts that were cut have them at the end."""
    if not body:
        return {}, 0
    try:
        return orjson.loads(body), 0
    except orjson.JSONDecodeError:
        if not _SURROGATE_ESCAPE.search(body):
            raise
        text = json.dumps(json.loads(body), ensure_ascii=False)
        repaired, texts = _LONE_SURROGATE.subn("\ufffd", text)
        return orjson.loads(repaired), texts


def _items(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The spans and log records of a request."""
    for outer, middle, inner in _PATHS:
        for group in _objects(document, outer):
            for scope in _objects(group, middle):
                yield from _objects(scope, inner)


def _objects(parent: dict[str, Any], spellings: tuple[str, ...]) -> list[dict[str, Any]]:
    found = [parent[name] for name in spellings if isinstance(parent.get(name), list)]
    return [each for objects in found for each in objects if isinstance(each, dict)]


def _ids_to_base64(item: dict[str, Any]) -> None:
    """Rewrite the ids of a span, link or record; one that is not hexadecimal becomes empty, which is no id."""
    for name in _IDS:
        if name in item:
            item[name] = _base64(item[name])


def _base64(identity: object) -> str:
    try:
        return base64.b64encode(bytes.fromhex(identity if isinstance(identity, str) else "")).decode("ascii")
    except ValueError:
        return ""
