"""Databases with traffic in them, and one that another process has open."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.samples.otlp import NOW
from tests.samples.traffic import traffic

from ragvigil_monitor.store import Store

ANSWERS = 40
HOLD = "import sys, duckdb\nheld = duckdb.connect(sys.argv[1])\nprint('open', flush=True)\nsys.stdin.read()"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database at rest; its name needs quotes in SQL."""
    path = tmp_path / 'it\'s a "store".duckdb'
    store = Store.open(path)
    traffic(NOW, days=1, per_day=ANSWERS, slow_from=NOW - timedelta(hours=1)).insert(store)
    store.close()
    return path


@pytest.fixture
def is_held() -> Iterator[Callable[[Path], bool]]:
    """Has another process open a database until the end of the test; whether it could."""
    started: list[subprocess.Popen[str]] = []

    def hold(path: Path) -> bool:
        command = [sys.executable, "-c", HOLD, str(path)]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True)
        started.append(process)
        assert process.stdout is not None
        return process.stdout.readline() == "open\n"

    yield hold
    for process in started:
        process.communicate()


@pytest.fixture
def held(tmp_path: Path, is_held: Callable[[Path], bool]) -> Path:
    """A database that another process has open."""
    assert is_held(tmp_path / "held.duckdb")
    return tmp_path / "held.duckdb"
