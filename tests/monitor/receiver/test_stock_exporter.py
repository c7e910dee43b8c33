"""The exporter of OpenTelemetry's Python SDK, as it is, against a service that sends it away."""

import http.client
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.samples.otlp import NOW, PROTOBUF, rag_trace, traces
from tests.samples.servers import running_api, wait_until

from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.receiver import routes
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.store import Store

EXPORTER_TIMEOUT_S = 10
"""Its default: it gives a batch up at once where it is asked to wait for longer."""
NOW_NS = int(NOW.timestamp()) * 1_000_000_000
BODY = traces(*rag_trace(0)).SerializeToString()


@pytest.fixture
def spans() -> tuple[ReadableSpan, ...]:
    """Three spans of an application with the stock SDK."""
    kept = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "stock"}))
    provider.add_span_processor(SimpleSpanProcessor(kept))
    for name in ("embed", "search", "answer"):
        provider.get_tracer("stock").start_span(name, start_time=NOW_NS).end(NOW_NS + 1_000_000)
    return kept.get_finished_spans()


def overloads(service: Any) -> float:
    return float(service.metrics.registry.get_sample_value("ragvigil_requests_overloaded_total") or 0)


def test_who_is_sent_away_under_overload_comes_again_and_is_stored_once(
    make_service: Any, memory_store: Store, spans: Any, totals: Any
) -> None:
    service = make_service(NOW, server={"max_waiting_requests": 1})
    with running_api(service) as url, ThreadPoolExecutor(2) as pool:
        exporter = OTLPSpanExporter(f"{url}/v1/traces")
        with memory_store.transaction():
            first = pool.submit(httpx.post, f"{url}/v1/traces", content=BODY, headers=PROTOBUF, timeout=30)
            wait_until(lambda: service.metrics.registry.get_sample_value("ragvigil_requests_inside") == 1)
            later = pool.submit(exporter.export, spans)
            wait_until(lambda: overloads(service) >= 1)
            assert not later.done()
        assert first.result().status_code == 200
        assert later.result(EXPORTER_TIMEOUT_S) is SpanExportResult.SUCCESS
        assert exporter.export(spans) is SpanExportResult.SUCCESS
        exporter.shutdown()  # type: ignore[no-untyped-call]
    assert totals() == {"spans_committed": 6 + len(spans), "spans_duplicate": len(spans)}


def test_a_store_that_fails_for_a_moment_costs_a_stock_exporter_nothing(
    make_service: Any, spans: Any, totals: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits, failures = Committer._write, iter([True])

    def sometimes(committer: Committer, batches: Any) -> None:
        if next(failures, False):
            raise StoreUnavailable("The disk is full.")
        commits(committer, batches)

    monkeypatch.setattr(Committer, "_write", sometimes)
    with running_api(make_service(NOW)) as url:
        exporter = OTLPSpanExporter(f"{url}/v1/traces")
        assert exporter.export(spans) is SpanExportResult.SUCCESS
        exporter.shutdown()  # type: ignore[no-untyped-call]
    assert totals() == {"spans_committed": len(spans)}


def test_a_wrong_key_is_not_tried_again(
    make_service: Any, spans: Any, totals: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with running_api(make_service(NOW)) as url:
        exporter = OTLPSpanExporter(f"{url}/v1/traces", headers={"Authorization": "Bearer wrong"})
        assert exporter.export(spans) is SpanExportResult.FAILURE
        exporter.shutdown()  # type: ignore[no-untyped-call]
    assert "code: 401" in caplog.text
    assert totals() == {}


@pytest.mark.parametrize("fails", [False, True], ids=["refused", "a fault of ours"])
def test_a_key_in_the_url_is_no_key_and_never_in_the_log(
    make_service: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    if fails:
        monkeypatch.setattr(routes, "check_headers", lambda _: 1 // 0)
    service = make_service(NOW)
    secret = next(iter(service.keys.by_role.values()))
    with caplog.at_level(logging.DEBUG), running_api(service) as url:
        address = httpx.URL(url)
        for path in (f"/v1/traces?key={secret}", f"/api/v1/whoami?api_key={secret}", f"/{secret}?{secret}"):
            connection = http.client.HTTPConnection(address.host, address.port or 0, timeout=30)
            connection.request("POST", path, b"\xff", PROTOBUF)
            answer = connection.getresponse()
            assert answer.status >= 400
            assert secret.encode() not in answer.read()
            connection.close()
    assert secret not in caplog.text
