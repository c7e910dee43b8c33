"""Services that are killed at random moments under load, and what their database holds afterwards."""

import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
from tests.samples.otlp import PROTOBUF, rag_trace, traces
from tests.samples.servers import free_port, wait_until
from tests.samples.survivors import Backups, Stored

from ragvigil_monitor.backup.asking import Source
from ragvigil_monitor.backup.taking import Order, take
from ragvigil_monitor.cli.processes import start_serve
from ragvigil_monitor.keys import Keys, Role, keys_path
from ragvigil_monitor.service import utc_now
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

SENDERS = 3
LONGEST_LIFE_S = 0.4
"""A service lives so long at most after its first acknowledgement; with a backup, as long as one takes."""


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


def kill_services(kills: int, seed: int, folder: Path, start: Start, *, backup_mib: int = 0) -> Aftermath:
    """Start a service on the same file again and again, each time under load, and kill it; then end one in order.

    backup_mib: have a backup of about so much under way at every kill; 0: none.
    """
    chance = random.Random(f"{seed} {backup_mib}")
    database, senders, seen = folder / "a.duckdb", new_senders(), Backups()
    longest_s = _time_of_backup_s(start, database, senders, backup_mib) if backup_mib else LONGEST_LIFE_S
    for kill in range(kills):
        running = start(database)
        with sending(senders, running.url):
            _await_acknowledgement(senders)
            with _backup_under_way(running, database, senders, seen, kill, backup_mib > 0):
                time.sleep(chance.uniform(0, longest_s))
                os.kill(running.pid, signal.SIGKILL)
                running.wait()
    _end_in_order(start(database))
    begun = {sender.begun for sender in senders}
    stored = Stored.of(database)
    never_sent = stored.answers.keys() - acknowledged_by(senders) - begun
    leftovers = sorted(path.name for path in folder.iterdir() if "partial" in path.name or "snapshot" in path.name)
    return Aftermath(acknowledged_by(senders), never_sent, stored, seen, leftovers)


def _time_of_backup_s(start: Start, database: Path, senders: list[Sender], mib: int) -> float:
    """How long a whole one takes under load, until the file is there and checked."""
    _fill(database, mib)
    running, target = start(database), database.with_name("first.backup")
    with sending(senders, running.url):
        _await_acknowledgement(senders)
        began_s = time.monotonic()
        take(Order(target, _source(running, database)), Settings.load(), utc_now(), lambda *_: None)
        took_s = time.monotonic() - began_s
    _end_in_order(running)
    target.unlink()
    return took_s


def _fill(database: Path, mib: int) -> None:
    """So much text that a copy takes a while."""
    store = Store.open(database)
    with store.transaction() as writer:
        writer.run(
            "INSERT INTO audit SELECT TIMESTAMP '2026-01-01', 'owner', 'ballast', 'none', "
            "string_agg(md5(i::VARCHAR), '') FROM range($rows * 32768) AS numbers(i) GROUP BY i % $rows",
            rows=mib,
        )
    store.close()


@contextmanager
def _backup_under_way(
    running: Running, database: Path, senders: list[Sender], seen: Backups, kill: int, is_wanted: bool
) -> Iterator[None]:
    if not is_wanted:
        yield
        return
    target = database.with_name(f"{kill}.backup")
    thread = threading.Thread(target=seen.take, args=[target, _source(running, database), acknowledged_by(senders)])
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _source(running: Running, database: Path) -> Source:
    return Source(running.url, Keys.read(keys_path(database)).by_role[Role.ADMIN])


def _await_acknowledgement(senders: list[Sender]) -> None:
    already = len(acknowledged_by(senders))
    wait_until(lambda: len(acknowledged_by(senders)) > already)


def _end_in_order(running: Running) -> None:
    os.kill(running.pid, signal.SIGTERM)
    running.wait()
