"""One marked test trace, sent the way in which spans are sent."""

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragvigil import attributes as names
from ragvigil.clock import Clock
from ragvigil.doctor.fetching import explain, within
from ragvigil.doctor.finding import Finding, ok, problem
from ragvigil.doctor.surroundings import Target
from ragvigil.encoding.values import add_attributes
from ragvigil.export.exporter import Delivery, Outcome, Signal
from ragvigil.export.http import HttpExporter

_ADVICE: Final = {
    400: "something between changes the body, or this is no OTLP receiver",
    401: "send the ingest key: OTEL_EXPORTER_OTLP_HEADERS='authorization=Bearer <ingest key>'",
    403: "use the ingest key; this key has another role, or a proxy forbids the path",
    404: "correct the path: the endpoint is the address without /v1/traces, or this is another server",
    405: "correct the endpoint: this server takes no POST there",
    413: "raise the body limit of the proxy or receiver",
    415: "the receiver takes no protobuf bodies (or no gzip): unset OTEL_EXPORTER_OTLP_COMPRESSION, check the endpoint",
    429: "the receiver is overloaded; spans wait and are sent again",
    503: "the receiver is overloaded or starting; spans wait and are sent again",
}


@dataclass(frozen=True, slots=True)
class MarkedTrace:
    """A trace of one span without an answer, marked so that it is never traffic: a probe of the doctor's service."""

    trace_id: bytes = field(default_factory=lambda: os.urandom(16))
    span_id: bytes = field(default_factory=lambda: os.urandom(8))

    def encoded(self, now_ns: int) -> bytes:
        """An ExportTraceServiceRequest."""
        request = ExportTraceServiceRequest()
        group = request.resource_spans.add()
        add_attributes(group.resource.attributes, {names.SERVICE_NAME: names.DOCTOR_SERVICE})
        span = group.scope_spans.add().spans.add(trace_id=self.trace_id, span_id=self.span_id, name="ragvigil doctor")
        span.start_time_unix_nano = span.end_time_unix_nano = now_ns
        add_attributes(span.attributes, {names.PROBE_ID: f"doctor-{self.trace_id.hex()}"})
        return request.SerializeToString()


def check_sending(target: Target, trace: MarkedTrace, timeout_s: float, clock: Clock) -> Iterator[Finding]:
    """Send the trace, and an empty request for logs, to see whether the receiver takes both."""
    exporter = HttpExporter(target.traces_url, target.logs_url, target.headers, timeout_s, compress=target.gzip)
    with closing(exporter):
        for signal, payload in ((Signal.TRACES, trace.encoded(clock.wall_ns())), (Signal.LOGS, b"")):
            finding = _judged(signal, _attempt(exporter, signal, payload, timeout_s))
            yield finding
            if finding.verdict == "problem":
                return


def _attempt(exporter: HttpExporter, signal: Signal, payload: bytes, timeout_s: float) -> Delivery:
    try:
        return within(timeout_s, lambda: exporter.export(signal, payload))
    except Exception as failure:  # noqa: BLE001 - it is told
        return Delivery(Outcome.RETRY, failure=failure)


def _judged(signal: Signal, delivery: Delivery) -> Finding:
    check = f"sending {signal}"
    if delivery.failure is not None:
        return problem(check, *explain(delivery.failure))
    if delivery.outcome is not Outcome.ACCEPTED:
        advice = _ADVICE.get(delivery.status or 0, "look into the log of the server there")
        return problem(check, f"refused: {delivery.told}", advice)
    if delivery.rejected:
        return problem(check, f"rejected: {delivery.told}", "the receiver is of another version; look into its log")
    return ok(check, f"accepted (HTTP {delivery.status})")
