"""Delivery over real HTTP: acknowledgements, refusals, retries, time limits."""

import contextvars
import gzip
import logging
import socket
import threading
import time
from collections.abc import Callable

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)

import ragvigil
from ragvigil import attributes as names
from ragvigil import current
from ragvigil.export.exporter import Delivery, Outcome, Signal
from ragvigil.export.http import HttpExporter
from ragvigil.testing import InMemoryExporter, Receiver, Reply, receiving

WaitFor = Callable[[Callable[[], object]], None]


def ask(name: str = "ask", stages: int = 1) -> None:
    with ragvigil.pipeline(name):
        for _ in range(stages):
            with ragvigil.stage("retrieve"):
                pass


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def test_traces_arrive_as_protobuf(receiver: Receiver) -> None:
    ragvigil.configure(service_name="shop", endpoint=receiver.endpoint, headers={"Authorization": "Bearer k"})
    ask()
    assert ragvigil.flush()
    (request,) = receiver.to("/v1/traces")
    assert request.headers["Content-Type"] == "application/x-protobuf"
    assert request.headers["Authorization"] == "Bearer k"
    assert [span.name for span in receiver.spans] == ["retrieve", "ask"]
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=2)


def test_requests_share_one_connection(receiver: Receiver) -> None:
    ragvigil.configure(endpoint=receiver.endpoint)
    for _ in range(3):
        ask()
        assert ragvigil.flush()
    assert len({request.client for request in receiver.requests}) == 1


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "silently"])
def test_a_connection_that_the_receiver_closed_is_opened_again(receiver: Receiver, announced: bool) -> None:
    headers = {"Connection": "close"} if announced else {}
    receiver.answers = [Reply(headers=headers, closes=True) for _ in range(6)]
    ragvigil.configure(endpoint=receiver.endpoint)
    for _ in range(3):
        ask()
        assert ragvigil.flush()
    assert len({request.client for request in receiver.requests}) == 6
    assert len(receiver.spans) == 6
    assert ragvigil.counts().exported == 6


def test_bodies_are_compressed_on_request(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    ragvigil.configure(endpoint=receiver.endpoint)
    ask()
    assert ragvigil.flush()
    assert {request.headers["Content-Encoding"] for request in receiver.requests} == {"gzip"}
    assert b"retrieve" in gzip.decompress(receiver.to("/v1/traces")[0].body)


def test_addresses_come_from_the_standard_variables(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"{receiver.endpoint}/base/")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{receiver.endpoint}/own?tenant=a")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b, x-other=c")
    ragvigil.configure()
    ask()
    assert ragvigil.flush()
    assert {request.path for request in receiver.requests} == {"/own?tenant=a", "/base/v1/logs"}
    assert {(request.headers["x-key"], request.headers["x-other"]) for request in receiver.requests} == {("a b", "c")}


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_may_be_retried_is(receiver: Receiver, status: int) -> None:
    receiver.answers = [Reply(status)]
    ragvigil.configure(endpoint=receiver.endpoint)
    ask()
    assert ragvigil.flush(timeout_s=10)
    first, second = receiver.to("/v1/traces")
    assert first.body == second.body
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=2)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 500, 301])
def test_what_is_refused_is_dropped_counted_and_told_once(
    receiver: Receiver, lenient: None, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    receiver.answers = [Reply(status, body=b"\xff no"), Reply(), Reply(status, body=b"\xff no")]
    ragvigil.configure(endpoint=receiver.endpoint)
    for _ in range(2):
        ask()
        assert ragvigil.flush()
    assert len(receiver.to("/v1/traces")) == 2
    assert ragvigil.counts() == ragvigil.Counts(started=4, dropped=4)
    assert caplog.text.count("the receiver refuses them") == 1
    assert f"HTTP {status}" in caplog.text


def test_rejected_spans_are_counted(receiver: Receiver, lenient: None, caplog: pytest.LogCaptureFixture) -> None:
    partial = ExportTracePartialSuccess(rejected_spans=2, error_message="bad ids")
    receiver.answers = [Reply(body=ExportTraceServiceResponse(partial_success=partial).SerializeToString())]
    ragvigil.configure(endpoint=receiver.endpoint)
    ask(stages=4)
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=5, exported=3, dropped=2)
    assert "the receiver rejects them: HTTP 200" in caplog.text
    assert "bad ids" not in caplog.text


@pytest.mark.parametrize("status", [200, 400, 503])
def test_what_the_receiver_says_is_in_no_log(
    receiver: Receiver, lenient: None, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """It may repeat what it was sent."""
    partial = ExportTracePartialSuccess(rejected_spans=1, error_message="my question")
    body = ExportTraceServiceResponse(partial_success=partial).SerializeToString() if status == 200 else b"my question"
    receiver.answers = [Reply(status, body=body)] * 2
    ragvigil.configure(endpoint=receiver.endpoint)
    ask()
    ragvigil.flush(timeout_s=0.2)
    assert f"HTTP {status}" in caplog.text
    assert "my question" not in caplog.text + str(ragvigil.diagnosis())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", ""),
        (b"no such\n\x1b[31mspan\x00", "no such [31mspan"),
        (b"\xff no", "\ufffd no"),
        (b"\x12\x07bad ids", "bad ids"),
        (b"x" * 300, "x" * 200),
    ],
    ids=["nothing", "control characters", "no UTF-8", "protobuf", "long"],
)
def test_what_the_receiver_says_is_one_short_line(receiver: Receiver, body: bytes, said: str) -> None:
    receiver.answers = [Reply(400, body=body)]
    exporter = HttpExporter(f"{receiver.endpoint}/t", f"{receiver.endpoint}/l", {}, 5.0)
    delivery = exporter.export(Signal.TRACES, b"")
    exporter.close()
    assert (delivery.outcome, delivery.reason, delivery.said) == (Outcome.REFUSED, "HTTP 400 Bad Request", said)
    assert delivery.told == (f"{delivery.reason}: {said}" if said else delivery.reason)


def test_an_answer_that_is_no_protobuf_is_still_a_yes(receiver: Receiver) -> None:
    receiver.answers = [Reply(body=b"<html>ok</html>")]
    ragvigil.configure(endpoint=receiver.endpoint)
    ask()
    assert ragvigil.flush()
    assert ragvigil.counts().exported == 2


def test_a_web_page_is_no_yes(receiver: Receiver, lenient: None, caplog: pytest.LogCaptureFixture) -> None:
    page = {"Content-Type": "text/html; charset=utf-8"}
    receiver.answers = [Reply(headers=page, body=b"<html>Sign in</html>")] * 2
    ragvigil.configure(endpoint=receiver.endpoint)
    ask()
    assert not ragvigil.flush(timeout_s=0.2)
    assert "this is no OTLP receiver" in caplog.text
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=2)


def test_a_receiver_that_is_down_costs_nothing_until_it_is_back(lenient: None) -> None:
    port = unused_port()
    ragvigil.configure(endpoint=f"http://127.0.0.1:{port}")
    ask()
    assert not ragvigil.flush(timeout_s=0.2)
    assert ragvigil.counts() == ragvigil.Counts(started=2)
    with receiving(port) as back:
        ask()
        assert ragvigil.flush(timeout_s=10)
        assert len(back.spans) == 4
        assert ragvigil.counts() == ragvigil.Counts(started=4, exported=4)
        ragvigil.shutdown()


def test_while_it_is_down_the_newest_are_kept_and_no_request_waits(lenient: None) -> None:
    port = unused_port()
    ragvigil.configure(endpoint=f"http://127.0.0.1:{port}", max_queue_traces=5)
    slowest = 0.0
    for number in range(200):
        began = time.thread_time()
        ask(f"ask {number}")
        slowest = max(slowest, time.thread_time() - began)
    assert slowest < 0.1
    assert not ragvigil.flush(timeout_s=0.1)
    with receiving(port) as back:
        assert ragvigil.flush(timeout_s=10)
        assert [span.name for span in back.spans if span.name != "retrieve"] == [f"ask {n}" for n in range(195, 200)]
    assert ragvigil.counts() == ragvigil.Counts(started=400, exported=10, dropped=390)


def test_a_receiver_that_hangs_is_given_up_after_the_timeout(receiver: Receiver, lenient: None) -> None:
    receiver.released.clear()
    ragvigil.configure(endpoint=receiver.endpoint, timeout_s=0.1)
    ask()
    assert not ragvigil.flush(timeout_s=0.3)
    receiver.released.set()
    assert ragvigil.flush(timeout_s=10)
    assert ragvigil.counts().exported == 2


def test_flush_waits_for_what_is_under_way(receiver: Receiver) -> None:
    receiver.released.clear()
    ragvigil.configure(endpoint=receiver.endpoint)
    ask()
    assert not ragvigil.flush(timeout_s=0.2)
    threading.Timer(0.05, receiver.released.set).start()
    assert ragvigil.flush(timeout_s=10)
    assert ragvigil.counts().exported == 2


def test_many_flushes_at_once_all_wait(receiver: Receiver) -> None:
    ragvigil.configure(endpoint=receiver.endpoint)
    results: list[bool] = []

    def work() -> None:
        for _ in range(20):
            ask()
            results.append(ragvigil.flush(timeout_s=20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 80
    assert ragvigil.counts() == ragvigil.Counts(started=160, exported=160)
    assert len(receiver.spans) == 160


def test_traces_leave_without_flush_after_the_interval(receiver: Receiver, wait_for: WaitFor) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, export_interval_s=0.05)
    ask()
    wait_for(lambda: ragvigil.counts().exported == 2)


def test_a_queue_that_is_half_full_does_not_wait_for_the_interval(receiver: Receiver, wait_for: WaitFor) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, export_interval_s=3600, max_queue_traces=10)
    for _ in range(6):
        ask()
    wait_for(lambda: ragvigil.counts().exported == 12)


def test_shutdown_delivers_and_then_counts_the_rest_as_dropped(receiver: Receiver) -> None:
    ragvigil.configure(endpoint=receiver.endpoint)
    still_open = ragvigil.pipeline("open")
    contextvars.copy_context().run(still_open.__enter__)
    recorder = current.recorder
    assert recorder is not None
    ask()
    assert ragvigil.shutdown()
    still_open.end()
    ask("after")
    assert [span.name for span in receiver.spans] == ["retrieve", "ask"]
    assert recorder.counts() == ragvigil.Counts(started=3, exported=2, dropped=1)
    assert ragvigil.counts() == ragvigil.Counts()


def test_configure_again_delivers_what_was_recorded_before(receiver: Receiver) -> None:
    ragvigil.configure(service_name="first", endpoint=receiver.endpoint)
    ask()
    ragvigil.configure(service_name="second", endpoint=receiver.endpoint)
    ask()
    assert ragvigil.flush()
    services = [span.resource[names.SERVICE_NAME] for span in receiver.spans]
    assert services == ["first", "first", "second", "second"]


class Failing:
    """An exporter that fails as often as it is told to."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.kept = InMemoryExporter()

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        if self.times > 0:
            self.times -= 1
            raise RuntimeError("exporter bug")
        return self.kept.export(signal, payload)

    def close(self) -> None:
        raise RuntimeError("cannot even close")


def test_an_exporter_that_fails_is_tried_again(lenient: None, caplog: pytest.LogCaptureFixture) -> None:
    exporter = Failing(times=1)
    ragvigil.configure(exporter=exporter)
    ask()
    assert ragvigil.flush(timeout_s=10)
    assert len(exporter.kept.spans) == 2
    assert "your code still runs" in caplog.text
    assert ragvigil.shutdown()


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "-7"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "²"}, None),
        ({"Date": "Thu, 01 Jan 2026 00:00:00 GMT", "Retry-After": "Thu, 01 Jan 2026 00:02:00 GMT"}, 120.0),
        ({"Date": "Thu, 01 Jan 2026 00:02:00 GMT", "Retry-After": "Thu, 01 Jan 2026 00:00:00 GMT"}, 0.0),
    ],
    ids=str,
)
def test_retry_after(receiver: Receiver, headers: dict[str, str], expected: float | None) -> None:
    receiver.answers = [Reply(503, headers={k: v for k, v in headers.items() if v.isascii()})]
    exporter = HttpExporter(f"{receiver.endpoint}/t", f"{receiver.endpoint}/l", {}, 5.0)
    delivery = exporter.export(Signal.TRACES, b"")
    exporter.close()
    assert delivery.outcome is Outcome.RETRY
    assert delivery.retry_after_s == expected


def test_rejected_logs_are_counted(receiver: Receiver) -> None:
    response = ExportLogsServiceResponse()
    response.partial_success.rejected_log_records = 1
    receiver.answers = [Reply(body=response.SerializeToString())]
    exporter = HttpExporter(f"{receiver.endpoint}/t", f"{receiver.endpoint}/l", {}, 5.0)
    assert exporter.export(Signal.LOGS, b"").rejected == 1
    exporter.close()


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:1", "https://127.0.0.1:1", "http://no.such.host.invalid"])
def test_an_unreachable_receiver_is_a_reason_to_retry(endpoint: str) -> None:
    delivery = HttpExporter(f"{endpoint}/v1/traces", f"{endpoint}/v1/logs", {}, 1.0).export(Signal.TRACES, b"")
    assert delivery.outcome is Outcome.RETRY
    assert endpoint in delivery.reason


def test_a_receiver_that_speaks_something_else_is_a_reason_to_retry() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def babble() -> None:
            connection, _ = server.accept()
            connection.recv(10_000)
            connection.sendall(b"SSH-2.0-a-secret\r\n\r\n")
            connection.close()

        thread = threading.Thread(target=babble)
        thread.start()
        endpoint = f"http://127.0.0.1:{server.getsockname()[1]}"
        delivery = HttpExporter(endpoint, endpoint, {}, 5.0).export(Signal.TRACES, b"x")
        thread.join()
    assert delivery.outcome is Outcome.RETRY
    assert delivery.reason == f"{endpoint}: BadStatusLine"


def test_own_failures_are_logged_by_the_logger_of_the_package(lenient: None, caplog: pytest.LogCaptureFixture) -> None:
    ragvigil.configure(endpoint=f"http://127.0.0.1:{unused_port()}")
    ask()
    ragvigil.flush(timeout_s=0.1)
    assert {record.name for record in caplog.records} == {"ragvigil"}
    assert caplog.records[0].levelno == logging.WARNING


def test_a_delivery_tells_status_or_failure(receiver: Receiver) -> None:
    receiver.answers = [Reply(), Reply(status=503), Reply(status=404)]
    exporter = HttpExporter(f"{receiver.endpoint}/v1/traces", f"{receiver.endpoint}/v1/logs", {}, 5.0)
    told = [exporter.export(Signal.TRACES, b"") for _ in range(3)]
    exporter.close()
    assert [(delivery.status, delivery.failure) for delivery in told] == [(200, None), (503, None), (404, None)]
    nowhere = HttpExporter(f"http://127.0.0.1:{unused_port()}", "", {}, 5.0).export(Signal.TRACES, b"")
    assert (nowhere.status, type(nowhere.failure)) == (None, ConnectionRefusedError)


def test_a_query_that_cannot_be_sent_is_not_told() -> None:
    url = f"http://127.0.0.1:{unused_port()}/v1/traces?token=a secret"
    delivery = HttpExporter(url, url, {}, 5.0).export(Signal.TRACES, b"")
    assert delivery.outcome is Outcome.RETRY
    assert "secret" not in delivery.told


def test_a_status_in_words_of_the_receiver_is_told_in_those_of_the_standard() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            connection, _ = server.accept()
            connection.recv(10_000)
            connection.sendall(b"HTTP/1.1 499 no place for a secret\r\nContent-Length: 0\r\n\r\n")
            connection.close()

        thread = threading.Thread(target=refuse)
        thread.start()
        endpoint = f"http://127.0.0.1:{server.getsockname()[1]}"
        exporter = HttpExporter(endpoint, endpoint, {}, 5.0)
        delivery = exporter.export(Signal.TRACES, b"x")
        exporter.close()
        thread.join()
    assert (delivery.outcome, delivery.told) == (Outcome.REFUSED, "HTTP 499")
