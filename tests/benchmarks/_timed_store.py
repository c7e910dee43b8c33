"""A store that notes how long each of its questions takes."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from numpy.typing import NDArray

from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.database import Row

CHOICES: Final = ("signal", "series", "guardrail", "order", "stage", "intent", "kind", "judge", "below")
"""Values that decide how much a question has to do, whatever the store."""


class Asked(NamedTuple):
    """One question.

    reach: from the earliest time that it names until `now`; zero where it names none. variant: what was chosen, and the
    hours from its first to its last time.
    """

    took_s: float
    reach: timedelta
    variant: tuple[object, ...] = ()


class Times:
    """What every question took, by its name."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self.by_question: defaultdict[str, list[Asked]] = defaultdict(list)

    @contextmanager
    def noted(self, question: str, values: Mapping[str, object]) -> Iterator[None]:
        """Time the block."""
        began = time.perf_counter()
        yield
        took_s = time.perf_counter() - began
        ago = [self._now - value for value in values.values() if isinstance(value, datetime)]
        reach, latest = max(ago, default=timedelta()), min(ago, default=timedelta())
        variant = (*(values.get(name) for name in CHOICES), round((reach - latest) / timedelta(hours=1)))
        self.by_question[question].append(Asked(took_s, reach, variant))


class TimedStore(Store):
    """Set `times` before the first question."""

    times: Times

    def rows(self, question: str, **values: object) -> list[Row]:
        """As it is, timed."""
        with self.times.noted(question, values):
            return super().rows(question, **values)

    def columns(self, question: str, **values: object) -> dict[str, NDArray[Any]]:
        """As it is, timed."""
        with self.times.noted(question, values):
            return super().columns(question, **values)

    @contextmanager
    def transaction(self) -> Iterator[Writer]:
        """As it is, with a timed writer."""
        with super().transaction() as writer:
            yield TimedWriter(writer, self.times)


class TimedWriter(Writer):
    """Notes what a writer's questions take."""

    def __init__(self, writer: Writer, times: Times) -> None:
        super().__init__(writer._cursor)
        self._times = times

    def execute(self, question: str, **values: object) -> list[Row]:
        """As it is, timed."""
        with self._times.noted(question, values):
            return super().execute(question, **values)
