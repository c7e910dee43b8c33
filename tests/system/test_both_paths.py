"""An application whose own SDK exports to the monitor too: every span arrives twice and counts once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

import ragvigil
from ragvigil import entitlement, relevance, where
from ragvigil.predicates import eq

SetGlobal = Callable[[TracerProvider], TracerProvider]


@pytest.fixture(params=["ours first", "theirs first"])
def deliver(monitor: Any, set_global: SetGlobal, request: pytest.FixtureRequest) -> Iterator[Callable[[], None]]:
    """Two paths to one monitor; call it to have both deliver, one after the other."""
    exporter = OTLPSpanExporter(f"{monitor.url}/v1/traces")
    processor = BatchSpanProcessor(exporter) if request.param == "ours first" else SimpleSpanProcessor(exporter)
    provider = set_global(TracerProvider(ALWAYS_ON, Resource({"service.name": "theirs"}), shutdown_on_exit=False))
    provider.add_span_processor(processor)
    ragvigil.configure(service_name="shop", service_version="2", endpoint=monitor.url, export_interval_s=3600)

    def delivered() -> None:
        assert ragvigil.flush()
        assert provider.force_flush()

    yield delivered
    ragvigil.shutdown()
    provider.shutdown()


def test_a_span_that_takes_both_paths_counts_once_and_is_the_same_on_either(
    monitor: Any, deliver: Callable[[], None]
) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="dates?")
        with ragvigil.stage("retrieve") as s:
            s.set(query="dates", top_k=60)
            s.filter(where(entitlement(eq("tenant", "acme")), relevance(eq("kind", "x"))))
            s.outputs([f"d{number}" for number in range(60)], [0.5] * 60)
    deliver()
    monitor.run_jobs()
    outcomes = monitor.outcomes()
    assert (outcomes["spans_committed"], outcomes["spans_duplicate"]) == (2, 2)
    stored = monitor.only_answer()
    assert (stored["service"], stored["service_version"], stored["question"]) == ("shop", "2", "dates?")
    retrieval = stored["spans"][1]
    assert [document["id"] for document in retrieval["output_documents"]] == [f"d{number}" for number in range(60)]
    assert (retrieval["filter_state"], retrieval["top_k"], retrieval["stage"]) == ("known", 60, "retrieve")
    (process,) = monitor.get("/completeness")
    assert (process["started"], process["stored"], process["share"]) == (2, 2, 1.0)
