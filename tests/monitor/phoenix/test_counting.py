"""Counts are kept over restarts; what waited in a process that died is lost, and counted."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.samples.otlp import NOW
from tests.samples.servers import free_port, wait_until

from ragvigil.testing import Receiver
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.phoenix.counting import keep_counts, total_counts, write_counts
from ragvigil_monitor.phoenix.forwarder import Forwarder
from ragvigil_monitor.phoenix.waiting import ForwardCounts
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.settings import Phoenix, Settings
from ragvigil_monitor.store import Store


@pytest.fixture
def earlier(memory_store: Store) -> Store:
    """A store in which a run an hour ago has counted, and has not ended in order."""
    with memory_store.transaction() as writer:
        writer.execute(
            "count_phoenix_run",
            started_at=NOW - timedelta(hours=1),
            counted_at=NOW - timedelta(minutes=30),
            forwarded=100,
            waiting=7,
            dropped=3,
            refused=2,
        )
    return memory_store


def write(store: Store, forwarder: Forwarder) -> None:
    with store.transaction() as writer:
        write_counts(writer, forwarder, NOW)


def test_the_counts_of_all_runs_are_added_up(
    earlier: Store, phoenix: Receiver, make_forwarder: Any, send_spans: Any
) -> None:
    forwarder = make_forwarder(phoenix.endpoint)
    send_spans(forwarder, 5)
    wait_until(lambda: forwarder.counts().forwarded == 5, 10)
    expected = ForwardCounts(forwarded=105, waiting=0, dropped=10, refused=2)
    assert total_counts(earlier, forwarder) == expected
    for _ in range(3):
        write(earlier, forwarder)
    assert total_counts(earlier, forwarder) == expected


def test_what_was_written_last_counts_for_the_next_run(
    memory_store: Store, make_forwarder: Any, send_spans: Any
) -> None:
    ended = make_forwarder(f"http://127.0.0.1:{free_port()}", again_s=3600)
    send_spans(ended, 4)
    write(memory_store, ended)
    ended.close()
    write(memory_store, ended)
    settings = Phoenix(url="http://127.0.0.1:1")
    following = Forwarder(settings, "http://127.0.0.1:1", clock=lambda: NOW + timedelta(seconds=1))
    following.close()
    assert total_counts(memory_store, following) == ForwardCounts(dropped=4)


def test_the_job_writes_them_down(make_service: Any, phoenix: Receiver, make_forwarder: Any, send_spans: Any) -> None:
    forwarder = make_forwarder(phoenix.endpoint)
    service = replace(make_service(NOW, phoenix={"url": phoenix.endpoint}), forwarder=forwarder)
    send_spans(forwarder, 2)
    wait_until(lambda: forwarder.counts().forwarded == 2, 10)
    assert run_due(service, NOW)["phoenix_counts"] == 1
    later = NOW + timedelta(hours=1)
    assert service.store.row("phoenix_runs_before", started_at=later) == {"forwarded": 2, "dropped": 0, "refused": 0}


def test_without_phoenix_there_is_no_job() -> None:
    assert not [job.name for job in jobs(Settings.load()) if "phoenix" in job.name]
    assert [job.name for job in jobs(Settings.load(phoenix={"url": "http://a"})) if job.run is keep_counts]
