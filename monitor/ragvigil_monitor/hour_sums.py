"""Hours added up: the job that does it, and which parts of a time range can be read from sums.

An hour is added up when it has been over for a while. Whoever stores what started in an hour that was passed marks it
as stale in the same transaction, with the hours beside it; it is read span by span until it has been added up again.
So a question gives the same answer whether it reads sums, spans, or some of both.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Final

from ragvigil_monitor.errors import HoursNotSummed, WriteRefused
from ragvigil_monitor.job import Job, Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer

HOUR: Final = timedelta(hours=1)
OVER_FOR: Final = timedelta(hours=2)
"""How long an hour must be over: what its answers still do an hour later belongs to it."""
MOST_S: Final = 5.0
"""How long one run works on what is waiting, before other jobs have their turn."""
_MADE_ANEW: Final = (
    ("forget_answer_stages", "sum_answer_stages"),
    ("forget_latency_buckets", "sum_latency_buckets"),
    ("forget_arrivals", "sum_arrivals"),
    ("forget_told_hours", "sum_told_hours"),
    ("forget_told_libraries", "sum_told_libraries"),
)
"""For each table of sums, how those of an hour go and come."""
_ADDED: Final = (
    "add_missing_answer_stages",
    "forget_final_latencies",
    "recount_final_latencies",
    "add_final_services",
    "recount_final_answers",
    "note_final_hour",
)
"""What is made anew of answers, which stay, and what is added for those that are new."""
_AT_ONCE: Final = 200
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Segment:
    """A half-open part of a time range; is_summed: all of its hours are added up."""

    start: datetime
    end: datetime
    is_summed: bool


def segments(store: Store, start: datetime, end: datetime, *, by_hour: bool = True) -> list[Segment]:
    """The parts of [start, end) in order, each as long as possible.

    by_hour: the sums that are meant know no finer times, so that what is summed begins and ends on the hour.
    """
    found = store.row("summed_hours_between", start=_floor(start), end=end)
    until = found["summed_until"] or _EPOCH
    stale = {hour.replace(tzinfo=UTC) for hour in found["stale"]}

    def is_summed(cut: tuple[datetime, datetime]) -> bool:
        hour, is_whole = _floor(cut[0]), cut[1] - cut[0] == HOUR
        return (is_whole or not by_hour) and hour not in stale and hour + HOUR <= until

    runs = [(summed, list(cuts)) for summed, cuts in groupby(_cuts(start, end, until), key=is_summed)]
    return [Segment(cuts[0][0], cuts[-1][1], summed) for summed, cuts in runs]


def _cuts(start: datetime, end: datetime, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    """[start, end) cut at every full hour up to `until`."""
    while start < end:
        cut = min(_floor(start) + HOUR, end) if start < until else end
        yield start, cut
        start = cut


def _floor(moment: datetime) -> datetime:
    return moment - (moment - _EPOCH) % HOUR


def add_up(writer: Writer, hour: datetime) -> None:
    """Make the sums of one hour anew."""
    for forget, add in _MADE_ANEW:
        writer.execute(forget, hour=hour)
        writer.execute(add, hour=hour)
    writer.execute("note_summed_hour", hour=hour)


def _add_missing(writer: Writer, hour: datetime) -> None:
    """Add the answers that came for an hour when its spans had been removed: what spans made cannot be made anew."""
    for question in _ADDED:
        writer.execute(question, hour=hour)


def sum_hours(service: Service, turn: Turn, *, clock: Callable[[], float] = time.monotonic) -> Write | None:
    """The job: add up what waits, an hour a transaction, so that nobody waits long to store; at most some seconds.

    An hour that cannot be added up is read span by span, and tried again when the others are done. Raises
    HoursNotSummed while there is one.
    """
    began = clock()
    pass_hours(service.store, turn.now - OVER_FOR)
    for row in service.store.rows("hours_to_sum", most=_AT_ONCE):
        _try(service.store, row["hour"], add_up if row["state"] == "stale" else _add_missing)
        if clock() - began > MOST_S:
            break
    failing = service.store.rows("hours_failing")
    if failing:
        raise HoursNotSummed(len(failing), failing[0]["hour"], failing[0]["error"])
    return None


def _try(store: Store, hour: datetime, sum_up: Callable[[Writer, datetime], None]) -> None:
    try:
        with store.transaction() as writer:
            sum_up(writer, hour)
    except WriteRefused as refusal:
        with store.transaction() as writer:
            writer.execute("note_failed_hour", hour=hour, error=str(refusal))


def pass_hours(store: Store, now: datetime) -> None:
    """Let every hour that is over be added up; from now on what comes for it makes it stale."""
    until, over_before = summed_until(store), _floor(now)
    if until < over_before:
        with store.transaction() as writer:
            writer.execute("pass_hours", summed_until=until, over_before=over_before)


def summed_until(store: Store) -> datetime:
    """Before which time every hour that holds something has been passed; the epoch before the first."""
    until: datetime | None = store.row("summed_hours_between", start=_EPOCH, end=_EPOCH)["summed_until"]
    return until or _EPOCH


HOUR_SUMS: Final = Job("hour_sums", 0, sum_hours)
"""Runs before what reads sums."""
