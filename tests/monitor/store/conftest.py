"""Rows to store, and another process that holds or writes a store."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.samples.otlp import NOW

from ragvigil_monitor import telemetry_tables as tables

Events = Callable[..., pa.Table]
StartPython = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def events() -> Events:
    """Makes log events with the given ids."""

    def make(*ids: str, occurred_at: datetime = NOW, **columns: Any) -> pa.Table:
        naive = occurred_at.astimezone(UTC).replace(tzinfo=None)
        empty = dict.fromkeys(tables.LOG_EVENTS.names)
        row = {**empty, "event_name": "e", "occurred_at": naive, "observed_at": naive, "service": "shop", **columns}
        return pa.Table.from_pylist([{**row, "event_id": each} for each in ids], schema=tables.LOG_EVENTS)

    return make


@pytest.fixture
def start_python() -> Iterator[StartPython]:
    """Runs a script in another process and hands over the process, which ends with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(script: str, *arguments: str | Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", script, *map(str, arguments)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
