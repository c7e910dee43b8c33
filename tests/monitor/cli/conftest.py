"""Commands in processes of their own."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragvigil_monitor.cli.processes import ServeProcess, start_serve

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def ragvigil(tmp_path: Path) -> Command:
    """Runs a command to its end, in an empty folder; with what it printed."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ragvigil", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)

    return run


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[ServeProcess]:
    """A running `ragvigil serve` on a free port."""
    process = start_serve(db=tmp_path / "a.duckdb", port=0)
    yield process
    process.stop()
