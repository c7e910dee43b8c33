"""Spans and log records of a store as lines of OTLP/JSON, one request each, as a Collector writes them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

import orjson

from ragvigil import attributes as names
from ragvigil_monitor.store import Reader
from ragvigil_monitor.transfer.otlp_logs import counters_document, log_document
from ragvigil_monitor.transfer.otlp_spans import span_document
from ragvigil_monitor.transfer.otlp_values import Document, pairs

ITEMS_A_LINE: Final = 200
LINE_BYTES: Final = 4 << 20
"""A line is not made longer than this, but for a single item: receivers refuse requests that are too long."""

Made = Callable[[Mapping[str, Any]], Document]
_Sender = tuple[str, str | None, str | None]
_Item = tuple[_Sender, bytes]
"""A span or log record in JSON, and who sent it."""
_SENDER_NAMES: Final = (names.SERVICE_NAME, names.SERVICE_VERSION, names.SERVICE_INSTANCE_ID)


def trace_lines(store: Reader, start: datetime, end: datetime) -> Iterator[bytes]:
    """The spans that began in [start, end)."""
    return _lines(store, "spans_with_answers", span_document, ("resourceSpans", "scopeSpans", "spans"), start, end)


def log_lines(store: Reader, start: datetime, end: datetime) -> Iterator[bytes]:
    """The log records of [start, end), and the counters of the processes that reported last in that time."""
    path = ("resourceLogs", "scopeLogs", "logRecords")
    yield from _lines(store, "log_events_between", log_document, path, start, end)
    yield from _lines(store, "process_counts_between", counters_document, path, start, end)


def _lines(
    store: Reader, question: str, made: Made, path: tuple[str, str, str], start: datetime, end: datetime
) -> Iterator[bytes]:
    with store.stream_rows(question, ITEMS_A_LINE, start=start, end=end) as portions:
        for rows in portions:
            for items in _cut((_sender(row), orjson.dumps(made(row))) for row in rows):
                yield orjson.dumps(_request(items, path)) + b"\n"


def _sender(row: Mapping[str, Any]) -> _Sender:
    return row["service"], row.get("service_version"), row["instance_id"]


def _cut(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Items of one line each."""
    line: list[_Item] = []
    size = 0
    for item in items:
        if line and size + len(item[1]) > LINE_BYTES:
            yield line
            line, size = [], 0
        line.append(item)
        size += len(item[1])
    if line:
        yield line


def _request(line: list[_Item], path: tuple[str, str, str]) -> Document:
    groups, scopes, items = path
    by_sender: dict[_Sender, list[orjson.Fragment]] = {}
    for sender, document in line:
        by_sender.setdefault(sender, []).append(orjson.Fragment(document))
    return {
        groups: [
            {"resource": {"attributes": _resource(sender)}, scopes: [{items: documents}]}
            for sender, documents in by_sender.items()
        ]
    }


def _resource(sender: _Sender) -> list[Document]:
    return pairs({name: value for name, value in zip(_SENDER_NAMES, sender, strict=True) if value is not None})
