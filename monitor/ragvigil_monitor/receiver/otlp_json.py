"""Export requests in OTLP/JSON, as messages.

It is protobuf's JSON but for the ids of traces and spans, which are hexadecimal instead of base64:
https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
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

MessageT = TypeVar("MessageT", bound=Message)

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_IDS: Final = ("traceId", "spanId", "parentSpanId")
_PATHS: Final = (("resourceSpans", "scopeSpans", "spans"), ("resourceLogs", "scopeLogs", "logRecords"))


def from_json(kind: type[MessageT], body: bytes) -> tuple[MessageT, int]:
    """The message, and how many texts had to be repaired for it; raise BadTelemetry when it is none."""
    try:
        document, texts = _decoded(body)
        if not isinstance(document, dict):
            raise ParseError(f"expected an object, not {type(document).__name__}")
        for item in _items(document):
            _ids_to_base64(item)
            for link in _objects(item, "links"):
                _ids_to_base64(link)
        return parsed(document, kind()), texts
    except (ParseError, ValueError, RecursionError) as failure:
        raise BadTelemetry(f"The body is not an {kind.__name__} in OTLP/JSON: {failure}.") from failure


def _decoded(body: bytes) -> tuple[Any, int]:
    """The document, and how many halves of a surrogate pair were replaced: texts that were cut have them at the end."""
    if not body:
        return {}, 0
    try:
        return orjson.loads(body), 0
    except orjson.JSONDecodeError:
        text = json.dumps(json.loads(body), ensure_ascii=False)
        repaired, texts = _LONE_SURROGATE.subn("\ufffd", text)
        return orjson.loads(repaired), texts


def _items(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The spans and log records of a request."""
    for outer, middle, inner in _PATHS:
        for group in _objects(document, outer):
            for scope in _objects(group, middle):
                yield from _objects(scope, inner)


def _objects(parent: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = parent.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


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
