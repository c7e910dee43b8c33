"""One answer of a RAG application, by the OpenTelemetry SDK for Python and its stock exporter.

python -m tests.samples.senders.python_sdk <endpoint> none|gzip
"""

import sys
from datetime import UTC, datetime

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Link, Status, StatusCode, Tracer, set_span_in_context

BEGAN_NS = int(datetime(2026, 11, 30, 2, 59, tzinfo=UTC).timestamp()) * 10**9
_MS = 10**6


def main(endpoint: str, compression: str) -> None:
    """Send one answer."""
    provider = TracerProvider(resource=Resource({"service.name": "shop-python", "service.version": "2.1"}))
    exporter = OTLPSpanExporter(endpoint, compression=Compression(compression))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    _answer(provider.get_tracer("stock"))
    provider.shutdown()


def _answer(tracer: Tracer) -> None:
    root = tracer.start_span("ask", start_time=BEGAN_NS)
    root.set_attributes(
        {
            "ragvigil.answer.id": "answer-1",
            "openinference.span.kind": "CHAIN",
            "input.value": "Wie groß ist 🚀 Ägypten?",
            "output.value": "1,002,450 km²",
            "ragvigil.refusal": False,
            "ragvigil.confidence": 0.75,
            "tags": ["a", "b"],
            "count": 42,
        }
    )
    inside = set_span_in_context(root)
    links = [Link(root.get_span_context())]
    search = tracer.start_span("search", inside, links=links, start_time=BEGAN_NS + 10 * _MS)
    search.set_attributes(
        {
            "openinference.span.kind": "RETRIEVER",
            "input.value": "Ägypten",
            "retrieval.documents.0.document.id": "doc-1",
            "retrieval.documents.0.document.score": 0.5,
            "retrieval.documents.1.document.id": "doc-2",
            "retrieval.documents.1.document.score": 0.25,
        }
    )
    search.add_event("asked", {"shards": 3}, BEGAN_NS + 15 * _MS)
    search.end(BEGAN_NS + 60 * _MS)
    complete = tracer.start_span("complete", inside, start_time=BEGAN_NS + 70 * _MS)
    complete.set_attributes({"openinference.span.kind": "LLM", "gen_ai.usage.input_tokens": 900})
    complete.set_status(Status(StatusCode.ERROR, "cut off"))
    complete.end(BEGAN_NS + 240 * _MS)
    root.end(BEGAN_NS + 250 * _MS)


if __name__ == "__main__":
    main(*sys.argv[1:])
