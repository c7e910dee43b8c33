"""Spans that come long after they began: the job that links stages to their answers looks back an hour only."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.columns import AT
from ragvigil_monitor.receiver.times import microseconds, moment
from ragvigil_monitor.store import Store

LATE_AFTER: Final = timedelta(minutes=30)
_REACH: Final = timedelta(hours=1)
_PORTION: Final = timedelta(days=1)
_STARTED_AT: Final = AT["started_at"]


class LateSpans:
    """The time range of late spans that were stored and not yet linked."""

    def __init__(self) -> None:
        self._earliest_us: int | None = None
        self._latest_us = 0

    def note(self, batch: Batch, now: datetime) -> None:
        """Take note of the late spans of a batch."""
        late_before_us = microseconds(now - LATE_AFTER)
        times = [row[_STARTED_AT] for row in batch.spans if row[_STARTED_AT] < late_before_us]
        if times:
            self._earliest_us = min(times) if self._earliest_us is None else min(self._earliest_us, *times)
            self._latest_us = max(self._latest_us, *times)

    def link(self, store: Store) -> None:
        """Link them, now that they are stored, a day a transaction; raises StoreUnavailable."""
        if self._earliest_us is None:
            return
        link_stages(store, moment(self._earliest_us), moment(self._latest_us))
        self._earliest_us, self._latest_us = None, 0


def link_stages(store: Store, earliest: datetime, latest: datetime) -> None:
    """Link the stages that began in a time range to their answers; raises StoreUnavailable."""
    for start, end in _portions(earliest - _REACH, latest + _REACH):
        with store.transaction() as writer:
            writer.execute("link_stages", earliest=start - _REACH, latest=end)


def _portions(start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime]]:
    while start < end:
        yield start, min(start + _PORTION, end)
        start += _PORTION
