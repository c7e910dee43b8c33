"""The process that decodes long bodies, under a real service."""

import os
import signal
from pathlib import Path

import httpx
import pytest
from tests.samples.monitors import Monitor
from tests.samples.otlp import PROTOBUF, rag_trace, traces
from tests.samples.process_tree import process_tree, runs
from tests.samples.servers import wait_until

from ragvigil_monitor.receiver.intake import LONG_BYTES

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")


def send_long(monitor: Monitor) -> None:
    body = traces(*(span for number in range(40) for span in rag_trace(number))).SerializeToString()
    assert len(body) >= LONG_BYTES
    httpx.post(f"{monitor.url}/v1/traces", content=body, headers=PROTOBUF, timeout=60).raise_for_status()


def test_it_begins_with_the_first_long_body_and_is_gone_when_the_service_is_killed(monitor: Monitor) -> None:
    service = monitor.serving.child.pid
    assert process_tree(service) == [service]
    send_long(monitor)
    _, *below = process_tree(service)
    assert below
    os.kill(service, signal.SIGKILL)
    monitor.serving.stop()
    wait_until(lambda: not any(map(runs, below)))
