"""Simulated users: who comes when, from which team, and how often they ask again."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.demo.access import TEAMS
from ragvigil_monitor.demo.rhythm import draw_times

PEOPLE = 400
MEAN_QUESTIONS = 1.8
"""Questions in a session; geometric."""
PAUSE_MEDIAN_S = 55.0
"""From one question of a session to the next; lognormal."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One question that someone is about to ask; `number` counts from 0 in order of time."""

    number: int
    at: datetime
    user_id: str
    team: str
    session_id: str


def visits(start: datetime, end: datetime, answers: int, *, seed: int) -> Iterator[Visit]:
    """About `answers` visits between `start` and `end`, in order of time; the same for the same arguments."""
    rng = np.random.default_rng(seed)
    sessions = draw_times(start, end, max(1, round(answers / MEAN_QUESTIONS)), rng)
    sizes = rng.geometric(1 / MEAN_QUESTIONS, len(sessions))
    people = rng.integers(PEOPLE, size=len(sessions))
    session_of = np.repeat(np.arange(len(sessions)), sizes)
    pauses = rng.lognormal(np.log(PAUSE_MEDIAN_S), 0.6, len(session_of))
    times = sessions[session_of] + _waited(pauses, sizes)
    inside = (order := np.argsort(times, kind="stable"))[times[order] < (end - start).total_seconds()]
    for number, question in enumerate(inside):
        session = session_of[question]
        at = start + timedelta(seconds=float(times[question]))
        yield Visit(number, at, *_person(int(people[session])), f"{seed}-{session}")


def _waited(pauses: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Seconds from the start of its session to each question: 0 for the first, then the pauses added up."""
    total = np.cumsum(pauses)
    at_first: NDArray[np.float64] = total[np.cumsum(sizes) - sizes]
    since_first: NDArray[np.float64] = total - np.repeat(at_first, sizes)
    return since_first


def _person(number: int) -> tuple[str, str]:
    return f"u{number:03d}", list(TEAMS)[number % len(TEAMS)]
