"""The job that counts the history of a rate anew where it was counted in another way, as before an upgrade.

What is judged must be compared with its like, so looks wait until this is done: see `is_alike`.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.rate_counting import COUNTED, LOOKED_BACK, SLICED, count_hours, note_hour, stretches
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

MOST_S: Final = 3.0
"""How long one run counts, before other jobs have their turn."""
MOST_HOURS: Final = 6
"""How many hours one transaction counts: nothing that arrives is stored meanwhile."""
_HOUR: Final = timedelta(hours=1)


def count_history(
    signal: str, service: Service, turn: Turn, *, clock: Callable[[], float] = time.monotonic
) -> Write | None:
    """Count hours anew, the newest first, some a transaction; once at least, then at most for some seconds."""
    began = clock()
    waiting = counted_otherwise(service.store, signal, _needed_from(signal, service, turn.now), turn.now)
    for start, end in stretches(waiting, lambda _hour: 1, MOST_HOURS):
        with service.store.transaction() as writer:
            count_hours(writer, signal, start, end, (*COUNTED, *SLICED))
            for row in writer.execute("rate_hours_changed", signal=signal, window_start=start, window_end=end):
                note_hour(writer, signal, row)
        if clock() - began > MOST_S:
            break
    return None


def _needed_from(signal: str, service: Service, now: datetime) -> datetime:
    """The earliest hour that a look to come compares; the guardrail has the name of its signal."""
    found = service.store.rows("watermark_of_job", job=signal)
    catch_up = now - timedelta(days=service.settings.schedule.catch_up_days)
    return (found[0]["done_up_to"] if found else catch_up) - LOOKED_BACK


def counted_otherwise(store: Store, signal: str, start: datetime, end: datetime) -> list[datetime]:
    """Hours of [start, end) that were counted in another way and can be counted anew, the newest first.

    Those without answers, as after an import of counts alone, stay as they are.
    """
    found = store.rows("rate_hours_uncounted", signal=signal, window_start=start, window_end=end)
    if not found:
        return []
    window = {"window_start": found[-1]["hour"], "window_end": found[0]["hour"] + _HOUR}
    answered = {row["hour"] for row in store.rows("hours_with_answers", **window)}
    return [row["hour"] for row in found if row["hour"] in answered]


def is_alike(signal: str, store: Store, end: datetime) -> bool:
    """Whether all hours that a look ending at `end` compares were counted in the same way."""
    return not counted_otherwise(store, signal, end - LOOKED_BACK, end)
