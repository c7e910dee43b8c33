"""What the doctor says of receivers that are not there, not ours, or hostile; over real sockets."""

import json
import socket
import ssl
import subprocess
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from tests.samples.servers import free_port

from ragvigil.attributes import SERVER_HEADER
from ragvigil.doctor.command import run
from ragvigil.doctor.fetching import within
from ragvigil.testing import Receiver, Reply

from .conftest import Examine

Talk = Callable[[socket.socket], None]


@contextmanager
def serving(talk: Talk, family: socket.AddressFamily = socket.AF_INET) -> Iterator[str]:
    """A TCP server that lets `talk` speak on every connection; yields its address."""
    host = "127.0.0.1" if family == socket.AF_INET else "::1"
    with socket.create_server((host, 0), family=family) as listener:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=_talk, args=[talk, connection], daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        shown = host if family == socket.AF_INET else f"[{host}]"
        yield f"http://{shown}:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def _talk(talk: Talk, connection: socket.socket) -> None:
    with suppress(OSError), connection:
        connection.settimeout(10)
        talk(connection)


def answering(response: bytes) -> Talk:
    """Read a request, and answer it with these bytes."""

    def talk(connection: socket.socket) -> None:
        received = connection.recv(65536)
        head, _, body = received.partition(b"\r\n\r\n")
        lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        while lengths and len(body) < int(lengths[0]):
            body += connection.recv(65536)
        connection.sendall(response)

    return talk


def http(status: str, body: bytes = b"", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed certificate and its key in one file."""
    file = tmp_path / "server.pem"
    options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    subprocess.run(
        ["openssl", "req", *options, "-keyout", file, "-out", tmp_path / "cert.pem"], check=True, capture_output=True
    )
    file.write_text(file.read_text() + (tmp_path / "cert.pem").read_text())
    return file


def test_nobody_listens(examine: Examine) -> None:
    found = examine("--endpoint", f"http://127.0.0.1:{free_port()}")
    assert found.status == 1
    assert found.of("sending traces")["detail"] == "nobody listens there"
    assert "sending logs" not in [finding["check"] for finding in found.findings]
    assert found.of("monitor")["verdict"] == "problem"


def test_the_name_is_not_known(examine: Examine) -> None:
    found = examine("--endpoint", "http://nowhere.invalid:4318")
    assert found.of("sending traces")["detail"] == "the name of the host is not known"


def test_tls_to_a_plain_port(examine: Examine) -> None:
    with serving(answering(http("400 Bad Request"))) as address:
        found = examine("--endpoint", address.replace("http:", "https:"))
    assert found.of("sending traces")["detail"] == "it does not speak TLS at this port"


def test_plain_http_to_a_tls_port_and_an_untrusted_certificate(examine: Examine, certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def talk(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            answering(http("200 OK"))(secured)

    with serving(talk) as address:
        plain = examine("--endpoint", address).of("sending traces")
        secured = examine("--endpoint", address.replace("http:", "https:")).of("sending traces")
    assert plain["verdict"] == "problem"
    assert "https://" in plain["advice"]
    assert secured["detail"] == "its certificate is not trusted"


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        ("400 Bad Request", "no OTLP receiver"),
        ("401 Unauthorized", "send the ingest key"),
        ("403 Forbidden", "use the ingest key"),
        ("404 Not Found", "correct the path"),
        ("405 Method Not Allowed", "takes no POST"),
        ("413 Content Too Large", "body limit"),
        ("415 Unsupported Media Type", "COMPRESSION"),
        ("429 Too Many Requests", "overloaded"),
        ("500 Internal Server Error", "look into the log"),
        ("503 Service Unavailable", "overloaded"),
        ("302 Found", "look into the log"),
    ],
)
def test_a_refusal_says_what_to_do(examine: Examine, status: str, advice: str) -> None:
    with serving(answering(http(status, b"because", "Location: http://127.0.0.1:1/"))) as address:
        found = examine("--endpoint", address)
    assert found.status == 1
    detail = found.of("sending traces")["detail"]
    assert detail.startswith(f"refused: HTTP {status[:3]} ")
    assert detail.endswith(": because")
    assert advice in found.of("sending traces")["advice"]


def test_a_web_page_that_says_yes_is_no_monitor(examine: Examine) -> None:
    page = http("200 OK", b"<html>Welcome to nginx", "Content-Type: text/html")
    with serving(answering(page)) as address:
        found = examine("--endpoint", address)
    assert found.status == 1
    assert "is no Ragvigil monitor" in found.of("monitor")["detail"]


def test_another_receiver_such_as_phoenix_is_no_monitor(examine: Examine, receiver: Receiver) -> None:
    found = examine("--endpoint", receiver.endpoint)
    assert found.status == 1
    assert found.of("sending traces")["verdict"] == "ok"
    assert "Phoenix" in found.of("monitor")["detail"]
    (span,) = receiver.spans
    assert span.attributes["ragvigil.probe.id"] == f"doctor-{span.trace_id}"
    assert span.resource["service.name"] == "ragvigil-doctor"
    assert "ragvigil.answer.id" not in span.attributes


def test_spans_that_are_rejected_are_a_problem(examine: Examine, receiver: Receiver) -> None:
    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = 1
    answer.partial_success.error_message = "no room"
    receiver.answers = [Reply(body=answer.SerializeToString())]
    assert examine("--endpoint", receiver.endpoint).of("sending traces")["detail"] == "rejected: HTTP 200 OK: no room"


def dripping(connection: socket.socket) -> None:
    """One byte now and then: no single read takes long, the whole for ever."""
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for _ in range(1000):
        connection.sendall(b"x")
        time.sleep(0.05)


def silent(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


@pytest.mark.parametrize("talk", [dripping, silent])
def test_a_slow_server_has_a_deadline(examine: Examine, talk: Talk) -> None:
    with serving(talk) as address:
        began = time.monotonic()
        found = examine("--endpoint", address, "--timeout", "0.5")
        took_s = time.monotonic() - began
    assert found.of("sending traces")["detail"] == "no answer within the time allowed"
    assert found.of("monitor")["verdict"] == "problem"
    assert took_s < 5


@pytest.mark.parametrize(
    "response",
    [b"", b"\x00\x00\x06\x04\x00", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 \xff\xfe\r\n\r\n", http("200 OK")[:8]],
    ids=["closes", "http2", "ssh", "bytes", "half"],
)
def test_what_speaks_no_http_is_a_problem(examine: Examine, response: bytes) -> None:
    with serving(answering(response)) as address:
        found = examine("--endpoint", address)
    assert found.status == 1
    assert found.of("sending traces")["verdict"] == "problem"


def test_ipv6_addresses_work(examine: Examine) -> None:
    with serving(answering(http("401 Unauthorized")), socket.AF_INET6) as address:
        found = examine("--endpoint", address)
    assert "HTTP 401" in found.of("sending traces")["detail"]
    assert "[::1]" in found.of("endpoint")["detail"]


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (http("401 Unauthorized"), "refuses the API key"),
        (http("404 Not Found"), "does not know this question"),
        (http("500 Internal Server Error"), "answers HTTP 500"),
        (http("200 OK", b"<html>"), "something else than JSON"),
        (http("200 OK", b"\xff\xfe"), "something else than JSON"),
    ],
)
def test_an_api_that_does_not_answer_is_told(
    examine: Examine, monkeypatch: pytest.MonkeyPatch, response: bytes, said: str
) -> None:
    def talk(connection: socket.socket) -> None:
        request = connection.recv(65536)
        healthy = http("200 OK", b"{}", f"{SERVER_HEADER}: monitor")
        assert b"an-oncall-key" not in request or b"/api/v1/" in request
        connection.sendall(healthy if b"/healthz" in request else response)

    monkeypatch.setenv("RAGVIGIL_API_KEY", "an-oncall-key")
    with serving(talk) as address:
        found = examine("--endpoint", f"http://127.0.0.1:{free_port()}", "--api", address)
    assert any(said in finding["detail"] for finding in found.findings)
    assert all("an-oncall-key" not in str(finding) for finding in found.findings)


@pytest.mark.parametrize("body", [b"null", b"3", b'"x"', b"[1, null]", b'{"problems": 3, "spans": "many"}'])
def test_json_of_another_shape_hurts_nobody(examine: Examine, monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    monkeypatch.setenv("RAGVIGIL_API_KEY", "k")
    with serving(answering(http("200 OK", body, f"{SERVER_HEADER}: monitor"))) as address:
        found = examine("--endpoint", address, "--timeout", "0.5")
    assert found.of("services")["detail"] == "nothing arrived in the last 24 h"
    assert found.of("arrival")["verdict"] == "problem"


@pytest.mark.parametrize("key", ["line\nbreak", "漢字"])
def test_a_key_that_no_header_can_hold_is_not_printed(
    examine: Examine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"oncall": key}))
    with serving(answering(http("200 OK", b"[]", f"{SERVER_HEADER}: monitor"))) as address:
        found = examine("--endpoint", address, "--key-file", str(file))
    assert "the request cannot be made" in "".join(finding["detail"] for finding in found.findings)
    assert all(key not in str(finding) for finding in found.findings)


def test_a_header_that_cannot_be_sent_is_not_printed(
    examine: Examine, monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20s3cr3t%0Ax")
    found = examine("--endpoint", receiver.endpoint)
    assert found.of("sending traces")["detail"].startswith("the request cannot be made")
    assert all("s3cr3t" not in str(finding) for finding in found.findings)


@pytest.mark.parametrize("address", ["user:s3cr3t@{}/?token=s3cr3t", "user:s3cr3t@127.0.0.1:1", "user:s3cr3t@h:99999"])
@pytest.mark.parametrize("option", ["--api", "--endpoint"])
def test_a_secret_in_an_address_is_not_printed(examine: Examine, receiver: Receiver, option: str, address: str) -> None:
    url = "http://" + address.format(receiver.endpoint.removeprefix("http://"))
    found = examine(*(["--endpoint", receiver.endpoint] if option == "--api" else []), option, url)
    assert "problem" in {finding["verdict"] for finding in found.findings}
    assert all("s3cr3t" not in str(finding) for finding in found.findings)


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"admin": "x"}', "\ud800"])
def test_a_key_file_without_a_key_is_a_usage_error(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "keys.json"
    if content is not None:
        file.write_bytes(content.encode("utf-8", "surrogatepass"))
    assert run(Namespace(key_file=file)) == 2


@pytest.mark.parametrize("timeout", ["0", "-1", "nan", "inf", "soon", "1e9"])
def test_a_timeout_that_is_none_is_a_usage_error(examine: Examine, timeout: str) -> None:
    with pytest.raises(SystemExit) as ended:
        examine("--timeout", timeout)
    assert ended.value.code == 2


def test_a_wrong_endpoint_is_told_once_and_nothing_is_sent(examine: Examine) -> None:
    found = examine("--endpoint", "monitor:4318")
    assert found.status == 1
    assert [finding["check"] for finding in found.findings if finding["verdict"] == "problem"] == ["endpoint"]


def test_work_that_ends_in_time_gives_what_it_gives() -> None:
    assert within(5, lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0)
