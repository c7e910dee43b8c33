"""What a look finds of one series over one window: the estimate, its limits, the state, and all that in words."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.guardrails.models import SliceShare, State
from ragvigil_monitor.job import Write
from ragvigil_monitor.signals.signal import Window
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.mix_rate_split import MixRateSplit
from ragvigil_monitor.store import Store

NOTHING = IntervalEstimate(None, None, None, None, n=0, missing=0, needed=0)


@dataclass(frozen=True, slots=True)
class Limits:
    """Between which values a series may lie; None where that side is open. expected: its usual value, if known."""

    lower: float | None = None
    upper: float | None = None
    expected: float | None = None


@dataclass(frozen=True, slots=True)
class Beyond:
    """Which single observations speak for a breach; onset, slices and traces of an alert are counted from them.

    limit: those above it, or below it where `below`. tolerated: the share that may lie there; None for a mean, where
    excess counts budgets overspent. quantile: which quantile a slice is estimated by; None: by its mean.
    among: what the observations are, where they are only a part of what the series counts.
    history_start: since when each slice has a history of its own to compare it with; None: `tolerated` holds for all.
    """

    limit: float
    tolerated: float | None
    quantile: float | None = None
    below: bool = False
    history_start: datetime | None = None
    among: str | None = None


@dataclass(frozen=True, slots=True)
class Attribution:
    """Which slices and traces a breach comes from, those that contribute most first.

    note: sentences that follow the finding's. keep: writes what is to be kept of how it was found.
    """

    note: str
    slices: list[SliceShare]
    trace_ids: list[str]
    keep: Write


@dataclass(frozen=True, slots=True)
class HoursBeyond:
    """For each hour from a start on: observations, and how many of them speak for a breach."""

    beyond: NDArray[np.float64]
    totals: NDArray[np.float64]


class Investigation(Protocol):
    """Finds out what stands behind a breach, where that is not counted from single observations."""

    def attribution(self, store: Store, since: datetime) -> Attribution:
        """Which slices and traces it comes from; what was found since the alert was opened may be said again."""

    def by_hour(self, store: Store, start: datetime, end: datetime) -> HoursBeyond:
        """From what hour on there is more of what made the breach: counts of each hour in [start, end)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One series over one window. limits, beyond: None where the series is only shown; then it is `unguarded`.

    investigation: for a signal without single observations; then `beyond` is None. split: computes how much of a
    change is another mix of intents; None where there is no history or nothing to split.
    """

    series: str
    window: Window
    estimate: IntervalEstimate
    state: State
    sentence: str = ""
    limits: Limits | None = None
    beyond: Beyond | None = None
    investigation: Investigation | None = None
    split: Callable[[], MixRateSplit | None] | None = field(default=None, compare=False)

    @property
    def crossed(self) -> float | None:
        """The limit on the side that the observations speak for; the upper one where there are none."""
        if self.limits is None:
            return None
        return self.limits.lower if self.beyond is not None and self.beyond.below else self.limits.upper
