"""Which signal a request carries, whatever its senders leave out and however they spell it."""

import io
import random
from typing import Any

import pytest
from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import SEVERITY_NUMBER_INFO, LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.samples.collector_files import frame
from tests.samples.otlp import NOW, logs, rag_trace, record, traces

from ragvigil_monitor.receiver.files.collector import CollectorReader
from ragvigil_monitor.receiver.files.found import Found, Signal
from ragvigil_monitor.receiver.files.lines import lines
from ragvigil_monitor.receiver.files.signals import behind_tear, signal_of_json, signal_of_protobuf

NOW_NS = int(NOW.timestamp()) * 10**9
IDS: Any = {"trace_id": b"\1" * 16, "span_id": b"\2" * 8}


def request(*items: Any) -> bytes:
    if isinstance(items[0], Span):
        made = ExportTraceServiceRequest()
        made.resource_spans.add().scope_spans.add().spans.extend(items)
        return made.SerializeToString()
    if isinstance(items[0], LogRecord):
        written = ExportLogsServiceRequest()
        written.resource_logs.add().scope_logs.add().log_records.extend(items)
        return written.SerializeToString()
    measured = ExportMetricsServiceRequest()
    measured.resource_metrics.add().scope_metrics.add().metrics.extend(items)
    return measured.SerializeToString()


def log(**fields: Any) -> LogRecord:
    made = LogRecord(**fields)
    made.body.string_value = "b"
    return made


def metric(kind: str, name: str, description: str = "") -> Metric:
    made = Metric(name=name, description=description, unit="By")
    points = getattr(made, kind).data_points
    for number in range(3):
        points.add().time_unix_nano = NOW_NS + number
    return made


SPANS = {
    "without ids": Span(name="a", start_time_unix_nano=NOW_NS),
    "short id": Span(trace_id=b"\1" * 15, span_id=b"\2" * 8, name="a", start_time_unix_nano=NOW_NS),
    "only an end": Span(end_time_unix_nano=NOW_NS),
    "no times": Span(name="a", **IDS),
}
RECORDS = {
    "no time but ids": log(observed_time_unix_nano=NOW_NS, **IDS),
    "only a severity": LogRecord(severity_number=SEVERITY_NUMBER_INFO),
    "only a text": log(),
    "only flags": LogRecord(flags=1),
}
METRICS = {
    "gauge": metric("gauge", "http.server.size", "Requests"),
    "sum": metric("sum", "http.server.size", "Requests"),
    "exponential histogram": metric("exponential_histogram", "http.server.size", "Requests"),
    "histogram": metric("histogram", "a", "b"),
    "plain": metric("gauge", "a"),
    "no data": Metric(name="a"),
}


@pytest.mark.parametrize("span", SPANS.values(), ids=SPANS)
def test_spans(span: Span) -> None:
    assert signal_of_protobuf(request(span)) is Signal.TRACES
    assert signal_of_protobuf(request(span, Span(kind=Span.SPAN_KIND_CLIENT))) is Signal.TRACES


@pytest.mark.parametrize("written", RECORDS.values(), ids=RECORDS)
def test_log_records(written: LogRecord) -> None:
    assert signal_of_protobuf(request(written)) is Signal.LOGS
    assert signal_of_protobuf(request(written, LogRecord(time_unix_nano=NOW_NS))) is Signal.LOGS


@pytest.mark.parametrize("measured", METRICS.values(), ids=METRICS)
def test_metrics(measured: Metric) -> None:
    assert signal_of_protobuf(request(measured)) is Signal.METRICS


def test_items_behind_the_first_tell_where_it_does_not() -> None:
    assert signal_of_protobuf(request(Span(), Span(name="a"), SPANS["only an end"])) is Signal.TRACES
    assert signal_of_protobuf(request(Metric(), Metric(name="a"), metric("sum", "a"))) is Signal.METRICS
    assert signal_of_protobuf(b"") is Signal.TRACES


def test_fields_of_several_kinds_are_none() -> None:
    both = SPANS["only an end"].SerializeToString() + LogRecord(time_unix_nano=1).SerializeToString()
    assert signal_of_protobuf(request(Span.FromString(both))) is None


def test_bytes_of_any_kind_end_in_an_answer() -> None:
    chance = random.Random(5)
    for _ in range(3000):
        body = bytearray(traces(*rag_trace(1)).SerializeToString()[: chance.randrange(400)])
        for _ in range(chance.randrange(4)):
            body[chance.randrange(len(body) + 1) :] = chance.randbytes(chance.randrange(9))
        assert signal_of_protobuf(bytes(body)) in {None, *Signal}


def test_spans_behind_one_without_ids_are_stored_and_that_one_counted(make_service: Any, tmp_path: Any) -> None:
    service = make_service(NOW)
    good = traces(*rag_trace(1))
    first = good.resource_spans[0].scope_spans[0].spans[0]
    first.ClearField("trace_id")
    (tmp_path / "otel.bin").write_bytes(frame(good.SerializeToString()) + frame(logs(record()).SerializeToString()))
    CollectorReader(service, tmp_path, 0.05).read_all()
    counted = {row["outcome"]: row["items"] for row in service.store.rows("ingest_totals")}
    assert counted["spans_committed"] == 5
    assert counted["logs_committed"] == 1
    assert sum(items for outcome, items in counted.items() if outcome.startswith("rejected_")) == 1


SPELLINGS = pytest.mark.parametrize("is_as_defined", [False, True], ids=["camel", "snake"])
MESSAGES: dict[Signal, tuple[type[Any], Any]] = {
    Signal.TRACES: (ExportTraceServiceRequest, SPANS["no times"]),
    Signal.LOGS: (ExportLogsServiceRequest, RECORDS["only a text"]),
    Signal.METRICS: (ExportMetricsServiceRequest, METRICS["gauge"]),
}


def line_of(signal: Signal, is_as_defined: bool) -> bytes:
    """A request in JSON as protobuf's libraries write it, with blanks, and with names as OTLP or as its definition."""
    kind, item = MESSAGES[signal]
    message = kind.FromString(request(item))
    return MessageToJson(message, preserving_proto_field_name=is_as_defined, indent=None).encode()


@SPELLINGS
@pytest.mark.parametrize("signal", MESSAGES, ids=str)
def test_lines_in_both_spellings_are_found(signal: Signal, is_as_defined: bool) -> None:
    line = line_of(signal, is_as_defined)
    for body in (line, line.replace(b": ", b":"), b'{"other": 1, ' + line[1:]):
        (piece,) = lines(io.BytesIO(body + b"\n"), 0, 1 << 20, is_whole=True)
        assert isinstance(piece, Found)
        assert piece.signal is signal


@SPELLINGS
def test_behind_half_a_line_either_spelling_begins_anew(is_as_defined: bool) -> None:
    line = line_of(Signal.TRACES, is_as_defined).replace(b": ", b":")
    assert behind_tear(line[:40] + line) == 40
    assert behind_tear(line) == 0


@pytest.mark.parametrize("key", ["resource-spans", "ResourceSpans", "resourcespans", "spans"])
def test_other_names_are_no_request(key: str) -> None:
    assert signal_of_json(b'{"%s": []}' % key.encode()) is None
