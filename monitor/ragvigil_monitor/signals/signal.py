"""What a signal is, what it may look at, and what it finds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open span of data time, [start, end), aware and in UTC."""

    end: datetime
    length_s: int

    @property
    def start(self) -> datetime:
        """The first instant inside."""
        return self.end - timedelta(seconds=self.length_s)


@dataclass(frozen=True, slots=True)
class Look:
    """All that a signal may depend on. alpha: the error probability that the budget leaves to its alarm bound."""

    store: Store
    window: Window
    settings: Settings
    alpha: float


@dataclass(frozen=True, slots=True)
class Signal(Generic[Found]):
    """A quantity that is watched.

    unit: `ms`, `usd` or `ratio`. estimate: one result for each series with data in the window, of the type that the
    rule of its guardrail judges.
    """

    name: str
    unit: str
    estimate: Callable[[Look], Mapping[str, Found]]
