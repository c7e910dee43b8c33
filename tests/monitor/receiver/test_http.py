"""OTLP over real HTTP: what is accepted, what is refused, and how that is said."""

import gzip
import socket
import threading
import zlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import zstandard
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import NOW, PROTOBUF, logs, rag_trace, record, span, traces
from tests.samples.servers import running_api, wait_until

from ragvigil import attributes as names
from ragvigil_monitor.store import Store

MAX_BODY = 100_000
TRACE = traces(*rag_trace(0)).SerializeToString()
JSON = {"Content-Type": "application/json"}
GZIP = {**PROTOBUF, "Content-Encoding": "gzip"}


@pytest.fixture
def client(make_service: Any) -> Iterator[httpx.Client]:
    """A client of a service that takes bodies up to 100 kB and four requests at once."""
    service = make_service(NOW, server={"max_body_bytes": MAX_BODY, "max_waiting_requests": 4})
    with running_api(service) as url, httpx.Client(base_url=url, headers=PROTOBUF, timeout=30) as connected:
        yield connected


def message(answer: httpx.Response) -> str:
    """The text of an error in the protobuf form that OTLP asks for."""
    assert answer.headers["content-type"] == PROTOBUF["Content-Type"]
    return str(Status.FromString(answer.content).message)


def test_traces_are_stored_when_they_are_acknowledged(client: httpx.Client, totals: Any) -> None:
    answer = client.post("/v1/traces", content=TRACE)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == PROTOBUF["Content-Type"]
    assert not ExportTraceServiceResponse.FromString(answer.content).HasField("partial_success")
    assert totals() == {"spans_committed": 6}


@pytest.mark.parametrize("content_type", ["application/x-protobuf; charset=utf-8", "Application/X-Protobuf"])
def test_the_content_type_may_be_spelled_freely(client: httpx.Client, content_type: str) -> None:
    assert client.post("/v1/traces", content=TRACE, headers={"Content-Type": content_type}).status_code == 200


def test_gzip_is_accepted(client: httpx.Client, totals: Any) -> None:
    assert client.post("/v1/traces", content=gzip.compress(TRACE), headers=GZIP).status_code == 200
    assert totals() == {"spans_committed": 6}


def test_gzip_in_several_members_is_accepted(client: httpx.Client, totals: Any) -> None:
    body = gzip.compress(TRACE[:100]) + gzip.compress(TRACE[100:])
    assert client.post("/v1/traces", content=body, headers=GZIP).status_code == 200
    assert totals() == {"spans_committed": 6}


def test_an_empty_request_is_accepted(client: httpx.Client) -> None:
    assert client.post("/v1/traces", content=b"").status_code == 200


def test_rejected_spans_are_reported_and_the_others_stored(client: httpx.Client, totals: Any) -> None:
    body = traces(span(1, trace_id=b"short"), span(2), span(3, {names.STAGE_COST: -1})).SerializeToString()
    partial = ExportTraceServiceResponse.FromString(client.post("/v1/traces", content=body).content).partial_success
    assert partial.rejected_spans == 1
    assert partial.error_message == "flawed_bad_cost_usd: 1, rejected_bad_id: 1"
    assert totals() == {"spans_committed": 2, "rejected_bad_id": 1, "flawed_bad_cost_usd": 1}


def test_logs_are_stored_and_rejections_reported(client: httpx.Client, totals: Any) -> None:
    body = logs(record(attributes={names.FEEDBACK_ID: "f"}), record(names.EVENT_PROCESS_COUNTS)).SerializeToString()
    partial = ExportLogsServiceResponse.FromString(client.post("/v1/logs", content=body).content).partial_success
    assert partial.rejected_log_records == 1
    assert totals() == {"logs_committed": 1, "rejected_bad_process_counts": 1}


def test_metrics_are_accepted_and_said_to_be_unused(client: httpx.Client, totals: Any) -> None:
    answer = client.post("/v1/metrics", content=b"")
    partial = ExportMetricsServiceResponse.FromString(answer.content).partial_success
    assert answer.status_code == 200
    assert partial.rejected_data_points == 0
    assert "not use metrics" in partial.error_message
    wait_until(lambda: totals() == {"ignored_metrics": 1})


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs"])
@pytest.mark.parametrize("body", [b"\xff\xff", b"{}", TRACE[:-1]], ids=["bytes", "json", "cut off"])
def test_a_malformed_body_is_refused_with_the_reason(client: httpx.Client, totals: Any, path: str, body: bytes) -> None:
    answer = client.post(path, content=body)
    assert answer.status_code == 400
    assert "in protobuf" in message(answer)


def test_what_was_refused_is_counted(client: httpx.Client, totals: Any) -> None:
    client.post("/v1/traces", content=b"\xff\xff")
    client.post("/v1/traces", content=TRACE)
    assert totals() == {"rejected_request_400": 1, "spans_committed": 6}


@pytest.mark.parametrize(
    "body",
    [TRACE, gzip.compress(TRACE)[:-20], gzip.compress(TRACE) + b"rubbish", zlib.compress(TRACE)],
    ids=["not compressed", "cut off", "rubbish behind", "zlib"],
)
def test_a_body_that_is_no_gzip_is_refused(client: httpx.Client, body: bytes) -> None:
    answer = client.post("/v1/traces", content=body, headers=GZIP)
    assert answer.status_code == 400
    assert "gzip" in message(answer)


@pytest.mark.parametrize("content_type", ["text/plain", ""], ids=["text", "none"])
def test_another_content_type_is_refused_with_the_right_ones(client: httpx.Client, content_type: str) -> None:
    answer = client.post("/v1/traces", content=TRACE, headers={"Content-Type": content_type})
    assert answer.status_code == 415
    assert "send application/x-protobuf or application/json" in answer.json()["message"]


def test_json_is_accepted_and_answered_in_json(client: httpx.Client, totals: Any) -> None:
    ids = {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "startTimeUnixNano": "1796007600000000000",
        "endTimeUnixNano": "1796007600250000000",
    }
    spans = [{**ids, "spanId": "eee19b7ec3c1b174"}, {**ids, "spanId": "short"}]
    body = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    answer = client.post("/v1/traces", json=body, headers=JSON)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "rejected_bad_id: 1"}}
    assert totals() == {"spans_committed": 1, "rejected_bad_id": 1}


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs", "/v1/metrics"])
def test_what_is_accepted_in_json_without_remarks_is_answered_with_an_object(client: httpx.Client, path: str) -> None:
    answer = client.post(path, content=b"{}", headers=JSON)
    assert answer.status_code == 200
    assert answer.json().keys() == ({"partialSuccess"} if path == "/v1/metrics" else set())


def test_a_refusal_of_json_is_a_status_in_json(client: httpx.Client, totals: Any) -> None:
    answer = client.post("/v1/traces", content=TRACE, headers=JSON)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("The body is not an ExportTraceServiceRequest in OTLP/JSON")


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_compressed_json_is_accepted(client: httpx.Client, encoding: str) -> None:
    compress = gzip.compress if encoding == "gzip" else zstandard.compress
    headers = {**JSON, "Content-Encoding": encoding}
    assert client.post("/v1/logs", content=compress(b"{}"), headers=headers).status_code == 200


def test_zstd_is_accepted(client: httpx.Client, totals: Any) -> None:
    headers = {"Content-Encoding": "zstd"}
    assert client.post("/v1/traces", content=zstandard.compress(TRACE), headers=headers).status_code == 200
    assert totals() == {"spans_committed": 6}


def test_another_encoding_is_refused_with_the_right_one(client: httpx.Client) -> None:
    answer = client.post("/v1/traces", content=TRACE, headers={"Content-Encoding": "br"})
    assert answer.status_code == 415
    assert "gzip" in message(answer)


def test_a_body_that_is_too_long_is_refused(client: httpx.Client) -> None:
    answer = client.post("/v1/traces", content=bytes(MAX_BODY + 1))
    assert answer.status_code == 413
    assert str(MAX_BODY) in message(answer)


def test_a_body_that_grows_too_long_is_refused(client: httpx.Client) -> None:
    bomb = gzip.compress(bytes(50 * MAX_BODY))
    assert len(bomb) < MAX_BODY
    answer = client.post("/v1/traces", content=bomb, headers=GZIP)
    assert answer.status_code == 413


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs", "/v1/metrics"])
def test_another_method_is_refused_with_the_right_one(client: httpx.Client, method: str, path: str) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("path", ["/v1/profiles", "/v1development/profiles", "/v1/traces/x", "/v1/"])
def test_an_unknown_path_is_refused_in_the_language_of_the_request(client: httpx.Client, path: str) -> None:
    answer = client.post(path, content=b"")
    assert (answer.status_code, message(answer)) == (404, "Not Found")
    assert client.post(path, content=b"{}", headers=JSON).json() == {"message": "Not Found"}


@pytest.mark.parametrize(("key", "status"), [("nobody's", 401), ("oncall", 403), ("ingest", 200), ("admin", 200)])
@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs", "/v1/metrics"])
def test_a_key_that_may_not_send_is_refused_with_the_reason(
    make_service: Any, key: str, status: int, path: str
) -> None:
    service = make_service(NOW)
    keys = {role.value: each for role, each in service.keys.by_role.items()}
    headers = {**PROTOBUF, "Authorization": f"Bearer {keys.get(key, key)}"}
    with running_api(service) as url:
        answer = httpx.post(f"{url}{path}", content=b"", headers=headers)
    assert answer.status_code == status
    assert status == 200 or "key" in message(answer)


def test_what_a_newer_sender_knows_is_left_out(client: httpx.Client, totals: Any) -> None:
    ids = {"traceId": "5B8EFFF798038103D269B633813FC60C", "spanId": "EEE19B7EC3C1B174"}
    times = {"startTimeUnixNano": 1796007600000000000, "endTimeUnixNano": "1796007600250000000"}
    newer = {**ids, **times, "kind": 99, "flags": 1, "novelty": {"a": [1]}, "status": {"code": 7, "other": 1}}
    body = {"resourceSpans": [{"scopeSpans": [{"spans": [newer], "more": 1}], "news": "x"}], "latest": None}
    assert client.post("/v1/traces", json=body, headers=JSON).json() == {}
    assert totals() == {"spans_committed": 1}


def test_overload_is_answered_with_try_later_and_nothing_acknowledged_is_lost(
    client: httpx.Client, memory_store: Store, totals: Any
) -> None:
    answers: list[httpx.Response] = []
    bodies = [traces(*rag_trace(number)).SerializeToString() for number in range(12)]
    url = client.base_url.join("/v1/traces")
    senders = [
        threading.Thread(target=lambda body=body: answers.append(httpx.post(url, content=body, headers=PROTOBUF)))
        for body in bodies
    ]
    with memory_store.transaction():
        for sender in senders:
            sender.start()
        while len(answers) < 8:
            threading.Event().wait(0.01)
    for sender in senders:
        sender.join()
    refused = [answer for answer in answers if answer.status_code == 503]
    assert len(refused) == 8
    assert {answer.headers["retry-after"] for answer in refused} == {"1"}
    assert [answer.status_code for answer in answers if answer not in refused] == [200] * 4
    assert totals() == {"spans_committed": 24}


def test_a_store_that_cannot_be_written_is_answered_with_try_later(make_service: Any) -> None:
    store = fresh_store()
    with running_api(make_service(NOW, store=store)) as url:
        store.close()
        answer = httpx.post(f"{url}/v1/traces", content=TRACE, headers=PROTOBUF)
    assert answer.status_code == 503
    assert 0 < int(answer.headers["retry-after"]) < 5  # a stock exporter takes 10 s for all its attempts
    assert "cannot be written" in message(answer)


def test_a_client_that_goes_away_in_the_middle_is_no_failure_of_ours(
    client: httpx.Client, totals: Any, caplog: pytest.LogCaptureFixture
) -> None:
    lines = ["POST /v1/traces HTTP/1.1", "Host: x", f"Content-Type: {PROTOBUF['Content-Type']}", "Content-Length: 9999"]
    head = "\r\n".join([*lines, "", ""])
    with socket.create_connection((client.base_url.host, client.base_url.port or 0)) as connection:
        connection.sendall(head.encode() + TRACE[:50])
    assert client.post("/v1/traces", content=TRACE).status_code == 200
    assert totals() == {"spans_committed": 6}
    assert "failed" not in caplog.text
    assert "Exception" not in caplog.text
