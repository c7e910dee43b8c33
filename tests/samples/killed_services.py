"""Services that are killed at random moments under load, and what their database holds afterwards."""

import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
from tests.samples.otlp import PROTOBUF, rag_trace, traces
from tests.samples.rows_of import rows_of
from tests.samples.servers import free_port, wait_until

from ragvigil_monitor.backup.asking import Source
from ragvigil_monitor.backup.taking import Order, take
from ragvigil_monitor.cli.processes import start_serve
from ragvigil_monitor.errors import MonitorError
from ragvigil_monitor.keys import Keys, Role, keys_path
from ragvigil_monitor.service import utc_now
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store.copying import check_backup

SENDERS = 3
SPANS = 6
LONGEST_LIFE_S = 0.4
"""A service lives so long at most after its first acknowledgement."""


@dataclass(frozen=True, slots=True)
class Running:
    """A service: where it listens, its process, and how to wait for the end of that."""

    url: str
    pid: int
    wait: Callable[[], object]


Start = Callable[[Path], Running]


def start_command(database: Path) -> Running:
    """`ragvigil serve`, as anybody starts it."""
    serving = start_serve(db=database, port=0)
    return Running(serving.url, serving.child.pid, serving.stop)


def start_forked(database: Path) -> Running:
    """The same in a fork of a process that has loaded everything: there in a tenth of the time."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ragvigil_monitor.cli.server"])
    port = free_port()
    process = context.Process(target=_serve, args=[str(database), port], daemon=True)
    process.start()
    assert process.pid is not None
    url = f"http://127.0.0.1:{port}"
    wait_until(lambda: process.exitcode is not None or _is_ready(url))
    return Running(url, process.pid, process.join)


def _serve(database: str, port: int) -> None:
    from ragvigil_monitor.cli.server import serve

    serve(Settings.load(store={"path": database}, server={"port": port}))


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz").status_code == 200
    except httpx.TransportError:
        return False


@dataclass(slots=True)
class Sender:
    """Sends one answer a request; one that was not acknowledged is sent again to the next service."""

    next: int
    acknowledged: list[int] = field(default_factory=list)
    begun: int = 0

    def send_until(self, stop: threading.Event, url: str) -> None:
        """Send until told to stop, or the service is gone."""
        with httpx.Client(base_url=url, headers=PROTOBUF, timeout=60) as client:
            while not stop.is_set() and self._is_sent(client):
                pass

    def _is_sent(self, client: httpx.Client) -> bool:
        self.begun = self.next
        body = traces(*rag_trace(self.next, started_at=datetime.now(UTC))).SerializeToString()
        try:
            answer = client.post("/v1/traces", content=body)
        except httpx.TransportError:
            return False
        if answer.status_code == 200:
            self.acknowledged.append(self.next)
            self.next += 1
        return True


def new_senders() -> list[Sender]:
    """Some that never send the same."""
    return [Sender(next=1_000_000 * (place + 1)) for place in range(SENDERS)]


@contextmanager
def sending(senders: list[Sender], url: str) -> Iterator[None]:
    """All of them at once, until the block ends."""
    stop = threading.Event()
    threads = [threading.Thread(target=sender.send_until, args=[stop, url]) for sender in senders]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def acknowledged_by(senders: list[Sender]) -> set[int]:
    """Everything that was acknowledged until now."""
    return {number for sender in senders for number in tuple(sender.acknowledged)}


@dataclass(slots=True)
class Backups:
    """What became of the backups that were under way when a service was killed."""

    taken: int = 0
    failed: int = 0
    half: int = 0
    incomplete: int = 0

    def take(self, target: Path, source: Source, senders: list[Sender]) -> None:
        """Take one; a file that is there afterwards must be whole, and hold what was acknowledged before."""
        before = acknowledged_by(senders)
        try:
            take(Order(target, source), Settings.load(), utc_now(), lambda *_: None)
        except MonitorError:
            self.failed += 1
            self.half += target.exists()
            return
        self.taken += 1
        self._judge(target, before)

    def _judge(self, target: Path, before: set[int]) -> None:
        try:
            check_backup(target)
        except MonitorError:
            self.half += 1
            return
        self.incomplete += not before <= Stored.of(target).answers.keys()
        target.unlink()


@dataclass(frozen=True, slots=True)
class Stored:
    """What a file holds: how often each answer, how many spans of each, how many were counted as stored."""

    answers: Counter[int]
    spans: Counter[bytes]
    counted: int

    @classmethod
    def of(cls, file: Path) -> "Stored":
        """Read it past everything of ours."""
        rows = rows_of(file)
        answers = Counter(int(row[2].removeprefix("answer-")) for row in rows["answers"])
        counted = sum(row[3] for row in rows["ingest_counts"] if row[2] == "spans_committed")
        return cls(answers, Counter(row[0] for row in rows["spans"]), counted)

    @property
    def is_sound(self) -> bool:
        """Each answer once with all of its spans, as many as were counted."""
        return (
            set(self.answers.values()) <= {1}
            and set(self.spans.values()) <= {SPANS}
            and len(self.spans) == len(self.answers)
            and self.counted == self.spans.total()
        )


@dataclass(frozen=True, slots=True)
class Aftermath:
    """acknowledged: numbers of answers. leftovers: names of unfinished files of a backup."""

    acknowledged: set[int]
    never_sent: set[int]
    stored: Stored
    backups: Backups
    leftovers: list[str]

    @property
    def lost(self) -> set[int]:
        """Acknowledged, and not stored."""
        return self.acknowledged - self.stored.answers.keys()


def kill_services(kills: int, seed: int, folder: Path, start: Start, *, backups: bool = False) -> Aftermath:
    """Start a service on the same file again and again, each time under load, and kill it; then end one in order.

    backups: have one under way at every kill.
    """
    chance = random.Random(f"{seed} {backups}")
    database, senders, seen = folder / "a.duckdb", new_senders(), Backups()
    for kill in range(kills):
        running = start(database)
        with sending(senders, running.url), _backup_under_way(running, database, senders, seen, kill, backups):
            _kill_soon(running, senders, chance)
    _end_in_order(start(database))
    begun = {sender.begun for sender in senders}
    stored = Stored.of(database)
    never_sent = stored.answers.keys() - acknowledged_by(senders) - begun
    leftovers = sorted(path.name for path in folder.iterdir() if "partial" in path.name or "snapshot" in path.name)
    return Aftermath(acknowledged_by(senders), never_sent, stored, seen, leftovers)


@contextmanager
def _backup_under_way(
    running: Running, database: Path, senders: list[Sender], seen: Backups, kill: int, is_wanted: bool
) -> Iterator[None]:
    if not is_wanted:
        yield
        return
    source = Source(running.url, Keys.read(keys_path(database)).by_role[Role.ADMIN])
    target = database.with_name(f"{kill}.backup")
    thread = threading.Thread(target=seen.take, args=[target, source, senders])
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _kill_soon(running: Running, senders: list[Sender], chance: random.Random) -> None:
    already = len(acknowledged_by(senders))
    wait_until(lambda: len(acknowledged_by(senders)) > already)
    time.sleep(chance.uniform(0, LONGEST_LIFE_S))
    os.kill(running.pid, signal.SIGKILL)
    running.wait()


def _end_in_order(running: Running) -> None:
    os.kill(running.pid, signal.SIGTERM)
    running.wait()
