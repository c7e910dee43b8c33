"""The same requests sent to a real Arize Phoenix on SQLite: how many spans it stores, at what cost."""

import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.phoenix.process import PROGRAM, PhoenixProcess
from tests.samples.otlp import PROTOBUF

WITHIN_S = 900
_BUSY = {429, 503}


@dataclass(frozen=True)
class Stored:
    """What storing cost, without what the first request costs; bytes are those of its files."""

    spans: int
    wall_s: float
    cpu_s: float
    size_bytes: int


def stored_by_phoenix(requests: Sequence[bytes], spans: int, folder: Path, cpu_s: Callable[[int], float]) -> Stored:
    """Send everything and wait until it is in the file. cpu_s: CPU seconds of a process so far."""
    if not PROGRAM.exists():
        raise SystemExit("There is no Phoenix to compare with: run `make setup-phoenix` first.")
    phoenix = PhoenixProcess(folder)
    phoenix.start()
    try:
        first, *others = requests
        per_request = spans // len(requests)
        _send(phoenix.url, [first])
        _await_spans(folder, per_request)
        size, cpu, begun = _size(folder), cpu_s(phoenix.pid), time.monotonic()
        _send(phoenix.url, others)
        _await_spans(folder, spans)
        wall = time.monotonic() - begun
        cpu = cpu_s(phoenix.pid) - cpu
    finally:
        phoenix.stop()
    return Stored(spans - per_request, wall, cpu, _size(folder) - size)


def _send(url: str, requests: Sequence[bytes]) -> None:
    with httpx.Client(base_url=url, headers=PROTOBUF, timeout=60, trust_env=False) as client:
        for body in requests:
            while client.post("/v1/traces", content=body).status_code in _BUSY:
                time.sleep(0.2)


def _await_spans(folder: Path, expected: int) -> None:
    deadline = time.monotonic() + WITHIN_S
    while (found := _spans(folder)) < expected:
        if time.monotonic() > deadline:
            sys.exit(f"Phoenix stored {found} of {expected} spans in {WITHIN_S} s.")
        time.sleep(0.1)


def _spans(folder: Path) -> int:
    with closing(sqlite3.connect(f"file:{folder / 'phoenix.db'}?mode=ro", uri=True, timeout=30)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM spans").fetchone()
        return int(count)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("phoenix.db*"))
