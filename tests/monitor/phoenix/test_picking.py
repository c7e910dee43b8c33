"""Which spans of a request go on to Phoenix, and how they are changed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.samples.otlp import RESOURCE, rag_trace, span, span_id, trace_id, traces, vector

from ragvigil import attributes as names
from ragvigil_monitor.phoenix.picking import pick
from ragvigil_monitor.phoenix.share import is_in_share


def picked(request: ExportTraceServiceRequest, *, share: float = 1.0, project: str | None = None) -> Any:
    found = pick(request, share=share, project=project)
    if found is None:
        return None
    read = ExportTraceServiceRequest.FromString(found.body)
    assert len(spans_of(read)) == found.spans
    return read


def spans_of(request: ExportTraceServiceRequest) -> list[Span]:
    return [span for group in request.resource_spans for scope in group.scope_spans for span in scope.spans]


def attributes_of(holder: Any) -> dict[str, str]:
    return {pair.key: pair.value.string_value for pair in holder.attributes}


def test_a_span_stays_as_it_was_sent() -> None:
    sent = span(1, {names.SPAN_KIND: "CHAIN", "x": 1, "deep": {"a": [1.5, None]}}, parent=9, kind=3)
    sent.links.add(trace_id=trace_id(3), span_id=span_id(3))
    sent.status.message = "late"
    request = traces(sent)
    request.resource_spans[0].schema_url = "https://example.org/1"
    request.resource_spans[0].scope_spans[0].scope.name = "shop.search"
    found = picked(request)
    assert spans_of(found) == [sent]
    assert found.resource_spans[0].schema_url == "https://example.org/1"
    assert found.resource_spans[0].scope_spans[0].scope.name == "shop.search"
    assert attributes_of(found.resource_spans[0].resource)[names.SERVICE_INSTANCE_ID] == "process-1"


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 2**40)), max_size=30), st.floats(0.01, 1))
def test_a_trace_goes_whole_or_not_at_all_however_it_is_spread(given: list[tuple[int, int]], share: float) -> None:
    request = ExportTraceServiceRequest()
    for trace, number in given:
        request.MergeFrom(traces(span(number, trace=trace)))
    found = picked(request, share=share)
    ids = [(each.trace_id, each.span_id) for each in spans_of(found)] if found is not None else []
    assert ids == [(trace_id(t), span_id(n)) for t, n in given if is_in_share(trace_id(t), share)]


def test_resources_without_a_chosen_span_are_left_out() -> None:
    chosen, other = (
        next(n for n in range(1, 99) if is_in_share(trace_id(n), 0.1) is wanted) for wanted in (True, False)
    )
    request = traces(span(1, trace=other), resource={names.SERVICE_NAME: "secret"})
    request.MergeFrom(traces(span(2, trace=chosen)))
    assert b"secret" not in picked(request, share=0.1).SerializeToString()
    assert picked(traces(span(1, trace=other)), share=0.1) is None


@pytest.mark.parametrize(
    ("resource", "project", "expected"),
    [
        (RESOURCE, None, "shop"),
        (RESOURCE, "rag", "rag"),
        ({**RESOURCE, names.PROJECT_NAME: "own"}, "rag", "own"),
        ({**RESOURCE, names.PROJECT_NAME: ""}, "rag", "rag"),
        ({**RESOURCE, names.PROJECT_NAME: 7}, None, "shop"),
        ({}, None, "default"),
        ({names.SERVICE_NAME: b"\xff"}, None, "default"),
    ],
    ids=["service", "setting", "its own", "empty", "no text", "no name", "a name of bytes"],
)
def test_a_project_is_respected_or_set(resource: dict[str, object], project: str | None, expected: str) -> None:
    found = picked(traces(span(1), resource=resource), project=project)
    named = [pair.value.string_value for pair in found.resource_spans[0].resource.attributes]
    assert attributes_of(found.resource_spans[0].resource)[names.PROJECT_NAME] == expected
    assert named[-1] == expected  # the last of a repeated key is what counts


def test_query_vectors_stay_here() -> None:
    spans = rag_trace(0)
    assert any(pair.key == names.QUERY_VECTOR for each in spans for pair in each.attributes)
    found = spans_of(picked(traces(*spans)))
    assert len(found) == 6
    assert not any(pair.key == names.QUERY_VECTOR for each in found for pair in each.attributes)
    assert sum(len(each.attributes) for each in found) == sum(len(each.attributes) for each in spans) - 1


@pytest.mark.parametrize("value", [b"\xff", [1, b"a"], {"a": {"b": [b""]}}], ids=["bare", "in a list", "deep"])
def test_bytes_are_left_out_wherever_they_are(value: object) -> None:
    sent = span(1, {"before": "1", "x": value, "y": value, "after": "2"})
    sent.events.add(name="e").attributes.extend(span(2, {"x": value, "kept": "3"}).attributes)
    (found,) = spans_of(picked(traces(sent)))
    assert attributes_of(found) == {"before": "1", "after": "2"}
    assert attributes_of(found.events[0]) == {"kept": "3"}


def test_what_was_received_is_not_changed() -> None:
    request = traces(span(1, {names.QUERY_VECTOR: vector()}))
    before = request.SerializeToString(deterministic=True)
    picked(request)
    assert request.SerializeToString(deterministic=True) == before


@pytest.mark.parametrize(
    "fields",
    [{"trace_id": b"short"}, {"span_id": b""}, {"trace_id": bytes(16)}, {"span_id": bytes(8)}, {"span_id": bytes(9)}],
    ids=["short trace", "no span", "zero trace", "zero span", "long span"],
)
def test_spans_that_the_store_rejects_are_not_sent(fields: dict[str, Any]) -> None:
    assert picked(traces(span(1, **fields))) is None


def test_an_empty_request_has_nothing_to_send() -> None:
    assert picked(ExportTraceServiceRequest()) is None
