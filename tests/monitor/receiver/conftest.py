"""Requests decoded and stored, as dictionaries by column."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.samples.otlp import NOW, RESOURCE, span, traces

from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.store import Store

Columns = dict[str, Any]


def read(*spans: Span, resource: Mapping[str, object] = RESOURCE) -> Batch:
    return decode_traces(traces(*spans, resource=resource).SerializeToString(), microseconds(NOW))


@pytest.fixture
def batch_of() -> Callable[..., Batch]:
    """Decodes a request of these spans."""
    return read


@pytest.fixture
def columns_of() -> Callable[..., Columns]:
    """Decodes one span with these attributes; its columns, with `attributes` as a dictionary."""

    def columns(attributes: dict[str, object] | None = None, **fields: Any) -> Columns:
        (row,) = read(span(1, attributes, **fields)).spans
        found = dict(zip(tables.SPANS.names, row, strict=True))
        return {**found, "attributes": orjson.loads(found["attributes"] or "{}")}

    return columns


@pytest.fixture
def flaws_of() -> Callable[..., set[str]]:
    """Decodes one span with these attributes; the flaws that were counted."""

    def flaws(attributes: dict[str, object] | None = None, **fields: Any) -> set[str]:
        batch = read(span(1, attributes, **fields))
        assert len(batch.spans) == 1
        return {outcome for _, outcome in batch.outcomes}

    return flaws


@pytest.fixture
def committer(memory_store: Store) -> Iterator[Committer]:
    with Committer(memory_store, clock=lambda: NOW) as running:
        yield running


@pytest.fixture
def totals(memory_store: Store) -> Callable[[], dict[str, int]]:
    """What became of everything received so far, over all services."""

    def count() -> dict[str, int]:
        found: Counter[str] = Counter()
        for row in memory_store.rows("ingest_totals"):
            found[row["outcome"]] += row["items"]
        return dict(found)

    return count
