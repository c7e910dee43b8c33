"""Databases with traffic in them."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.samples.otlp import NOW
from tests.samples.traffic import traffic

from ragvigil_monitor.store import Store

ANSWERS = 40


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database at rest; its name needs quotes in SQL."""
    path = tmp_path / 'it\'s a "store".duckdb'
    store = Store.open(path)
    traffic(NOW, days=1, per_day=ANSWERS, slow_from=NOW - timedelta(hours=1)).insert(store)
    store.close()
    return path
