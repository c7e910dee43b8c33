"""A stock OpenTelemetry SDK and its OTLP/HTTP exporter: only the endpoint is ours."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.trace import Tracer

from ragvigil import attributes as names


@pytest.fixture(params=[Compression.NoCompression, Compression.Gzip], ids=["plain", "gzip"])
def provider(monitor: Any, request: pytest.FixtureRequest) -> Iterator[TracerProvider]:
    made = TracerProvider(resource=Resource({"service.name": "foreign", "service.version": "2"}))
    exporter = OTLPSpanExporter(f"{monitor.url}/v1/traces", compression=request.param)
    made.add_span_processor(SimpleSpanProcessor(exporter))
    yield made
    made.shutdown()


@pytest.fixture
def tracer(provider: TracerProvider) -> Tracer:
    return provider.get_tracer("stock")


def test_spans_with_openinference_attributes_become_an_answer_and_its_stages(monitor: Any, tracer: Tracer) -> None:
    with tracer.start_as_current_span("ask") as root:
        root.set_attributes({names.ANSWER_ID: "a-1", names.INPUT_VALUE: "dates?", names.SPAN_KIND: "CHAIN"})
        with tracer.start_as_current_span("search") as search:
            search.set_attributes({names.SPAN_KIND: "RETRIEVER", names.INPUT_VALUE: "dates"})
            search.set_attribute(f"{names.RETRIEVAL_DOCUMENTS}.0.{names.DOCUMENT_ID}", "doc-1")
            search.set_attribute(f"{names.RETRIEVAL_DOCUMENTS}.0.{names.DOCUMENT_SCORE}", 0.9)
        with tracer.start_as_current_span("complete") as complete:
            complete.set_attributes({names.SPAN_KIND: "LLM", names.LLM_TOKENS_PROMPT: 12, "custom": "kept"})
    monitor.run_jobs()
    answer = monitor.only_answer()
    spans = {span["name"]: span for span in answer["spans"]}
    assert (answer["answer_id"], answer["question"], answer["service"]) == ("a-1", "dates?", "foreign")
    assert spans["search"]["output_documents"] == [{"id": "doc-1", "score": 0.9}]
    assert spans["search"]["filter_state"] == "unknown"
    assert spans["complete"]["input_tokens"] == 12
    assert spans["complete"]["attributes"]["custom"] == "kept"


def test_an_exception_is_kept_with_its_span(monitor: Any, tracer: Tracer) -> None:
    with pytest.raises(KeyError), tracer.start_as_current_span("ask", attributes={names.ANSWER_ID: "a-1"}):
        raise KeyError("lost")
    (span,) = monitor.only_answer()["spans"]
    assert span["status"] == "error"
    assert "KeyError" in span["status_message"]
    assert "lost" in json.dumps(span["attributes"]["otel.events"])


def test_the_same_export_twice_is_stored_once(monitor: Any, provider: TracerProvider) -> None:
    exporter = OTLPSpanExporter(f"{monitor.url}/v1/traces")
    span = provider.get_tracer("stock").start_span("ask")
    span.end()
    assert exporter.export([span]) is SpanExportResult.SUCCESS  # type: ignore[list-item]
    exporter.shutdown()  # type: ignore[no-untyped-call]
    assert monitor.outcomes() == {"spans_committed": 1, "spans_duplicate": 1}
