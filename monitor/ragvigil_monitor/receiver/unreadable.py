"""What could not be read, or is not used, is counted all the same."""

from contextlib import suppress
from typing import Final

from ragvigil_monitor.errors import Overloaded
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.receiver.resources import UNKNOWN_SERVICE

IGNORED_METRICS: Final = "ignored_metrics"
"""Outcome of a request that carries metrics."""


def counted_alone(outcome: str) -> Batch:
    """A batch of nothing but the count of one request or file whose sender is not known."""
    counts = Batch()
    counts.count(UNKNOWN_SERVICE, outcome)
    return counts


def count_unreadable(committer: Committer, outcome: str) -> None:
    """Count one request or file whose sender is not known; not while too much waits."""
    with suppress(Overloaded):
        committer.submit(counted_alone(outcome))
