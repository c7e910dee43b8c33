"""A backup of a large store while applications send: how long, how much memory, and what becomes of receiving.

usage: python tests/benchmarks/backup.py [--json] [--gigabytes G]

backup_s: until the file is there and read back; snapshot_s: until its first byte, while the service copies.
ingest_ratio: requests a second during the snapshot against those before it. longest_wait_s: of one request meanwhile.
rss_mb_before and rss_mb_peak: resident memory of the service.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.samples.killed_services import Sender, acknowledged_by, new_senders, sending

from ragvigil_monitor.backup.asking import Source
from ragvigil_monitor.backup.taking import Order, take
from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import utc_now
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

SPANS = """
INSERT INTO spans (trace_id, span_id, started_at, duration_ms, service, name, status, dropped_attributes, attributes)
SELECT unhex(md5((i // 6)::VARCHAR)), unhex(left(md5(i::VARCHAR), 16)), now()::TIMESTAMP - to_seconds(i // 20),
    random() * 1000, 'shop', 'work', 'ok', 0,
    '{"a": "' || md5(random()::VARCHAR) || md5(random()::VARCHAR) || md5(random()::VARCHAR)
        || md5(random()::VARCHAR) || md5(random()::VARCHAR) || md5(random()::VARCHAR) || '"}'
FROM range(?, ?) AS numbers(i)
"""
PORTION = 500_000
BEFORE_S = 10.0


def fill(database: Path, size_bytes: float) -> int:
    """Put spans into a new store until it is so large; how many."""
    Store.open(database).close()
    spans = 0
    with duckdb.connect(str(database), config={"memory_limit": "2GB"}) as connection:
        while database.stat().st_size < size_bytes:
            connection.execute(SPANS, [spans, spans + PORTION])
            connection.execute("CHECKPOINT")
            spans += PORTION
    return spans


def pause(done: threading.Event) -> None:
    """Nothing but time passes."""
    time.sleep(BEFORE_S)
    done.set()


class Watch:
    """What the service does while a block runs: requests a second, the longest pause, and its memory."""

    def __init__(self, serving: ServeProcess, senders: list[Sender]) -> None:
        self._serving = serving
        self._senders = senders
        self.rate = self.longest_wait_s = self.rss_mb = 0.0

    def over(self, work: Callable[[threading.Event], None]) -> None:
        """Watch until the work says that it is done."""
        done = threading.Event()
        thread = threading.Thread(target=work, args=[done])
        began, count = time.monotonic(), len(acknowledged_by(self._senders))
        thread.start()
        newest, last = count, began
        while not done.wait(0.02):
            self.rss_mb = max(self.rss_mb, rss_mb(self._serving.child.pid))
            now, seen = time.monotonic(), len(acknowledged_by(self._senders))
            self.longest_wait_s = max(self.longest_wait_s, now - last)
            newest, last = (seen, now) if seen > newest else (newest, last)
        self.rate = (len(acknowledged_by(self._senders)) - count) / (time.monotonic() - began)
        thread.join()


def rss_mb(pid: int) -> float:
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1000


def measure(folder: Path, gigabytes: float) -> dict[str, float]:
    """Fill, serve, send, back up."""
    spans = fill(folder / "a.duckdb", gigabytes * 1e9)
    serving, senders = start_serve(db=folder / "a.duckdb", port=0), new_senders()
    source = Source(serving.url, serving.keys.by_role[Role.ADMIN])
    times: dict[str, float] = {}

    def back_up(snapshot_is_there: threading.Event) -> None:
        began = time.monotonic()

        def show(received: int, expected: int) -> None:
            times.setdefault("snapshot_s", time.monotonic() - began)
            snapshot_is_there.set()

        take(Order(folder / "a.backup", source), Settings.load(), utc_now(), show)
        times["backup_s"] = time.monotonic() - began

    before, during = Watch(serving, senders), Watch(serving, senders)
    with sending(senders, serving.url):
        before.over(pause)
        during.over(back_up)
    serving.stop()
    return {
        "spans": spans,
        "store_bytes": (folder / "a.duckdb").stat().st_size,
        "backup_bytes": (folder / "a.backup").stat().st_size,
        **times,
        "ingest_ratio": during.rate / before.rate,
        "longest_wait_s": during.longest_wait_s,
        "rss_mb_before": before.rss_mb,
        "rss_mb_peak": during.rss_mb,
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="A backup under load.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--gigabytes", type=float, default=1.0, help="size of the store")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), wanted.gigabytes)
    if wanted.json:
        print(json.dumps(found))
    else:
        for name, number in found.items():
            print(f"{name:16} {number:,.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
