"""`ragvigil up`: service and pages together, from start to end."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import httpx
import pytest
from tests.samples.process_tree import children, runs
from tests.samples.servers import free_port, wait_until

Up = subprocess.Popen[str]


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    """A running `ragvigil up` on free ports."""
    options = ["--db", str(tmp_path / "a.duckdb"), "--port", "0", "--page-port", str(free_port())]
    options += ["--review-page-port", str(free_port())]
    process = subprocess.Popen(
        [sys.executable, "-m", "ragvigil", "up", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    yield process
    process.terminate()
    process.communicate(timeout=60)


def addresses(up: Up) -> list[str]:
    """Where the service and its two pages are, as printed once all answer."""
    assert up.stdout is not None
    return [found(up.stdout) for _ in range(3)]


def found(output: IO[str]) -> str:
    line = output.readline()
    match = re.search(r"http://\S+", line)
    assert match, line
    return match[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_all_answer_and_all_end_together(up: Up, number: signal.Signals) -> None:
    service, *pages = addresses(up)
    assert httpx.get(f"{service}/readyz").status_code == 200
    assert [httpx.get(page).status_code for page in pages] == [200, 200]
    started = children(up.pid)
    assert len(started) == 3
    up.send_signal(number)
    assert up.wait(60) == 0
    assert not [pid for pid in started if runs(pid)]


def test_when_one_ends_the_others_are_stopped_and_the_exit_code_tells(up: Up) -> None:
    addresses(up)
    started = children(up.pid)
    os.kill(started[0], signal.SIGKILL)
    assert up.wait(60) == 1
    wait_until(lambda: not [pid for pid in started if runs(pid)])
    assert up.stderr is not None
    assert "ended on its own with code -9" in up.stderr.read()


def test_a_service_that_cannot_start_ends_everything(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ragvigil", "up", "--config", str(tmp_path / "nowhere.yaml")]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 1
    assert "nowhere.yaml" in finished.stderr
    assert "Traceback" not in finished.stderr
