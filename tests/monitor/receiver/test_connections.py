"""What senders do below the level of requests: slow, in pieces, too much, the same connection again."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.samples.otlp import NOW, PROTOBUF, rag_trace, traces
from tests.samples.servers import running_api
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ragvigil_monitor.cli.http_protocol import MAX_HEAD_BYTES, Patience, PatientProtocol

BODY = traces(*rag_trace(0)).SerializeToString()
POST = f"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: {PROTOBUF['Content-Type']}\r\n".encode()
WHOLE = POST + f"Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY
TIMEOUT_S = 0.5


class Impatient(PatientProtocol):
    head_timeout_s = TIMEOUT_S


class ImpatientH11(Patience, H11Protocol):
    head_timeout_s = TIMEOUT_S


class ImpatientHttpTools(Patience, HttpToolsProtocol):  # type: ignore[misc]  # it is typed on h11
    head_timeout_s = TIMEOUT_S


@pytest.fixture
def protocol() -> type:
    """The one that the service would choose; parametrize for another."""
    return Impatient


@pytest.fixture
def url(make_service: Any, protocol: type) -> Iterator[str]:
    """A service that waits half a second for headers and bodies, and takes bodies up to 100 kB."""
    service = make_service(NOW, server={"max_body_bytes": 100_000, "body_timeout_s": TIMEOUT_S})
    with running_api(service, protocol) as address:
        yield address


@pytest.fixture
def connection(url: str) -> Iterator[socket.socket]:
    address = httpx.URL(url)
    with socket.create_connection((address.host, address.port or 0), timeout=30) as connected:
        yield connected


def first_line(connection: socket.socket) -> bytes:
    """The status line of the next answer, its head and body read; empty when the connection is closed instead."""
    file = connection.makefile("rb")
    line = file.readline()
    length = 0
    while (header := file.readline().lower()) not in {b"\r\n", b""}:
        length = int(header.split(b":")[1]) if header.startswith(b"content-length") else length
    file.read(length)
    return line.strip()


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side closes without an answer, soon."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_one_connection_serves_many_requests(connection: socket.socket) -> None:
    for _ in range(3):
        connection.sendall(WHOLE)
        assert first_line(connection) == b"HTTP/1.1 200 OK"


def test_a_body_in_chunks_without_a_length_is_taken(connection: socket.socket, totals: Any) -> None:
    connection.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
    for start in range(0, len(BODY), 1000):
        part = BODY[start : start + 1000]
        connection.sendall(f"{len(part):x}\r\n".encode() + part + b"\r\n")
    connection.sendall(b"0\r\n\r\n")
    assert first_line(connection) == b"HTTP/1.1 200 OK"
    assert totals() == {"spans_committed": 6}


def test_chunks_that_grow_too_long_are_refused(connection: socket.socket) -> None:
    connection.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
    connection.sendall((b"8000\r\n" + bytes(0x8000) + b"\r\n") * 4)
    assert first_line(connection).startswith(b"HTTP/1.1 413")


def test_who_expects_to_be_told_goes_on_when_told(connection: socket.socket) -> None:
    connection.sendall(POST + f"Expect: 100-continue\r\nContent-Length: {len(BODY)}\r\n\r\n".encode())
    assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    connection.sendall(BODY)
    assert first_line(connection) == b"HTTP/1.1 200 OK"


def test_who_expects_to_be_told_is_refused_before_sending_too_much(connection: socket.socket) -> None:
    connection.sendall(POST + b"Expect: 100-continue\r\nContent-Length: 100001\r\n\r\n")
    assert first_line(connection).startswith(b"HTTP/1.1 413")


def test_who_sends_all_of_a_body_that_is_refused_reads_why_and_may_go_on(connection: socket.socket) -> None:
    connection.sendall(POST + b"Content-Length: 3000000\r\n\r\n" + bytes(3_000_000))
    assert first_line(connection).startswith(b"HTTP/1.1 413")
    connection.sendall(WHOLE)
    assert first_line(connection) == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize("protocol", [ImpatientH11, ImpatientHttpTools], ids=["h11", "httptools"])
def test_the_next_head_may_come_in_pieces_and_late_after_a_refused_body(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(POST + b"Content-Length: 3000000\r\n\r\n" + bytes(1_000_000))
    assert first_line(connection).startswith(b"HTTP/1.1 413")
    connection.sendall(bytes(2_000_000))
    connection.settimeout(3 * TIMEOUT_S)
    with pytest.raises(TimeoutError):
        connection.recv(1)
    connection.settimeout(30)
    for start in range(0, len(POST), 20):
        connection.sendall(WHOLE[start : start + 20])
        time.sleep(0)
    connection.sendall(WHOLE[start + 20 :])
    assert first_line(connection) == b"HTTP/1.1 200 OK"


def test_a_length_that_is_too_long_is_refused_before_the_body_is_sent(connection: socket.socket) -> None:
    connection.sendall(POST + b"Content-Length: 99999999999\r\n\r\n")
    assert first_line(connection).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("length", [b"-1", b"many", b"1\r\nContent-Length: 2"])
def test_a_length_that_is_none_is_refused(connection: socket.socket, length: bytes) -> None:
    connection.sendall(POST + b"Content-Length: " + length + b"\r\n\r\n")
    assert first_line(connection).startswith(b"HTTP/1.1 400")


def test_a_body_that_does_not_arrive_in_time_may_be_sent_again(connection: socket.socket, totals: Any) -> None:
    connection.sendall(WHOLE[:-1])
    assert first_line(connection).startswith(b"HTTP/1.1 503")
    assert totals() == {}


@pytest.mark.parametrize("said", [b"", b"POST /v1/tr", POST], ids=["nothing", "half a line", "half a head"])
def test_a_connection_that_says_too_little_is_closed(connection: socket.socket, said: bytes) -> None:
    connection.sendall(said)
    began = time.monotonic()
    assert is_closed(connection)
    assert time.monotonic() - began < 10


def test_a_head_that_trickles_is_closed_in_the_same_time(connection: socket.socket) -> None:
    connection.settimeout(0.05)
    deadline = time.monotonic() + 10
    connection.sendall(POST)
    while time.monotonic() < deadline:
        try:
            connection.sendall(b"X: y\r\n")
            if not connection.recv(1):
                return
        except TimeoutError:
            continue
        except OSError:
            return
    raise AssertionError("the connection is still open")


def test_an_idle_connection_is_kept_between_requests(connection: socket.socket) -> None:
    connection.sendall(WHOLE)
    assert first_line(connection) == b"HTTP/1.1 200 OK"
    connection.settimeout(3 * TIMEOUT_S)
    with pytest.raises(TimeoutError):
        connection.recv(1)
    connection.settimeout(30)
    connection.sendall(WHOLE)
    assert first_line(connection) == b"HTTP/1.1 200 OK"


def test_headers_without_end_are_closed(connection: socket.socket) -> None:
    endless = POST + b"X: " + b"y" * (1000 * MAX_HEAD_BYTES)
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        connection.sendall(endless)


def test_a_service_full_of_silent_connections_answers_others(url: str) -> None:
    address = httpx.URL(url)
    silent = [socket.create_connection((address.host, address.port or 0)) for _ in range(100)]
    for each in silent:
        each.sendall(WHOLE[:-1])
    assert httpx.post(f"{url}/v1/traces", content=BODY, headers=PROTOBUF, timeout=30).status_code == 200
    for each in silent:
        each.close()
