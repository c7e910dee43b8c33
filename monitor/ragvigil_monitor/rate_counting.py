"""The job of a rate: count the events of every hour that has matured, so that looks read hours, not answers."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final

from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.statistics.rate_band import HISTORY_H, RECENT_H
from ragvigil_monitor.store import Writer
from ragvigil_monitor.store.database import Row

HOUR_S = 3600
RECOUNTED = timedelta(hours=24)
"""How far back hours are counted anew, for what arrived late."""
LOOKED_BACK = timedelta(hours=HISTORY_H + RECENT_H)
"""How far back slices have a history that looks compare with."""
MOST_EARLIER = 48
"""How many hours of the history one run counts, the newest first."""
MOST_TOGETHER = 5_000
"""Hours that follow each other are counted together up to so many answers: several small ones cost about what one does,
and a larger question would take too long."""
_HOUR = timedelta(seconds=HOUR_S)
COUNTED: Final = ("forget_rate_counts", "add_rate_counts")
SLICED: Final = ("forget_rate_slices", "add_rate_slices")
"""How the counts of an hour are made anew, as a whole and slice by slice."""
_NOTED: Final = ("hour", "answers", "feedback")


def count_rate(signal: str, service: Service, turn: Turn) -> Write:
    """Count the hours that end at the data times of the turn, and those shortly before for which more arrived.

    Of the history before, some hours for which more arrived are counted slice by slice only: what the rate itself was
    is judged. Those that were counted in another way are left to `rate_history`.
    """
    start = turn.ends[0] - _HOUR - RECOUNTED
    window = {"signal": signal, "window_start": start, "window_end": turn.ends[-1]}
    history = {"signal": signal, "window_start": turn.ends[0] - LOOKED_BACK, "window_end": start}
    changed = service.store.rows("rate_hours_changed", **window)
    otherwise = {row["hour"] for row in service.store.rows("rate_hours_uncounted", **history)}
    arrived = service.store.rows("rate_hours_changed", **history)
    earlier = [row for row in arrived if row["hour"] not in otherwise][-MOST_EARLIER:]

    def write(writer: Writer) -> None:
        for first, end in stretches(_touched(changed, start, turn.ends[-1]), _size(changed), MOST_TOGETHER):
            count_hours(writer, signal, first, end, (*COUNTED, *SLICED))
        for row in earlier:
            questions = SLICED if row["was_counted"] else (*COUNTED, *SLICED)
            count_hours(writer, signal, row["hour"], row["hour"] + _HOUR, questions)
        for row in (*changed, *earlier):
            note_hour(writer, signal, row)

    return write


def _touched(changed: Iterable[Row], start: datetime, end: datetime) -> list[datetime]:
    """The hours themselves and those beside them: an answer and the one that repeats it may lie in two hours."""
    hours = {row["hour"] for row in changed}
    beside = {hour + step * _HOUR for hour in hours for step in (-1, 0, 1)}
    return sorted(hour for hour in beside if start <= hour < end)


def _size(changed: Iterable[Row]) -> Callable[[datetime], int]:
    """How many answers an hour has; one without news is taken to have as many as the fullest of the others."""
    answers = {row["hour"]: row["answers"] for row in changed}
    most = max(answers.values(), default=0)
    return lambda hour: answers.get(hour, most)


def stretches(hours: Iterable[datetime], size: Callable[[datetime], int], most: int) -> list[tuple[datetime, datetime]]:
    """Hours that follow each other, forwards or backwards, as [start, end), each hour once, in their order.

    An hour joins those before it while their sizes together are at most `most`; one that is larger stays alone.
    """
    found: list[tuple[datetime, datetime]] = []
    together = 0
    for hour in hours:
        follows = bool(found) and hour in {found[-1][1], found[-1][0] - _HOUR}
        if follows and together + size(hour) <= most:
            start, end = found[-1]
            found[-1] = (min(start, hour), max(end, hour + _HOUR))
            together += size(hour)
        else:
            found.append((hour, hour + _HOUR))
            together = size(hour)
    return found


def note_hour(writer: Writer, signal: str, row: Row) -> None:
    """Note of how much an hour was counted, a row of `rate_hours_changed`."""
    writer.execute("note_rate_hour", signal=signal, **{name: row[name] for name in _NOTED})


def count_hours(writer: Writer, signal: str, start: datetime, end: datetime, questions: Iterable[str]) -> None:
    """Count the hours of [start, end) anew, as a whole, slice by slice, or both."""
    for question in questions:
        writer.execute(question, signal=signal, window_start=start, window_end=end)
