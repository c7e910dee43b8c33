"""What could not be read is counted all the same."""

from contextlib import suppress

from ragvigil_monitor.errors import Overloaded
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.receiver.resources import UNKNOWN_SERVICE


def count_unreadable(committer: Committer, outcome: str) -> None:
    """Count one request or file whose sender is not known; not while too much waits."""
    counts = Batch()
    counts.count(UNKNOWN_SERVICE, outcome)
    with suppress(Overloaded):
        committer.submit(counts)
