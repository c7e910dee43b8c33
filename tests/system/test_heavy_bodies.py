"""Eight senders of bodies that are heavy in memory, at once, and an ordinary one beside them."""

import random
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import httpx
import pytest
from tests.samples.heavy import HEAVY, deflated
from tests.samples.monitors import Monitor
from tests.samples.otlp import PROTOBUF, rag_trace, traces

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")

SENDERS: Final = 8
BOUND_MB: Final = 1000
"""What docs/operate.md promises."""
REFUSALS: Final = {400, 413, 503}
RETRIES: Final = 200


def peak_mb(monitor: Monitor) -> float:
    status = Path(f"/proc/{monitor.serving.child.pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024


def send_heavy(monitor: Monitor, name: str, body: bytes, path: str, headers: dict[str, str]) -> tuple[str, int, str]:
    answer = httpx.post(monitor.url + path, content=body, headers=headers, timeout=120)
    if answer.status_code == 503:
        assert int(answer.headers["retry-after"]) >= 1
    return name, answer.status_code, answer.text


def send_until_stored(monitor: Monitor, number: int) -> float:
    """Send a trace again while the answer is 503, as every exporter does; how long it took."""
    began = time.monotonic()
    body = traces(*rag_trace(number)).SerializeToString()
    for _ in range(RETRIES):
        answer = httpx.post(f"{monitor.url}/v1/traces", content=body, headers=PROTOBUF, timeout=60)
        if answer.status_code == 200:
            return time.monotonic() - began
        assert answer.status_code == 503
        time.sleep(0.05)
    raise AssertionError("never taken")


def test_memory_stays_bounded_and_ordinary_requests_are_answered(monitor: Monitor) -> None:
    jobs = [
        (name, deflated(make()), path, {**headers, "Content-Encoding": "gzip"})
        for name, (path, headers, make) in HEAVY.items()
    ]
    shuffled = random.Random(5).sample(jobs * 2, 2 * len(jobs))
    with ThreadPoolExecutor(SENDERS) as pool:
        running = [pool.submit(send_heavy, monitor, *job) for job in shuffled]
        waited: list[float] = []
        while not all(each.done() for each in running):
            waited.append(send_until_stored(monitor, len(waited)))
        found = [each.result() for each in running]
    assert not [each for each in found if each[1] not in {200, *REFUSALS}]
    assert monitor.outcomes()["spans_committed"] >= 6 * len(waited)
    assert peak_mb(monitor) < BOUND_MB
