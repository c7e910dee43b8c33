"""What a run will be: who asks when, what goes wrong when, which version serves when; all from seed and end."""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from ragvigil_monitor.demo.access import may_read
from ragvigil_monitor.demo.app import Request
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.following import Asking
from ragvigil_monitor.demo.incidents import INCIDENTS, Incident, Planted, changed, plant
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.questioner import Question
from ragvigil_monitor.demo.releases import Release, releases
from ragvigil_monitor.demo.users import Visit, visits

DAYS = 42.0
ANSWERS = 60_000
ANSWERS_A_QUESTION = 1.13
"""Some questions are asked again."""


@dataclass(frozen=True, slots=True)
class DayEnd:
    """The end of the day with this number, from 1 on; of the run's last hours too, if they are no whole day."""

    number: int
    at: datetime


Event = Release | DayEnd | Visit


@dataclass(frozen=True, slots=True)
class Plan:
    """A run of about `answers` answers between `start` and `end`."""

    seed: int
    start: datetime
    end: datetime
    answers: int
    planted: tuple[Planted, ...]
    releases: tuple[Release, ...]

    @classmethod
    def draw(
        cls,
        *,
        seed: int,
        end: datetime,
        days: float = DAYS,
        answers: int = ANSWERS,
        incidents: Sequence[Incident] = INCIDENTS,
    ) -> Self:
        """The plan of a seed."""
        start = end - timedelta(days=days)
        planted = plant(incidents, start, end, seed=seed)
        return cls(seed, start, end, answers, planted, releases(start, end, planted, seed=seed))

    @property
    def days(self) -> float:
        """How long the run is."""
        return (self.end - self.start) / timedelta(days=1)

    def events(self) -> Iterator[Event]:
        """Everything that happens, in order of time."""
        visiting = visits(self.start, self.end, round(self.answers / ANSWERS_A_QUESTION), seed=self.seed)
        return heapq.merge(self.releases, self._day_ends(), visiting, key=lambda event: event.at)

    def parts_at(self, healthy: Parts, at: datetime) -> Parts:
        """The parts of the app at a moment."""
        return changed(healthy, self.planted, at)

    def parts_at_end(self, healthy: Parts) -> Parts:
        """The parts of the app as the run leaves them: with the incidents that are still on."""
        return self.parts_at(healthy, self.end - timedelta(microseconds=1))

    def question(self, visit: Visit, parts: Parts) -> Question:
        """What a visitor wants to know."""
        return parts.questioner.ask(
            dice(self.seed, "question", visit.number), lambda entry: may_read(visit.team, entry.package)
        )

    def request(self, asking: Asking) -> Request:
        """A question as the app gets it; each answer has dice of its own, so that an incident shifts nobody else's."""
        visit = asking.visit
        return Request(
            question=asking.question.text,
            intent=asking.question.intent,
            user_id=visit.user_id,
            team=visit.team,
            session_id=visit.session_id,
            at=asking.at,
            rng=dice(self.seed, "answer", visit.number, asking.turn),
            regeneration_of=asking.instead_of.answer_id if asking.instead_of else None,
        )

    def _day_ends(self) -> Iterator[DayEnd]:
        number, at = 1, self.start + timedelta(days=1)
        while at < self.end:
            yield DayEnd(number, at)
            number, at = number + 1, at + timedelta(days=1)
        yield DayEnd(number, self.end)
