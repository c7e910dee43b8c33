"""Bodies that are short on the wire and heavy in memory, each in another way."""

import zlib
from collections.abc import Callable, Mapping
from typing import Final

import zstandard

SIZE: Final = 30 << 20
_JSON: Final = {"Content-Type": "application/json"}
_PROTOBUF: Final = {"Content-Type": "application/x-protobuf"}
Heavy = tuple[str, Mapping[str, str], Callable[[], bytes]]


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def field(number: int, content: bytes) -> bytes:
    """A field with a length, as it is on the wire."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def in_scope(content: bytes) -> bytes:
    """The fields of ScopeSpans or ScopeLogs, as an export request."""
    return field(1, field(2, content))


def in_span(content: bytes) -> bytes:
    """The fields of a span with ids, as an export request."""
    return in_scope(field(2, field(1, b"t" * 16) + field(2, b"s" * 8) + content))


def repeated(part: bytes, size: int = SIZE) -> bytes:
    """A part, over and over."""
    return part * (size // len(part))


def in_json(spans: str) -> bytes:
    """Spans written in JSON, as an export request."""
    return f'{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}'.encode()


def _deep(levels: int) -> bytes:
    return field(5, field(1, _deep(levels - 1))) if levels else b""


def _numbered(number: int) -> bytes:
    return field(2, field(1, number.to_bytes(16)) + field(2, number.to_bytes(8)))


def _many_names() -> bytes:
    return b"".join(field(9, field(1, f"{number:x}".encode())) for number in range(900_000))


def _wide_texts() -> bytes:
    return b"".join(
        field(9, field(1, b"k%d" % n) + field(2, field(1, b"\xf0\x9f\x92\xa5" + b"a" * 9990))) for n in range(3000)
    )


HEAVY: Final[Mapping[str, Heavy]] = {
    "empty spans": ("/v1/traces", _PROTOBUF, lambda: in_scope(repeated(field(2, b"")))),
    "empty resources": ("/v1/traces", _PROTOBUF, lambda: repeated(field(1, b""))),
    "many spans": ("/v1/traces", _PROTOBUF, lambda: in_scope(b"".join(map(_numbered, range(1, 99_999))))),
    "empty attributes": ("/v1/traces", _PROTOBUF, lambda: in_span(repeated(field(9, b"")))),
    "attributes with long tags": ("/v1/traces", _PROTOBUF, lambda: in_span(repeated(b"\xca\x80\x00\x00"))),
    "many attributes": ("/v1/traces", _PROTOBUF, lambda: in_span(_many_names())),
    "empty values": ("/v1/traces", _PROTOBUF, lambda: in_span(field(9, field(2, field(5, repeated(field(1, b""))))))),
    "wide texts": ("/v1/traces", _PROTOBUF, lambda: in_span(_wide_texts())),
    "one wide text": ("/v1/traces", _PROTOBUF, lambda: in_span(field(5, b"\xf0\x9f\x92\xa5" + b"a" * SIZE))),
    "texts that are not UTF-8": (
        "/v1/traces",
        _PROTOBUF,
        lambda: in_span(repeated(field(9, field(1, b"\xff")), 4 << 20)),
    ),
    "events behind a group": ("/v1/traces", _PROTOBUF, lambda: in_span(b"\xfb\x01" + repeated(field(11, b"")))),
    "empty records": ("/v1/logs", _PROTOBUF, lambda: in_scope(repeated(field(2, b"")))),
    "numbers without end": ("/v1/traces", _PROTOBUF, lambda: b"\xff" * SIZE),
    "deep values": ("/v1/traces", _PROTOBUF, lambda: in_span(repeated(field(9, field(2, _deep(90)))))),
    "metrics": ("/v1/metrics", _PROTOBUF, lambda: repeated(field(1, b""))),
    "empty objects": ("/v1/traces", _JSON, lambda: in_json(",".join(["{}"] * (SIZE // 3)))),
    "empty lists": ("/v1/traces", _JSON, lambda: in_json(",".join(["[]"] * (SIZE // 3)))),
    "objects as attributes": (
        "/v1/traces",
        _JSON,
        lambda: in_json('{"attributes":[' + ",".join(["{}"] * 900_000) + "]}"),
    ),
    "deep lists": ("/v1/traces", _JSON, lambda: b"[" * SIZE),
    "deep objects": ("/v1/logs", _JSON, lambda: b'{"a":' * (SIZE // 5)),
    "a text that never ends": ("/v1/traces", _JSON, lambda: b'{"' + b'\\"{' * (SIZE // 3)),
    "cut surrogates": ("/v1/traces", _JSON, lambda: b'{"a":"' + b"\\ud800" * (SIZE // 6) + b'"}'),
    "names": ("/v1/traces", _JSON, lambda: b"{" + b",".join(b'"%x":0' % n for n in range(1_900_000)) + b"}"),
    "a long number": ("/v1/traces", _JSON, lambda: in_json('{"startTimeUnixNano":' + "9" * SIZE + "}")),
}
"""Path, headers and maker of each body; all are shorter than 32 MiB."""


def deflated(body: bytes) -> bytes:
    """gzip, at its fastest."""
    coder = zlib.compressobj(1, wbits=31)
    return coder.compress(body) + coder.flush()


def zstandardised(body: bytes) -> bytes:
    """zstd, at its fastest."""
    return zstandard.ZstdCompressor(level=1).compress(body)
