"""Rates with a season: series `all`, and `intent=<name>` for the intents that are watched; hour by hour.

A rate is a share of answers to which something happened within `matures_s` of their start. Alarms of the past are no
part of the history, from six hours before each until six hours after it was over, unless somebody decides otherwise.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.settings import RateBand as Section
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Look, Signal
from ragvigil_monitor.statistics.hour_of_week import hour_cells
from ragvigil_monitor.statistics.hourly_counts import HourlyCounts
from ragvigil_monitor.statistics.rate_band import HISTORY_H, RECENT_H, RateBand, rate_band
from ragvigil_monitor.store.database import Row

Counts = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Events and totals, hour by hour."""

ALL: Final = "all"
LOOKED_BACK: Final = timedelta(hours=HISTORY_H + RECENT_H)
_HOUR: Final = timedelta(hours=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NO_HOURS: Final = np.zeros(HISTORY_H + RECENT_H)


@dataclass(frozen=True, slots=True)
class Rate:
    """matures_s: how long after the start of an answer something may still happen to it that counts."""

    name: str
    section: Callable[[Settings], Section]
    matures_s: float

    @property
    def signal(self) -> Signal[RateBand]:
        """The signal that watches this rate."""
        return Signal(name=self.name, unit="ratio", estimate=partial(estimate, self))


def series_of_intent(intent: str) -> str:
    """What the series of an intent is called."""
    return f"intent={intent}"


def estimate(rate: Rate, look: Look) -> dict[str, RateBand]:
    """The band of every series that is watched; `all` and the listed intents always, even without traffic."""
    start = look.window.end - LOOKED_BACK
    counts = _watched(counted(rate, look, start), rate.section(look.settings))
    cells = hour_cells((start - _EPOCH) // _HOUR, len(_NO_HOURS), look.settings.alarms.days_off)
    decisions = decided(rate, look, start)
    return {
        series: rate_band(
            HourlyCounts(events, totals, cells),
            excluded_hours([each for each in decisions if each["series"] in (series, None)], start),
            scale=timedelta(seconds=look.window.length_s) // _HOUR,
            alpha=look.alpha,
        )
        for series, (events, totals) in counts.items()
    }


def decided(rate: Rate, look: Look, start: datetime) -> list[Row]:
    """What was decided about the history from `start` on, up to the end of the look."""
    return look.store.rows("history_decisions", guardrail=rate.name, known_at=look.window.end, window_start=start)


def counted(rate: Rate, look: Look, start: datetime) -> dict[str, Counts]:
    """Of every series: events and totals of each hour from `start` to the end of the look."""
    found = look.store.columns("rate_counts_of", signal=rate.name, window_start=start, window_end=look.window.end)
    columns = (found[name] for name in ("series", "hours", "events", "totals"))
    return {
        str(series): (_spread(hours, events), _spread(hours, totals))
        for series, hours, events, totals in zip(*columns, strict=True)
    }


def _spread(hours: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
    spread = np.zeros_like(_NO_HOURS)
    spread[hours] = counts
    return spread


def _watched(counted: Mapping[str, Counts], section: Section) -> dict[str, Counts]:
    """All answers, and the listed intents or else those with most answers in the history."""
    listed = [series_of_intent(intent) for intent in section.intents] or _busiest(counted, section)
    return {series: counted.get(series, (_NO_HOURS, _NO_HOURS)) for series in (ALL, *listed)}


def _busiest(counted: Mapping[str, Counts], section: Section) -> list[str]:
    n = {series: totals[:HISTORY_H].sum() for series, (_, totals) in counted.items()}
    least = max(section.least_share * n.pop(ALL, 0), 1)
    enough = [series for series in n if n[series] >= least]
    return sorted(enough, key=lambda series: (-n[series], series))[: section.most_intents]


def excluded_hours(decisions: Iterable[Row], start: datetime) -> NDArray[np.bool_]:
    """The hours, from `start` on, that are touched by a span that does not count."""
    excluded = np.zeros(len(_NO_HOURS), dtype=bool)
    for decision in decisions:
        first = (decision["starts_at"] - start) // _HOUR
        end = len(excluded) if decision["ends_at"] is None else -((start - decision["ends_at"]) // _HOUR)
        excluded[max(0, first) : max(0, end)] = not decision["counts"]
    return excluded
