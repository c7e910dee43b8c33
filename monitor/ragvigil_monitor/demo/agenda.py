"""What is still to come: what was planned, and what follows from what happened."""

import heapq
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import count
from typing import Generic, Protocol, TypeVar


class Event(Protocol):
    """Something at a time."""

    @property
    def at(self) -> datetime:
        """When it happens."""
        ...


Planned = TypeVar("Planned", bound=Event)
Following = TypeVar("Following", bound=Event)


class Agenda(Generic[Planned, Following]):
    """Planned events in order of time, with those between them that are added while they are worked through.

    What would follow after the last planned event does not happen.
    """

    def __init__(self, planned: Iterable[Planned]) -> None:
        self._planned = planned
        self._following: list[tuple[datetime, int, Following]] = []
        self._numbers = count()

    def add(self, event: Following) -> None:
        """Let something happen later."""
        heapq.heappush(self._following, (event.at, next(self._numbers), event))

    def events(self) -> Iterator[Planned | Following]:
        """Everything in order of time; at the same time what follows comes first."""
        for event in self._planned:
            while self._following and self._following[0][0] <= event.at:
                yield heapq.heappop(self._following)[2]
            yield event
