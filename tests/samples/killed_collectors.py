"""A writer and a reader of the same files, both killed at random moments."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from tests.samples.servers import wait_until

from ragvigil_monitor.cli.processes import start_serve
from ragvigil_monitor.keys import Role
from ragvigil_monitor.store import Store

ROOT = Path(__file__).parents[2]
WRITER = Path(__file__).with_name("collector_writer.py")
CONFIG = "collector: {{directory: {folder}, poll_s: 0.1}}\n"


@dataclass(frozen=True, slots=True)
class Aftermath:
    """Ids of answers that lie complete in the files, ids that are stored, and how many spans were, or came twice."""

    written: set[str]
    stored: list[str]
    spans: int
    duplicates: int


def kill_both(rounds: int, seed: int, folder: Path) -> Aftermath:
    """`rounds` times: a writer that appends and rotates, and a service that reads, each killed after a random time."""
    chance = random.Random(seed)
    files, database, config = folder / "files", folder / "a.duckdb", folder / "ragvigil.yaml"
    files.mkdir()
    config.write_text(CONFIG.format(folder=files), encoding="utf-8")
    for number in range(rounds):
        serving = start_serve(config=config, db=database, port=0)
        writer = _writing(files, number, chance)
        for pid in chance.sample([writer.pid, serving.child.pid], 2):
            time.sleep(chance.uniform(0, 0.6))
            os.kill(pid, signal.SIGKILL)
        writer.wait()
        serving.stop()
    return _aftermath(files, config, database)


def _writing(files: Path, number: int, chance: random.Random) -> "subprocess.Popen[bytes]":
    """A writer that has begun to write."""
    command = [sys.executable, str(WRITER), str(files), str(number), str(chance.random())]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"ready\n"
    writer.stdout.close()
    return writer


def _aftermath(files: Path, config: Path, database: Path) -> Aftermath:
    written = _complete(files)
    serving = start_serve(config=config, db=database, port=0)
    headers = {"Authorization": f"Bearer {serving.keys.by_role[Role.ADMIN]}"}
    try:
        with httpx.Client(base_url=serving.url, headers=headers, timeout=30) as client:
            wait_until(lambda: _outcomes(client).get("spans_committed", 0) >= 6 * len(written))
            outcomes = _outcomes(client)
    finally:
        serving.stop()
    spans, duplicates = outcomes["spans_committed"], outcomes.get("spans_duplicate", 0)
    return Aftermath(written, _stored(database), spans, duplicates)


def _outcomes(client: httpx.Client) -> dict[str, int]:
    rows = client.get("/api/v1/ingest").raise_for_status().json()
    return {row["outcome"]: row["items"] for row in rows}


def _stored(database: Path) -> list[str]:
    store = Store.open(database)
    try:
        now, day = datetime.now(UTC), timedelta(days=1)
        rows = store.rows("answers_newest", start=now - day, end=now + day, intent=None, limit=10_000_000)
    finally:
        store.close()
    return [row["answer_id"] for row in rows]


def _complete(files: Path) -> set[str]:
    """The answers in every line that was written to its end, also behind the half of one."""
    lines = (line for file in files.glob("*.json") for line in file.read_bytes().splitlines(keepends=True))
    whole = (line[line.rindex(b'{"resourceSpans"') :] for line in lines if line.endswith(b"}\n"))
    return {found.decode() for line in whole for found in re.findall(rb"answer-\d+", line)}
