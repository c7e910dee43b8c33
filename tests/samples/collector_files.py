"""Files as the `file` exporter of an OpenTelemetry Collector writes them, made by hand from its documented formats.

JSON as its marshaler writes it: ids in hex, 64-bit integers as strings, enumerations as numbers, empty lists left out.
"""

import base64
import json
from typing import Any

import zstandard
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

_IDS = ("traceId", "spanId", "parentSpanId")


def json_line(request: Message) -> bytes:
    """One request as a line."""
    document = MessageToDict(request, use_integers_for_enums=True)
    _ids_to_hex(document)
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def frame(payload: bytes) -> bytes:
    """A payload behind its length, as `format: proto` and `compression: zstd` ask for."""
    return len(payload).to_bytes(4, "big") + payload


def zstd_frame(payload: bytes) -> bytes:
    """A payload compressed on its own, behind its length."""
    return frame(zstandard.ZstdCompressor().compress(payload))


def _ids_to_hex(node: Any) -> None:
    if isinstance(node, list):
        for each in node:
            _ids_to_hex(each)
    elif isinstance(node, dict):
        for name, value in node.items():
            if name in _IDS and isinstance(value, str):
                node[name] = base64.b64decode(value).hex()
            else:
                _ids_to_hex(value)
