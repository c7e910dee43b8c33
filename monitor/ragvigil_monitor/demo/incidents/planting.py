"""When incidents happen: seeded times in the last third of the run; they may overlap, and one goes on to the end."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.incidents.incident import Incident, Planted
from ragvigil_monitor.demo.parts import Parts

QUIET = 28 / 42
"""Share of the run before the first incident."""
SHORTEST = 5 / 42
LONGEST = 7 / 42
"""Length of an incident as a share of the run: five to seven days of six weeks."""


def plant(incidents: Iterable[Incident], start: datetime, end: datetime, *, seed: int) -> tuple[Planted, ...]:
    """Each incident once, in order of time; the one that would end last is still on when the run ends."""
    length = end - start
    planted = [_plant(incident, start, length, dice(seed, incident.kind)) for incident in incidents]
    by_end = sorted(planted, key=lambda one: one.ended_at)
    going_on = [_moved_to(end, last) for last in by_end[-1:]]
    return tuple(sorted([*by_end[:-1], *going_on], key=lambda one: one.planted_at))


def changed(parts: Parts, planted: Sequence[Planted], at: datetime) -> Parts:
    """The parts of the app as they are at a moment, with every incident that is on."""
    for one in planted:
        if one.is_active(at):
            parts = one.incident.change(parts)
    return parts


def _moved_to(end: datetime, planted: Planted) -> Planted:
    lasts = planted.ended_at - planted.planted_at
    return replace(planted, planted_at=end - lasts, ended_at=end, goes_on=True)


def _plant(incident: Incident, start: datetime, length: timedelta, rng: Random) -> Planted:
    lasts = rng.uniform(SHORTEST, LONGEST)
    begins = rng.uniform(QUIET, 1 - lasts)
    return Planted(
        incident,
        planted_at=start + begins * length,
        ended_at=start + (begins + lasts) * length,
        released=rng.random() < 0.5 or incident.needs_release,
    )
