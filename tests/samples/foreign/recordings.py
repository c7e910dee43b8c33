"""The recorded requests, and how to give them to a monitor."""

import base64
import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

FOLDER = Path(__file__).parent / "recorded"
NAMES = sorted(file.name.removesuffix(".jsonl.gz") for file in FOLDER.glob("*.jsonl.gz"))


class Request(NamedTuple):
    """What was posted where."""

    path: str
    body: bytes


def recorded(name: str) -> list[Request]:
    """The requests of a recording, in the order in which they were sent."""
    lines = gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes()).decode().splitlines()
    return [Request(line["path"], base64.b64decode(line["body"])) for line in map(json.loads, lines)]


def one_span_each(requests: Sequence[Request]) -> list[Request]:
    """The same spans, each in a request of its own; other requests as they are."""
    return [split for request in requests for split in (_split(request) if request.path == "/v1/traces" else [request])]


def _split(request: Request) -> list[Request]:
    found = []
    for group in ExportTraceServiceRequest.FromString(request.body).resource_spans:
        for scope in group.scope_spans:
            for span in scope.spans:
                alone = ExportTraceServiceRequest()
                alone.resource_spans.add(resource=group.resource).scope_spans.add(scope=scope.scope, spans=[span])
                found.append(Request(request.path, alone.SerializeToString()))
    return found


def spans_of(requests: Sequence[Request]) -> list[Span]:
    """Every span."""
    return [
        span
        for request in requests
        if request.path == "/v1/traces"
        for group in ExportTraceServiceRequest.FromString(request.body).resource_spans
        for scope in group.scope_spans
        for span in scope.spans
    ]


def after(requests: Sequence[Request], later: timedelta = timedelta(minutes=1)) -> datetime:
    """A time so long after the last span ended."""
    last_us = max(span.end_time_unix_nano for span in spans_of(requests)) // 1000
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=last_us) + later
