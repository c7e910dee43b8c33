"""Whoever asks for an export and does not read it holds nothing of the store for long."""

import random
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from tests.samples.otlp import rag_trace, traces
from tests.samples.servers import running_api, running_service, wait_until

from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.store import Store

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
PATHS = ["whole-export", "export/spans?day=2026-11-30"]


@pytest.fixture(scope="module")
def large() -> Iterator[Store]:
    """A store of which an export is far longer than what waits in the buffers of a connection."""
    store, chance = Store.open(None), random.Random(5)
    for number in range(300):
        text = chance.randbytes(40_000).hex()
        batch = decode_traces(
            traces(
                *rag_trace(number, started_at=NOW - timedelta(seconds=number)), resource={"text": text}
            ).SerializeToString(),
            microseconds(NOW),
        )
        with store.transaction() as writer:
            write(writer, batch, NOW)
    yield store
    store.close()


def asked(url: str, key: str, path: str) -> socket.socket:
    """A connection on which an export was asked for and begins."""
    address = httpx.URL(url)
    connection = socket.create_connection((address.host, address.port or 0), timeout=30)
    connection.sendall(
        f"GET /api/v1/admin/{path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
    )
    assert connection.recv(100).startswith(b"HTTP/1.1 200")
    return connection


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("leaves", [True, False], ids=["leaves", "does not read"])
def test_the_transaction_of_an_export_ends_with_its_reader(large: Store, path: str, leaves: bool) -> None:
    keys, patience = Keys.generate(), {"body_timeout_s": 3600 if leaves else 0.5}
    with running_service(large, keys, lambda: NOW, server=patience) as service, running_api(service) as url:
        with asked(url, keys.by_role[Role.ADMIN], path) as connection:
            wait_until(lambda: large._instance._readers == 1)
            if leaves:
                connection.close()
            wait_until(lambda: large._instance._readers == 0)
        assert httpx.get(f"{url}/healthz", trust_env=False).is_success
