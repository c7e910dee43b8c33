"""`ragvigil serve` with a Phoenix in its settings: forwards, stops in order, remembers what it lost."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from tests.samples.otlp import PROTOBUF, rag_trace, traces
from tests.samples.servers import free_port, wait_until

from ragvigil.testing import Receiver
from ragvigil_monitor.cli.processes import start_serve
from ragvigil_monitor.keys import Role


@contextmanager
def serving(folder: Path, url: str) -> Iterator[httpx.Client]:
    config = folder / "ragvigil.yaml"
    config.write_text(json.dumps({"schedule": {"tick_s": 0}, "phoenix": {"url": url, "share": 1.0}}))
    running = start_serve(config=config, db=folder / "a.duckdb", port=0)
    headers = {"Authorization": f"Bearer {running.keys.by_role[Role.ADMIN]}"}
    try:
        with httpx.Client(base_url=running.url, headers=headers, timeout=30) as client:
            yield client
    finally:
        code = running.stop()
    assert code == 0


def state(client: httpx.Client) -> Any:
    return client.get("/api/v1/phoenix").raise_for_status().json()


def send(client: httpx.Client, number: int) -> None:
    body = traces(*rag_trace(number, started_at=datetime.now(UTC))).SerializeToString()
    client.post("/v1/traces", content=body, headers=PROTOBUF).raise_for_status()


def test_what_was_lost_at_the_end_is_counted_by_the_next_run(tmp_path: Path, phoenix: Receiver) -> None:
    with serving(tmp_path, f"http://127.0.0.1:{free_port()}") as client:
        send(client, 1)
        wait_until(lambda: state(client)["failing_since"] is not None, 30)
        assert (state(client)["waiting"], state(client)["dropped"]) == (6, 0)
    with serving(tmp_path, phoenix.endpoint) as client:
        assert (state(client)["waiting"], state(client)["dropped"], state(client)["failing_since"]) == (0, 6, None)
        send(client, 2)
        wait_until(lambda: state(client)["forwarded"] == 6, 30)
    assert len(phoenix.spans) == 6
