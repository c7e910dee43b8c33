"""Hours that have to be added up again, since something new started in them or beside them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from ragvigil_monitor.store.database import Writer

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_HOUR_US: Final = timedelta(hours=1) // _MICROSECOND


def mark_stale(writer: Writer, started_at: Iterable[datetime | int]) -> None:
    """Note that something new started at these times (aware, or microseconds since the epoch).

    Those of their hours that have been passed are stale from now on, with the hours beside them, where the answer of
    what started may be. Mostly there is none: what is sent at once starts in hours that have not been passed.
    """
    hours = {_microseconds(each) // _HOUR_US for each in started_at}
    near_us = sorted({(hour + beside) * _HOUR_US for hour in hours for beside in (-1, 0, 1)})
    unmarked = writer.execute("hours_to_mark", hours_us=near_us)
    if unmarked:
        writer.execute("mark_hours_stale", hours_us=[row["hour_us"] for row in unmarked])


def _microseconds(moment: datetime | int) -> int:
    return moment if isinstance(moment, int) else (moment - _EPOCH) // _MICROSECOND
