"""What the receiver keeps of its own findings among attributes, where a sender writes the same names."""

import base64
import json
from typing import Any

import numpy as np
import pytest
from tests.samples.otlp import NOW, RESOURCE, span, traces

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import SCOPE_NAME, UNNAMED
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.telemetry_tables import SPANS, positions

UNIT = base64.b64encode(np.array([0.6, 0.8], "<f2").tobytes()).decode()
PLAUSIBLE: list[tuple[str, Any]] = [
    ("otel.scope.name", "openinference.instrumentation.langchain"),
    ("otel.scope.version", "1.2"),
    ("otel.parent.is_remote", True),
    ("otel.span.kind", "CONSUMER"),
    ("otel.documents_without_id", 1_000_000),
    ("otel.query_vector", {"norm": 2.5, "unit_f16": UNIT}),
    ("otel.query_vector", {"dimension": 1536}),
    ("otel.repeated_usage", {"input_tokens": 100, "cost_usd": 0.25}),
    ("otel.taken_usage", ["input_tokens", "cost_usd"]),
    ("otel.repeated_stage", "generate"),
]
IMPLAUSIBLE: list[tuple[str, Any]] = [
    ("otel.scope.name", ""),
    ("otel.scope.name", 5),
    ("otel.scope.version", ["1.2"]),
    ("otel.parent.is_remote", "true"),
    ("otel.span.kind", "CLIENT"),
    ("otel.span.kind", {}),
    *(("otel.documents_without_id", value) for value in (2**63 - 1, 1_000_001, 0, -1, True, 3.0, "3", [3], None)),
    *(
        ("otel.query_vector", value)
        for value in (
            "text",
            {},
            {"dimension": -1},
            {"norm": float("nan"), "unit_f16": UNIT},
            {"norm": -1.0, "unit_f16": UNIT},
            {"norm": 1.0, "unit_f16": UNIT, "more": 1},
            {"norm": 1.0, "unit_f16": ""},
            {"norm": 1.0, "unit_f16": "AAAA"},
            {"norm": 1.0, "unit_f16": "no base64"},
            {"norm": 1.0, "unit_f16": base64.b64encode(np.array([np.nan], "<f2").tobytes()).decode()},
            {"norm": 1.0, "unit_f16": "AAAA" * 40_000},
        )
    ),
    ("otel.repeated_usage", {"input_tokens": 1.5}),
    ("otel.repeated_usage", {"cost_usd": -1.0}),
    ("otel.repeated_usage", {"other": 1}),
    ("otel.repeated_usage", ["input_tokens"]),
    ("otel.taken_usage", ["duration_ms"]),
    ("otel.taken_usage", [5]),
    ("otel.taken_usage", {"input_tokens": 1}),
    *(("otel.repeated_stage", value) for value in ("draft", "", 1, ["generate"], None)),
    *(("otel.events", value) for value in ("no list", {"name": "e"}, [1], [{"name": ["e"]}], [{"time_unix_nano": 5}])),
]


def read(attributes: dict[str, Any], resource: dict[str, Any]) -> tuple[Batch, dict[str, Any]]:
    """A search of others that brings these attributes; its own as they are kept."""
    given = {names.SPAN_KIND: "RETRIEVER", "other": 1, **attributes}
    body = traces(span(1, given), resource={**RESOURCE, **resource}).SerializeToString()
    batch = decode_traces(body, microseconds(NOW))
    kept: dict[str, Any] = json.loads(batch.spans[0][positions(SPANS)["attributes"]])
    return batch, kept


@pytest.mark.parametrize(("name", "value"), PLAUSIBLE, ids=[name for name, _ in PLAUSIBLE])
def test_what_the_receiver_could_have_written_is_kept(name: str, value: object) -> None:
    batch, kept = read({name: value}, {})
    assert kept[name] == value
    assert ("shop", "flawed_bad_provenance") not in batch.outcomes


@pytest.mark.parametrize(("name", "value"), IMPLAUSIBLE, ids=[f"{name}={value}"[:50] for name, value in IMPLAUSIBLE])
def test_what_it_cannot_have_written_is_dropped_and_counted(name: str, value: object) -> None:
    batch, kept = read({name: value}, {})
    assert kept.get(name) == (UNNAMED if name == SCOPE_NAME else None)
    assert kept["other"] == 1
    assert batch.outcomes["shop", "flawed_bad_provenance"] == 1


@pytest.mark.parametrize(("name", "value"), IMPLAUSIBLE, ids=[f"{name}={value}"[:50] for name, value in IMPLAUSIBLE])
def test_a_resource_cannot_bring_it_either(name: str, value: object) -> None:
    _, kept = read({}, {name: value, "host.name": "h"})
    assert kept.get(name) == (UNNAMED if name == SCOPE_NAME else None)
    assert kept["host.name"] == "h"


def test_what_the_receiver_counts_itself_wins() -> None:
    ids = {f"retrieval.documents.{rank}.document.score": 0.5 for rank in range(3)}
    _, kept = read({**ids, "retrieval.documents.3.document.id": "a", "otel.documents_without_id": 900_000}, {})
    assert kept["otel.documents_without_id"] == 3
