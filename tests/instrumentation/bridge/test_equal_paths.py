"""What the application's own exporter writes of a span, and what ours writes of it, is the same OTLP."""

from collections.abc import Callable, Iterator

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1 import trace_pb2 as otlp
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import NonRecordingSpan, SpanContext, StatusCode, TraceFlags, TraceState, use_span

import ragvigil
from ragvigil import entitlement, relevance, where
from ragvigil.export.exporter import ACCEPTED, Delivery, Signal
from ragvigil.predicates import and_, eq, gte, in_

SetGlobal = Callable[[TracerProvider], TracerProvider]


class Requests:
    """Our exporter: keeps the decoded requests with spans."""

    def __init__(self) -> None:
        self.spans: list[otlp.Span] = []
        self.resources: list[dict[str, object]] = []

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        if signal is Signal.TRACES:
            for group in ExportTraceServiceRequest.FromString(payload).resource_spans:
                self.spans.extend(span for scope in group.scope_spans for span in scope.spans)
                self.resources.append(attributes_of(group.resource))
        return ACCEPTED

    def close(self) -> None:
        """Nothing to close."""


def attributes_of(message: object) -> dict[str, object]:
    return {pair.key: pair.value for pair in message.attributes}  # type: ignore[attr-defined]


@pytest.fixture(params=[SimpleSpanProcessor, BatchSpanProcessor], ids=["simple", "batch"])
def paths(set_global: SetGlobal, request: pytest.FixtureRequest) -> Iterator[Callable[[], tuple[Requests, Requests]]]:
    """Both paths of one application; call it for what came out of them."""
    ours, sdk = Requests(), InMemorySpanExporter()
    limits = SpanLimits(max_span_attributes=SpanLimits.UNSET)
    provider = set_global(
        TracerProvider(ALWAYS_ON, Resource({"service.name": "theirs", "host.name": "h-1"}), False, span_limits=limits)
    )
    provider.add_span_processor(request.param(sdk))
    ragvigil.configure(service_name="shop", secret_key=b"k" * 16, exporter=ours)

    def exported() -> tuple[Requests, Requests]:
        assert ragvigil.flush()
        assert provider.force_flush()
        theirs = Requests()
        theirs.export(Signal.TRACES, encode_spans(sdk.get_finished_spans()).SerializeToString())
        return ours, theirs

    yield exported
    provider.shutdown()


def record_everything() -> None:
    parent = SpanContext(7, 9, True, TraceFlags(TraceFlags.SAMPLED), TraceState([("vendor", "1"), ("other", "2")]))
    with use_span(NonRecordingSpan(parent)), ragvigil.pipeline("ask") as answer:
        answer.set(question="wie öffne ich eine Datei?", session_id="s-1", user_id="u-1", citations=["b"])
        answer.set(regeneration_of=f"{9:032x}-{7:016x}", refusal=False, confidence=0.25, experiment_id="e")
        with ragvigil.stage("embed") as s:
            s.vector([1.0, float("nan"), -0.0])
        with ragvigil.stage("retrieve") as s:
            s.filter(where(entitlement(and_(in_("tenant", ["a", "b"]), gte("level", 3))), relevance(eq("kind", "x"))))
            s.outputs([f"d{n}" for n in range(60)], [0.5, None, float("nan"), *[0.25] * 57])
            s.set(top_k="sixty", retrieval_turn=1)  # type: ignore[arg-type]
        with ragvigil.stage("assemble") as s:
            s.context([])
            s.add_event("cut", {"parts": ["x", "y"], "raw": b"\xff", "share": 0.5}, timestamp=12_345)
            s.add_link(parent, {"why": "cache"})
            s.set_attributes({"app.ids": [1, 2], "app.flag": True, "app.raw": b"\x00\xff", "app.big": 1 << 70})
            s.set_attribute("app.bad", object())  # type: ignore[arg-type]
        with pytest.raises(KeyError), ragvigil.stage("generate"):
            raise KeyError("lost\ud800")
        with ragvigil.stage("postprocess") as s:
            s.set_status(StatusCode.OK)
            for number in range(200):
                s.add_event("step")
                s.add_link(SpanContext(number + 1, 5, False))


def as_the_sdk_writes_it(span: otlp.Span) -> otlp.Span:
    """Its exporter leaves the trace flags out and says only what the parent is, and writes a status that is unset."""
    copy = otlp.Span()
    copy.CopyFrom(span)
    copy.flags &= ~otlp.SPAN_FLAGS_TRACE_FLAGS_MASK
    copy.status.SetInParent()
    for link in copy.links:
        link.flags &= ~otlp.SPAN_FLAGS_TRACE_FLAGS_MASK
    return copy


def test_both_paths_export_the_same(paths: Callable[[], tuple[Requests, Requests]], lenient: None) -> None:
    record_everything()
    ours, theirs = paths()
    assert len(ours.spans) == 6
    for own, other in zip(ours.spans, theirs.spans, strict=True):
        assert str(as_the_sdk_writes_it(own)) == str(other)
        assert own.flags & otlp.SPAN_FLAGS_TRACE_FLAGS_MASK == TraceFlags.SAMPLED
    assert ragvigil.counts().bridge == ragvigil.BridgeCounts(given=6)
