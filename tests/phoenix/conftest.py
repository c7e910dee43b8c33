"""A real Phoenix, a real `ragvigil serve` that forwards to it, and a real app that sends to that."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.phoenix.process import PROGRAM, PhoenixProcess
from tests.samples.servers import wait_until

from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.keys import Role

SHOP = Path(__file__).parents[1] / "system" / "shop.py"
STORED_WITHIN_S = 120
REVIEW = {"uniform_share": 1.0, "matures_h": 1, "second_label_share": 0.0}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave these tests out, and say how to run them, unless they were asked for."""
    if "phoenix" in config.getoption("-m"):
        return
    reason = "with a real Phoenix only on request: make test-phoenix"
    for item in items:
        if item.get_closest_marker("phoenix"):
            item.add_marker(pytest.mark.skip(reason=reason))


@dataclass(frozen=True, slots=True)
class Monitor:
    """A running `ragvigil serve`, and a client with the admin key."""

    serving: ServeProcess
    client: httpx.Client

    def get(self, path: str) -> Any:
        """The JSON of a GET below /api/v1."""
        return self.client.get(path).raise_for_status().json()

    def post(self, path: str, body: Any) -> Any:
        """The JSON of a POST below /api/v1."""
        return self.client.post(path, json=body).raise_for_status().json()

    def run_jobs(self) -> None:
        """Run every job that is due now; none may fail."""
        self.post("/admin/run-due", {})
        assert [each for each in self.get("/status")["problems"] if each["part"].startswith("job")] == []

    def await_forwarded(self, spans: int) -> None:
        """Wait until Phoenix has taken so many spans."""
        wait_until(lambda: self.get("/phoenix")["forwarded"] >= spans, STORED_WITHIN_S)


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhoenixProcess]:
    if not PROGRAM.exists():
        pytest.fail(f"There is no {PROGRAM}; `make setup-phoenix` installs it.")
    process = PhoenixProcess(tmp_path_factory.mktemp("phoenix"))
    try:
        process.start()
        yield process
    finally:
        process.stop()


@pytest.fixture(scope="module")
def monitor(phoenix: PhoenixProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Monitor]:
    """It forwards every trace; its jobs run on request."""
    folder = tmp_path_factory.mktemp("monitor")
    config = folder / "ragvigil.yaml"
    settings = {"schedule": {"tick_s": 0}, "review": REVIEW, "phoenix": {"url": phoenix.url, "share": 1.0}}
    config.write_text(json.dumps(settings))
    serving = start_serve(config=config, db=folder / "a.duckdb", port=0)
    headers = {"Authorization": f"Bearer {serving.keys.by_role[Role.ADMIN]}"}
    with httpx.Client(base_url=f"{serving.url}/api/v1", headers=headers, timeout=30) as client:
        yield Monitor(serving, client)
    serving.stop()


@pytest.fixture(scope="module")
def shop(monitor: Monitor) -> Iterator[httpx.Client]:
    """The instrumented app, as a client of it."""
    process = subprocess.Popen([sys.executable, str(SHOP), monitor.serving.url], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with httpx.Client(base_url=process.stdout.readline().strip(), timeout=30) as client:
        yield client
    process.terminate()
    process.communicate(timeout=30)
