"""A real service whose disk is full: it says so, goes on reading, loses nothing, and goes on when there is room."""

import json
import random
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from tests.samples.monitors import Monitor, running_monitor
from tests.samples.otlp import PROTOBUF, rag_trace, span, trace_id, traces
from tests.samples.rows_of import rows_of
from tests.samples.servers import wait_until
from tests.samples.small_disks import SmallDisk, small_disk

MB = 2**20
Told = list[tuple[str, str]]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", 64 * MB) as mounted:
        yield mounted


@contextmanager
def pager() -> Iterator[tuple[str, Told]]:
    """A receiver of webhooks: its address, and what it was told."""
    told: Told = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.append((body["problem"]["part"], body["transition"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", told
    server.shutdown()
    server.server_close()


@contextmanager
def monitor_on(folder: Path, **sections: Any) -> Iterator[Monitor]:
    config = folder.parent / "ragvigil.yaml"
    config.write_text(yaml.safe_dump({"schedule": {"tick_s": 0.2}, **sections}))
    with running_monitor(folder / "a.duckdb", config) as monitor:
        yield monitor


class Sender:
    """Sends one answer after another, and knows which were acknowledged."""

    def __init__(self, monitor: Monitor, text_bytes: int = 50_000) -> None:
        self._url = f"{monitor.url}/v1/traces"
        self._chance = random.Random(4)
        self._text_bytes = text_bytes
        self._next = 0
        self.acknowledged: list[int] = []

    def send(self) -> httpx.Response:
        number, self._next = self._next, self._next + 1
        started_at = datetime.now(UTC)
        bulk = {"bulk": self._chance.randbytes(self._text_bytes // 2).hex()}
        spans = [*rag_trace(number, started_at=started_at), span(10**6 + number, bulk, trace=number + 1)]
        answer = httpx.post(self._url, content=traces(*spans).SerializeToString(), headers=PROTOBUF, timeout=60)
        if answer.status_code == 200:
            self.acknowledged.append(number)
        return answer

    def send_until(self, enough: Callable[[], bool], most: int = 2000) -> None:
        for _ in range(most):
            if enough():
                return
            self.send()
        raise AssertionError(f"not after {most} requests")


def parts(monitor: Monitor) -> list[str]:
    return [problem["part"] for problem in monitor.get("/status")["problems"]]


def readiness(monitor: Monitor) -> int:
    return httpx.get(f"{monitor.url}/readyz").status_code


def gauge(monitor: Monitor, name: str) -> float:
    text = monitor.client.get(f"{monitor.url}/metrics").text
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name} ")]
    return float(line.split()[1])


def assert_reads(monitor: Monitor, newest: int) -> None:
    now, hour = datetime.now(UTC), timedelta(hours=1)
    answers = monitor.get("/answers", start=(now - hour).isoformat(), end=(now + hour).isoformat())
    assert len(answers) > 0
    assert monitor.get(f"/answers/{trace_id(newest + 1).hex()}")


def assert_refused(answer: httpx.Response) -> None:
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0


def assert_kept(database: Path, sender: Sender) -> None:
    """Every acknowledged answer is there once, with its spans, and no other is there in part."""
    rows = rows_of(database)
    stored = [row[2] for row in rows["answers"]]
    assert len(stored) == len(set(stored))
    assert set(stored) >= {f"answer-{number}" for number in sender.acknowledged}
    assert len(rows["spans"]) == 7 * len(stored)


def test_receiving_stops_before_the_disk_is_full_and_goes_on_by_itself(disk: SmallDisk) -> None:
    limits = {"stop_free_bytes": 16 * MB, "warn_free_bytes": 32 * MB}
    with pager() as (url, told):
        hook = {"webhook": {"url": url, "secret": "a secret of sixteen"}}
        with monitor_on(disk.folder, store=limits, notify=hook) as monitor:
            sender = Sender(monitor)
            assert sender.send().status_code == 200
            assert parts(monitor) == []
            disk.leave_free(28 * MB)
            wait_until(lambda: ("disk space", "opened") in told)
            assert parts(monitor) == ["disk space"]
            assert (readiness(monitor), gauge(monitor, "ragvigil_store_writable")) == (200, 1)

            disk.leave_free(10 * MB)
            assert_refused(sender.send())
            wait_until(lambda: ("store", "opened") in told)
            assert parts(monitor) == ["store", "disk space"]
            assert (readiness(monitor), gauge(monitor, "ragvigil_store_writable")) == (503, 0)
            assert gauge(monitor, "ragvigil_store_free_bytes") <= 10 * MB
            assert_reads(monitor, sender.acknowledged[-1])

            disk.empty()
            wait_until(lambda: sender.send().status_code == 200)
            wait_until(lambda: ("store", "resolved") in told)
            assert parts(monitor) == []
            assert (readiness(monitor), gauge(monitor, "ragvigil_store_writable")) == (200, 1)
        assert [each for each in told if each[0] == "store"] == [("store", "opened"), ("store", "resolved")]
    assert_kept(disk.folder / "a.duckdb", sender)


def test_a_disk_that_is_filled_at_one_blow_harms_nothing(disk: SmallDisk) -> None:
    """Somebody else takes what a checkpoint needs: DuckDB gives the database up, and it is opened again."""
    with monitor_on(disk.folder, store={"stop_free_bytes": 0, "warn_free_bytes": 0}) as monitor:
        sender, log = Sender(monitor, 400_000), disk.folder / "a.duckdb.wal"
        sender.send_until(lambda: log.exists() and log.stat().st_size > 13_000_000)
        disk.leave_free(4 * MB)
        refused: list[httpx.Response] = []
        for _ in range(30):
            answer = sender.send()
            refused += [answer] if answer.status_code != 200 else []
            assert_reads(monitor, sender.acknowledged[-1])
        assert len(refused) > 3
        for answer in refused:
            assert_refused(answer)
        assert parts(monitor)[0] == "store"
        assert readiness(monitor) == 503

        disk.empty()
        wait_until(lambda: sender.send().status_code == 200)
        wait_until(lambda: "store" not in parts(monitor))
        assert readiness(monitor) == 200
        for _ in range(60):
            assert sender.send().status_code == 200
    assert_kept(disk.folder / "a.duckdb", sender)


def test_a_service_starts_on_a_full_disk_to_show_what_it_has(disk: SmallDisk) -> None:
    limits = {"stop_free_bytes": 16 * MB, "warn_free_bytes": 0}
    with monitor_on(disk.folder, store=limits) as monitor:
        sender = Sender(monitor)
        assert sender.send().status_code == 200
    disk.leave_free(0)
    with monitor_on(disk.folder, store=limits) as monitor:
        assert_reads(monitor, 0)
        assert parts(monitor) == ["store"]
        assert_refused(Sender(monitor).send())
        assert monitor.serving.stop() == 0
    disk.empty()
    assert_kept(disk.folder / "a.duckdb", sender)


def test_a_quota_stops_receiving_too(tmp_path: Path) -> None:
    """A limit that the free space does not tell of, as a quota is."""
    (tmp_path / "data").mkdir()
    with monitor_on(tmp_path / "data", store={"stop_free_bytes": 0, "warn_free_bytes": 0}) as monitor:
        sender, pid = Sender(monitor), monitor.serving.child.pid
        sender.send()
        written = max(file.stat().st_size for file in (tmp_path / "data").iterdir())
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (written + 100_000, most))
        sender.send_until(lambda: readiness(monitor) == 503, most=20)
        assert_refused(sender.send())
        assert parts(monitor)[0] == "store"
        assert_reads(monitor, sender.acknowledged[-1])
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
        assert sender.send().status_code == 200
        wait_until(lambda: "store" not in parts(monitor))
    assert_kept(tmp_path / "data/a.duckdb", sender)
