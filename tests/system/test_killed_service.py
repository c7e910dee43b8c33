"""`kill -9` of the service while clients send: whatever was acknowledged is in the file, once."""

import os
import signal
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from tests.samples.otlp import PROTOBUF, rag_trace, traces

from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.store import Store


def body(number: int) -> bytes:
    return traces(*rag_trace(number, started_at=datetime.now(UTC))).SerializeToString()


def send_until_killed(serving: ServeProcess, numbers: range, acknowledged: list[int]) -> None:
    """Send one trace a request until the service is gone; note which were acknowledged."""
    with httpx.Client(base_url=serving.url, headers=PROTOBUF) as client:
        for number in numbers:
            try:
                answer = client.post("/v1/traces", content=body(number))
            except httpx.TransportError:
                return
            if answer.status_code == 200:
                acknowledged.append(number)


def answers_in(database: Path) -> list[str]:
    store = Store.open(database)
    now, day = datetime.now(UTC), timedelta(days=1)
    rows = store.rows("answers_newest", start=now - day, end=now + day, intent=None, limit=1_000_000)
    store.close()
    return [row["answer_id"] for row in rows]


@pytest.mark.parametrize("after", [1, 25, 60])
def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path, after: int) -> None:
    serving = start_serve(db=tmp_path / "a.duckdb", port=0)
    acknowledged: list[int] = []
    senders = [
        threading.Thread(target=send_until_killed, args=[serving, range(begin, begin + 10_000), acknowledged])
        for begin in (0, 10_000, 20_000)
    ]
    for sender in senders:
        sender.start()
    while len(acknowledged) < after:
        threading.Event().wait(0.005)
    os.kill(serving.child.pid, signal.SIGKILL)
    for sender in senders:
        sender.join()
    serving.stop()
    stored = answers_in(tmp_path / "a.duckdb")
    assert {f"answer-{number}" for number in acknowledged} <= set(stored)
    assert len(stored) == len(set(stored))
    assert len(stored) <= len(acknowledged) + len(senders)
