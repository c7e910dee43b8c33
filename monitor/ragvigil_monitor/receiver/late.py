"""Spans that come long after they began: the job that links stages to their answers looks back an hour only."""

from datetime import datetime, timedelta
from typing import Final

from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.columns import AT
from ragvigil_monitor.receiver.times import microseconds, moment
from ragvigil_monitor.store import Store

LATE_AFTER: Final = timedelta(minutes=30)
_REACH: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_DAY_US: Final = _DAY // timedelta(microseconds=1)
_STARTED_AT: Final = AT["started_at"]


class LateSpans:
    """The days of late spans that were stored and not yet linked."""

    def __init__(self) -> None:
        self._days: set[int] = set()

    def note(self, batch: Batch, now: datetime) -> None:
        """Take note of the late spans of a batch."""
        late_before_us = microseconds(now - LATE_AFTER)
        times = (row[_STARTED_AT] for row in batch.spans)
        self._days.update(time_us // _DAY_US for time_us in times if time_us < late_before_us)

    def link(self, store: Store) -> None:
        """Link them, now that they are stored, a day a transaction; raises StoreUnavailable."""
        while self._days:
            start = moment(min(self._days) * _DAY_US)
            with store.transaction() as writer:
                writer.execute("link_stages", earliest=start - _REACH, latest=start + _DAY + _REACH)
            self._days.discard(min(self._days))
