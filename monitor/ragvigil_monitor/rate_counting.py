"""The job of a rate: count the events of every hour that has matured, so that looks read hours, not answers."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer
from ragvigil_monitor.store.database import Row

HOUR_S = 3600
RECOUNTED = timedelta(hours=24)
"""How far back hours are counted anew, for what arrived late."""
_HOUR = timedelta(seconds=HOUR_S)


def count_rate(signal: str, service: Service, turn: Turn) -> Write:
    """Count the hours that end at the data times of the turn, and those shortly before for which more arrived."""
    start = turn.ends[0] - _HOUR - RECOUNTED
    window = {"signal": signal, "window_start": start, "window_end": turn.ends[-1]}
    changed = service.store.rows("rate_hours_changed", **window)

    def write(writer: Writer) -> None:
        for hour in _touched(changed, start):
            _count(writer, signal, hour)
        for row in changed:
            writer.execute("note_rate_hour", signal=signal, **row)

    return write


def _touched(changed: Iterable[Row], start: datetime) -> list[datetime]:
    """The hours themselves and those before them: an answer may show what happened to one half an hour earlier."""
    hours = {row["hour"] for row in changed}
    return sorted(hour for hour in hours | {hour - _HOUR for hour in hours} if hour >= start)


def _count(writer: Writer, signal: str, hour: datetime) -> None:
    window = {"signal": signal, "window_start": hour, "window_end": hour + _HOUR}
    for question in ("forget_rate_counts", "forget_rate_slices", "add_rate_counts", "add_rate_slices"):
        writer.execute(question, **window)
