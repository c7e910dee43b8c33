"""Which version of the app runs when: ordinary releases, and those that bring or mend an incident."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.incidents import Planted

ORDINARY = 5
"""Releases in a run that change nothing that anyone would notice."""


@dataclass(frozen=True, slots=True)
class Release:
    """A version and when it began to serve."""

    at: datetime
    version: str


def releases(start: datetime, end: datetime, planted: Iterable[Planted], *, seed: int) -> tuple[Release, ...]:
    """Every release of a run in order; the first one is there from the start."""
    rng = dice(seed, "releases")
    ordinary = [start + rng.random() * (end - start) for _ in range(ORDINARY)]
    with_incidents = [at for one in planted if one.released for at in (one.planted_at, one.ended_at) if at < end]
    moments = sorted({start, *ordinary, *with_incidents})
    return tuple(Release(at, f"1.{number}.0") for number, at in enumerate(moments))
