"""What a job is: it reads, then hands back what to write, and the schedule commits that with the job's watermark."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer

Write = Callable[[Writer], None]
"""What to write; it raises NotNow where everything is to stay as it was, the watermark too."""


class NotNow(Exception):  # noqa: N818 - a decision, not an error
    """What a job meant to write has to wait until its next run."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What is due. start: up to where the job was done. ends: the times to judge, oldest first, never empty.

    now: the time of the run, which may lie long after the ends when the job catches up.
    """

    start: datetime
    ends: Sequence[datetime]
    now: datetime


@dataclass(frozen=True, slots=True)
class Job:
    """Something that happens by itself.

    every_s: it judges data times that are multiples of this; 0: it runs whenever jobs run, for the present.
    run: None instead of something to write leaves everything as it was, the watermark too.
    most_ends: how many data times one transaction covers at most. matures_s: how long a data time needs until what
    belongs to it has happened; `schedule.lateness_s`, for what is under way, comes on top.
    """

    name: str
    every_s: int
    run: Callable[[Service, Turn], Write | None]
    most_ends: int = 48
    matures_s: float = 0.0
