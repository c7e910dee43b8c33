"""The job of a rate: count the events of every hour that has matured, so that looks read hours, not answers."""

from datetime import timedelta

from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer

HOUR_S = 3600
RECOUNTED = timedelta(hours=24)
"""How far back hours are counted anew, for what arrived late."""


def count_rate(signal: str, service: Service, turn: Turn) -> Write:
    """Count the hours that end at the data times of the turn, and those shortly before."""
    del service
    start = turn.ends[0] - timedelta(seconds=HOUR_S) - RECOUNTED
    hours = {"signal": signal, "window_start": start, "window_end": turn.ends[-1]}

    def write(writer: Writer) -> None:
        writer.execute("forget_rate_counts", **hours)
        writer.execute("add_rate_counts", **hours)

    return write
