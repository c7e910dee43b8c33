"""The real service in a process, and a client that asks it what arrived."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.keys import Role

SHOP = Path(__file__).with_name("shop.py")


@dataclass(frozen=True, slots=True)
class Monitor:
    """A running `ragvigil serve`, its file, and a client with the admin key."""

    serving: ServeProcess
    database: Path
    client: httpx.Client

    @property
    def url(self) -> str:
        """Where telemetry goes."""
        return self.serving.url

    def get(self, path: str) -> Any:
        """The JSON of a GET below /api/v1."""
        return self.client.get(path).raise_for_status().json()

    def only_answer(self) -> dict[str, Any]:
        """Everything about the one answer that is stored, or fail."""
        (row,) = self.get("/answers")
        (answer,) = self.get(f"/answers/{row['trace_id']}")
        return dict(answer)

    def outcomes(self) -> dict[str, int]:
        """What became of what was received, over all services."""
        return {row["outcome"]: row["items"] for row in self.get("/ingest")}

    def run_jobs(self) -> None:
        """Run every job that is due now."""
        self.client.post("/admin/run-due", json={}).raise_for_status()


@pytest.fixture
def monitor(tmp_path: Path) -> Iterator[Monitor]:
    database = tmp_path / "a.duckdb"
    serving = start_serve(db=database, port=0)
    headers = {"Authorization": f"Bearer {serving.keys.by_role[Role.ADMIN]}"}
    with httpx.Client(base_url=f"{serving.url}/api/v1", headers=headers, timeout=30) as client:
        yield Monitor(serving, database, client)
    serving.stop()


@pytest.fixture
def start_shop(monitor: Monitor) -> Iterator[Callable[..., httpx.Client]]:
    """Starts the app that sends to the monitor; a client of it."""
    started: list[tuple[subprocess.Popen[str], httpx.Client]] = []

    def start(*options: str) -> httpx.Client:
        command = [sys.executable, str(SHOP), monitor.url, *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        client = httpx.Client(base_url=process.stdout.readline().strip(), timeout=30)
        started.append((process, client))
        return client

    yield start
    for process, client in started:
        client.close()
        process.terminate()
        process.communicate(timeout=30)
