"""An answer that is made while it is sent: who reads slowly gets it whole, who does not read is given up."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from starlette.types import Message
from tests.samples.servers import running_app, running_service, wait_until

from ragvigil_monitor.api.transfer import MadeWhileRead
from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

PATIENCE_S = 0.6
CHUNK = bytes(range(256)) * 40_000
"""As large as the largest, 10 MB."""

Serve = Callable[[Generator[bytes]], str]


@pytest.fixture
def service() -> Iterator[Service]:
    store = Store.open(None)
    with running_service(store, Keys.generate(), server={"body_timeout_s": PATIENCE_S}) as running:
        yield running
    store.close()


@pytest.fixture
def serve(service: Service) -> Iterator[Serve]:
    """Answers every request with what a generator makes; returns the address."""
    with ExitStack() as running:

        def start(chunks: Generator[bytes]) -> str:
            async def app(scope: Any, receive: Any, send: Any) -> None:
                if scope["type"] == "http":
                    await MadeWhileRead(chunks, "a/b", service)(scope, receive, send)

            return running.enter_context(running_app(app))

        yield start


def asked(address: str) -> socket.socket:
    """A connection with a small buffer on which the answer was asked for."""
    url = httpx.URL(address)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 2**10)
    connection.settimeout(30)
    connection.connect((url.host, url.port or 0))
    connection.sendall(b"GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
    return connection


def read_for(connection: socket.socket, bytes_per_s: float) -> int:
    """Read to the end, steadily and no faster than that; how many bytes there were."""
    read, began = 0, time.monotonic()
    while received := connection.recv(64 * 2**10):
        read += len(received)
        while read / bytes_per_s > time.monotonic() - began:
            time.sleep(0.005)
    return read


def test_who_reads_a_large_chunk_slowly_but_steadily_gets_all_of_it(serve: Serve) -> None:
    with asked(serve(each for each in [CHUNK, CHUNK])) as connection:
        began = time.monotonic()
        assert read_for(connection, len(CHUNK) / PATIENCE_S / 2.5) > 2 * len(CHUNK)
        assert time.monotonic() - began > 3 * PATIENCE_S


def test_what_is_sent_in_pieces_is_what_was_made(serve: Serve) -> None:
    chunks = [b"", b"a", CHUNK[: 64 * 2**10], CHUNK[: 64 * 2**10 + 1], CHUNK]
    assert httpx.get(serve(each for each in chunks), trust_env=False).content == b"".join(chunks)


def test_who_does_not_read_is_given_up(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    ended = []

    def chunks() -> Generator[bytes]:
        try:
            while True:
                yield CHUNK
        finally:
            ended.append("closed")

    with caplog.at_level(logging.WARNING), asked(serve(chunks())):
        wait_until(lambda: ended == ["closed"])
    assert "nobody took any of it for 0.6 s" in caplog.text


def test_a_stop_while_a_chunk_is_made_lets_go_of_it_when_that_is_done(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    making, may_go_on, ended_in = threading.Event(), threading.Event(), []

    def chunks() -> Generator[bytes]:
        try:
            making.set()
            yield b"late" * may_go_on.wait(30)
        finally:
            ended_in.append(threading.current_thread())

    async def stopped() -> None:
        async def receive() -> Message:
            await asyncio.Event().wait()
            raise AssertionError("nobody leaves")

        async def send(_: Message) -> None:
            """Take everything."""

        answer = asyncio.create_task(MadeWhileRead(chunks(), "a/b", service)({"type": "http"}, receive, send))
        assert await asyncio.to_thread(making.wait, 30)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()  # as a server does that stops: also what waits for the thread
        await asyncio.wait_for(answer, 30)
        assert not ended_in
        may_go_on.set()
        await asyncio.to_thread(wait_until, lambda: len(ended_in) == 1)

    with caplog.at_level(logging.WARNING):
        asyncio.run(stopped())
    assert ended_in != [threading.main_thread()]
    assert "the service stops" in caplog.text


def test_a_store_that_fails_meanwhile_ends_the_answer_with_one_line(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    def chunks() -> Generator[bytes]:
        yield b"begins"
        raise StoreUnavailable("The database cannot be read now: a block of it.")

    with caplog.at_level(logging.WARNING), pytest.raises(httpx.RemoteProtocolError):
        httpx.get(serve(chunks()), trust_env=False)
    assert "given up: The database cannot be read now: a block of it." in caplog.text
    assert "Traceback" not in caplog.text
