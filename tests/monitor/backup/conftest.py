"""Databases with traffic in them, and one that another process has open."""

import subprocess
import sys
from collections.abc import Iterator
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
def held(tmp_path: Path) -> Iterator[Path]:
    """A database that another process has open."""
    path = tmp_path / "held.duckdb"
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    yield path
    process.communicate()
