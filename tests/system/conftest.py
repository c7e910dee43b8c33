"""A real service, and a real application that sends to it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from tests.samples.monitors import Monitor, running_monitor

SHOP = Path(__file__).with_name("shop.py")


@pytest.fixture
def monitor(tmp_path: Path) -> Iterator[Monitor]:
    with running_monitor(tmp_path / "a.duckdb") as running:
        yield running


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
