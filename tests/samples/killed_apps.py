"""Apps that are killed at random moments, and what of their answers a real monitor has afterwards."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from tests.samples.flapping import flapping
from tests.samples.servers import free_port, wait_until

from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.store import Store

APP = Path(__file__).with_name("confirming_app.py")
LONGEST_LIFE_S = 0.8
READ_WITHIN_S = 600
CONFIG = "spool: {{directory: {spool}, poll_s: 0.1}}\n"

ReceiverState = Literal["up", "down", "flapping"]
STATES: tuple[ReceiverState, ...] = ("up", "down", "flapping")


@dataclass(frozen=True, slots=True)
class Aftermath:
    """Ids of answers that were confirmed before the kill, ids that are stored, and how many spans are."""

    confirmed: set[str]
    stored: list[str]
    spans: int

    @property
    def lost(self) -> set[str]:
        """Confirmed, and not stored."""
        return self.confirmed - set(self.stored)


def kill_apps(state: ReceiverState, kills: int, seed: int, folder: Path) -> Aftermath:
    """Start an app and kill it, `kills` times, with the receiver in that state; a monitor reads the directory."""
    chance = random.Random(f"{seed} {state}")
    spool, database, config = folder / "spool", folder / "a.duckdb", folder / "ragvigil.yaml"
    config.write_text(CONFIG.format(spool=spool), encoding="utf-8")
    confirmed: set[str] = set()
    serving = start_serve(config=config, db=database, port=0)
    try:
        with _endpoint(state, serving, seed) as endpoint:
            for _ in range(kills):
                confirmed |= _confirmed_before_kill(endpoint, spool, chance)
        wait_until(lambda: not list(spool.glob("*.spool")), within_s=READ_WITHIN_S)
    finally:
        serving.stop()
    return _aftermath(database, confirmed)


@contextmanager
def _endpoint(state: ReceiverState, serving: ServeProcess, seed: int) -> Iterator[str]:
    if state == "flapping":
        with flapping(serving.url, seed) as endpoint:
            yield endpoint
    else:
        yield serving.url if state == "up" else f"http://127.0.0.1:{free_port()}"


def _confirmed_before_kill(endpoint: str, spool: Path, chance: random.Random) -> set[str]:
    command = [sys.executable, str(APP), endpoint, str(spool), str(chance.random())]
    app = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ})
    assert app.stdout is not None
    assert app.stdout.readline() == b"ready\n"
    time.sleep(chance.uniform(0, LONGEST_LIFE_S))
    app.kill()
    said, _ = app.communicate()
    return {name.decode() for line in said.splitlines(keepends=True) if line.endswith(b"\n") for name in line.split()}


def _aftermath(database: Path, confirmed: set[str]) -> Aftermath:
    store = Store.open(database)
    try:
        now, day = datetime.now(UTC), timedelta(days=1)
        rows = store.rows("answers_newest", start=now - day, end=now + day, intent=None, limit=10_000_000)
        spans = sum(row["items"] for row in store.rows("ingest_totals") if row["outcome"] == "spans_committed")
    finally:
        store.close()
    return Aftermath(confirmed, [row["answer_id"] for row in rows], spans)
