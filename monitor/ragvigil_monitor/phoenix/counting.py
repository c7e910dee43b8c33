"""What became of the spans for Phoenix, kept over restarts of the service."""

from datetime import datetime

from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.phoenix.forwarder import Forwarder
from ragvigil_monitor.phoenix.waiting import ForwardCounts
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer


def keep_counts(service: Service, turn: Turn) -> Write | None:
    """The job: write down what this run has counted so far."""
    forwarder = service.forwarder
    if forwarder is None:
        return None
    return lambda writer: write_counts(writer, forwarder, turn.now)


def write_counts(writer: Writer, forwarder: Forwarder, now: datetime) -> None:
    """Write down what a run has counted, over what it wrote before."""
    counts = forwarder.counts()
    writer.execute(
        "count_phoenix_run",
        started_at=forwarder.started_at,
        counted_at=now,
        forwarded=counts.forwarded,
        waiting=counts.waiting,
        dropped=counts.dropped,
        refused=counts.refused,
    )


def total_counts(store: Store, forwarder: Forwarder) -> ForwardCounts:
    """What all runs together have counted; what waited when an earlier one ended is dropped."""
    before = store.row("phoenix_runs_before", started_at=forwarder.started_at)
    now = forwarder.counts()
    return ForwardCounts(
        forwarded=before["forwarded"] + now.forwarded,
        waiting=now.waiting,
        dropped=before["dropped"] + now.dropped,
        refused=before["refused"] + now.refused,
    )
