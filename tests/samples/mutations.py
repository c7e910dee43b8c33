"""Bodies of real senders with something wrong in them: seeded, so that every run has the same ones."""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import zstandard
from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.samples.otlp import logs, rag_trace, record, traces
from tests.samples.senders.recorded import recordings

from ragvigil import attributes as names
from ragvigil_monitor.receiver.repair import repaired

JSON: Final = "application/json"
PROTOBUF: Final = "application/x-protobuf"
_DECODERS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "gzip": gzip.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True).read(),
}
_VALUES: Final = re.compile(rb'"(?:[^"\\]|\\.)*"(?!:)|-?\d+(?:\.\d+)?|true|false|null')
_NAMES: Final = re.compile(rb'"\w+":')
_ODD_VALUES: Final = (
    b"null",
    b"NaN",
    b"Infinity",
    b"1e400",
    b"-1",
    b"9" * 5000,
    b"18446744073709551616",
    b"{}",
    b"[[]]",
    b"[" * 500 + b"]" * 500,
    b'{"kvlistValue":{"values":[{"key":"k","value":' * 60 + b"{}" + b"}]}}" * 60,
    b'"\\ud83d"',
    b'"\\u0000"',
    b'"\xff\xfe"',
    b'""',
    b"true",
)


@dataclass(frozen=True, slots=True)
class Sent:
    """One request: where to, in which form and coding, and its body before that coding, if it has one."""

    path: str
    content_type: str
    encoding: str
    body: bytes


def originals() -> list[Sent]:
    """Bodies as stock senders and our own write them, not compressed."""
    found = []
    for each in recordings().values():
        encoding = each.headers.get("content-encoding")
        body = _DECODERS[encoding](each.body) if encoding else each.body
        found.append(Sent(each.path, each.headers["content-type"], "", body))
    counts = {names.SPANS_STARTED: 5, names.SPANS_EXPORTED: 5, names.SPANS_DROPPED: 0}
    events = [record(attributes={names.FEEDBACK_ID: "f"}), record(names.EVENT_PROCESS_COUNTS, counts)]
    found.append(Sent("/v1/traces", PROTOBUF, "", traces(*rag_trace(0)).SerializeToString()))
    found.append(Sent("/v1/logs", PROTOBUF, "", logs(*events).SerializeToString()))
    return found


def mutated(number: int, seed: int = 7) -> Iterator[Sent]:
    """So many requests that are wrong somewhere, or only might be."""
    chance = random.Random(seed)
    known = originals()
    for _ in range(number):
        base = chance.choice(known)
        mutate = chance.choice(_OF_JSON if base.content_type == JSON and chance.random() < 0.7 else _OF_BYTES)
        body = mutate(base.body, chance, [each.body for each in known])
        yield _coded(Sent(base.path, base.content_type, "", body), chance)


def _coded(sent: Sent, chance: random.Random) -> Sent:
    """Plain in most cases; else compressed well, broken, or not as it says."""
    kind = chance.choice([*[""] * 12, *["gzip", "zstd"] * 4, "broken gzip", "broken zstd", "said gzip", "said zstd"])
    how, _, encoding = kind.rpartition(" ")
    if not encoding:
        return sent
    coders: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "zstd": zstandard.compress}
    body = sent.body if how == "said" else coders[encoding](sent.body)
    if how == "broken":
        body = chance.choice(_OF_BYTES)(body, chance, [body])
    return Sent(sent.path, sent.content_type, encoding, body)


def items_in(sent: Sent) -> int:
    """How many spans or log records a request has that can be read, counted otherwise than the receiver does."""
    body = _DECODERS[sent.encoding](sent.body) if sent.encoding else sent.body
    of_traces = sent.path == "/v1/traces"
    if sent.content_type == JSON:
        names_of = (
            ("resourceSpans", "scopeSpans", "spans") if of_traces else ("resourceLogs", "scopeLogs", "logRecords")
        )
        return _count([json.loads(body)] if body else [], lambda parent, name: parent.get(name) or [], names_of)
    names_of = (
        ("resource_spans", "scope_spans", "spans") if of_traces else ("resource_logs", "scope_logs", "log_records")
    )
    return _count(
        [_message(ExportTraceServiceRequest if of_traces else ExportLogsServiceRequest, body)], getattr, names_of
    )


def _count(parents: Sequence[Any], inner: Callable[[Any, str], Any], levels: Sequence[str]) -> int:
    for level in levels:
        parents = [child for parent in parents for child in inner(parent, level)]
    return len(parents)


def _message(kind: type[Message], body: bytes) -> Message:
    """The message, its texts repaired where they are not UTF-8."""
    try:
        return kind.FromString(body)
    except DecodeError:
        found = repaired(kind, body)
        return kind.FromString(found.body if found else body)


Mutate = Callable[[bytes, random.Random, Sequence[bytes]], bytes]


def _flip_bits(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    changed = bytearray(body)
    for _flip in range(chance.choice([1, 1, 2, 8, 64])):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    return body[: chance.randrange(len(body))]


def _cut_out(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    start, end = sorted(chance.randrange(len(body)) for _end in range(2))
    return body[:start] + body[end:]


def _splice(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    other = chance.choice(others)
    return body[: chance.randrange(len(body))] + other[chance.randrange(len(other)) :]


def _repeat_part(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    start, end = sorted(chance.randrange(len(body)) for _end in range(2))
    return body[:end] + body[start:end] * chance.choice([1, 2, 20]) + body[end:]


def _repeat_all(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    return body * chance.choice([2, 3])


def _lengthen(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    place = chance.randrange(len(body))
    return body[:place] + chance.choice([b"\xff\xff\xff\xff\x0f", b"\xff" * 10, b"\x80" * 12]) + body[place + 1 :]


def _retype(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    changed = bytearray(body)
    for _tag in range(chance.choice([1, 3])):
        place = chance.randrange(len(changed))
        changed[place] = changed[place] & ~7 | chance.randrange(8)
    return bytes(changed)


def _insert_noise(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    place = chance.randrange(len(body))
    return body[:place] + chance.randbytes(chance.choice([1, 4, 300])) + body[place:]


def _odd_value(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    found = chance.choice(list(_VALUES.finditer(body)))
    return body[: found.start()] + chance.choice(_ODD_VALUES) + body[found.end() :]


def _second_name(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    found = chance.choice(list(_NAMES.finditer(body)))
    return body[: found.start()] + found[0] + chance.choice(_ODD_VALUES) + b"," + body[found.start() :]


def _other_name(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    given, other = (chance.choice(list(_NAMES.finditer(body))) for _name in range(2))
    return body[: given.start()] + other[0] + body[given.end() :]


def _indented(body: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    return json.dumps(json.loads(body), indent=chance.choice([1, 8])).encode(
        chance.choice(["utf-8", "utf-16", "utf-8-sig"])
    )


_OF_BYTES: Final[Sequence[Mutate]] = (
    _flip_bits,
    _cut,
    _cut_out,
    _splice,
    _repeat_part,
    _repeat_all,
    _lengthen,
    _retype,
    _insert_noise,
)
_OF_JSON: Final[Sequence[Mutate]] = (_odd_value, _odd_value, _second_name, _other_name, _indented, _cut, _flip_bits)
