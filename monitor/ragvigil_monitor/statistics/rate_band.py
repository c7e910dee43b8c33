"""A control band for a rate with a season: whether the newest window of k hours is unlike its own history.

The history is what came before the newest 24 hours. From it come the usual rate of each hour of the week
(`seasonal_rate`) and how much windows of k hours vary beyond chance, κ (`overdispersion`), widened by
1 + 1.28 √(2k/L) since L hours of history know it only roughly. With H = Σ n_i²/N² of the window, its count X of N is
beta-binomial with mean E = Σ n_i p_i and correlation κ H + u, where u is the uncertainty of the usual rate: that of its
cell for one hour, else 2/(n_T + 1), n_T = N_T / (1 + (N_T/L) κ), N_T answers of history.

It detects a rate that moves in either direction within hours. It does not detect a slow ramp, which the history
absorbs; traffic that disappears is a state of its own. Assumes that windows which do not overlap vary independently.

Source: the problem is that of Laney, Improved control charts for attributes, Quality Engineering 14 (2002); the parts
name their own.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from ragvigil_monitor.statistics.beta_binomial import control_limits
from ragvigil_monitor.statistics.hourly_counts import HourlyCounts
from ragvigil_monitor.statistics.overdispersion import least, overdispersion
from ragvigil_monitor.statistics.seasonal_rate import SeasonalRate, flat_rate, seasonal_rate

BandState = Literal["inside", "above", "below", "warming_up", "no_data", "no_power", "insufficient_baseline"]
HISTORY_H = 28 * 24
RECENT_H = 24
"""The newest hours, which are judged and not yet history."""
FLAT_FROM_H = 7 * 24
SEASONAL_FROM_H = 14 * 24
LEAST_EVENTS = 30
MOST_EXCLUDED = 0.30
CAUTION = 10.0
"""By how much alpha is divided while the season is not known."""


@dataclass(frozen=True, slots=True)
class Usual:
    """What the history leads to expect of one window.

    n: answers in a usual week. rate: of the answers that came; None where none did. least, most: the counts between
    which there is no alarm; None: that side cannot alarm. correlation: of two answers of the window.
    """

    n: float
    rate: float | None
    correlation: float
    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class RateBand:
    """One window against its history.

    n, events: of the window. lower, upper: 95 % interval of its rate, for display; None without answers or history.
    history_h, history_events: what the band rests on. usual: None while that is too little.
    """

    state: BandState
    n: int
    events: int
    lower: float | None
    upper: float | None
    history_h: int
    history_events: int
    usual: Usual | None

    @property
    def rate(self) -> float | None:
        """Events among answers; None without answers, never 0."""
        return self.events / self.n if self.n else None

    @property
    def expected(self) -> float | None:
        """The usual number of events among so many answers."""
        return None if self.usual is None or self.usual.rate is None else self.usual.rate * self.n

    @property
    def detectable_ratio(self) -> float | None:
        """By which factor the rate must rise to be found in every other such window; None: it cannot be found."""
        if self.usual is None or self.usual.most is None or not self.expected:
            return None
        return (self.usual.most + 1) / self.expected


@dataclass(frozen=True, slots=True)
class _History:
    """counts: from the first hour with answers on, excluded hours empty. hours: how many are not excluded."""

    counts: HourlyCounts
    hours: int

    @property
    def seasonal(self) -> bool:
        return len(self.counts) >= SEASONAL_FROM_H


def rate_band(hours: HourlyCounts, excluded: NDArray[np.bool_] | None = None, *, scale: int, alpha: float) -> RateBand:
    """Judge the newest `scale` (1 to 24) of `hours`, which should be the newest 28 days and the 24 hours after them.

    excluded: which hours are no part of the history, for example those of incidents. alpha: probability of a false
    alarm of this look, for each side; a tenth of it where the history is shorter than 14 days, since its season is not
    known. Raises ValueError unless `scale` is in 1 … 24 and there are as many hours.
    """
    if not 1 <= scale <= RECENT_H:
        raise ValueError(f"scale={scale} h is not in 1 … {RECENT_H}")
    window, history = hours.last(scale), _history(hours, excluded)
    unknown = _unknown(history)
    if unknown is not None:
        return _band(unknown, window, history, None)
    usual = _usual(window, history, alpha if history.seasonal else alpha / CAUTION)
    return _band(_state(window, usual), window, history, usual)


def _history(hours: HourlyCounts, excluded: NDArray[np.bool_] | None) -> _History:
    earlier = hours.before_last(RECENT_H)
    if excluded is None or not len(earlier):
        return _History(earlier, len(earlier))
    left_out = excluded[len(hours) - RECENT_H - len(earlier) : len(hours) - RECENT_H]
    return _History(earlier.without(left_out), int(np.count_nonzero(~left_out)))


def _unknown(history: _History) -> BandState | None:
    if len(history.counts) < FLAT_FROM_H:
        return "warming_up"
    if history.hours < (1 - MOST_EXCLUDED) * len(history.counts):
        return "insufficient_baseline"
    return "warming_up" if history.counts.events.sum() < LEAST_EVENTS else None


def _usual(window: HourlyCounts, history: _History, alpha: float) -> Usual:
    season = _season(history)
    n, usual_n = window.totals.sum(), _usual_n(window, history)
    if n == 0:
        return Usual(usual_n, None, 0.0, None, None)
    rate = float(window.totals @ season.rates[window.cells] / n)
    correlation = _correlation(window, history, season)
    limits = control_limits(int(n), rate, correlation, alpha)
    return Usual(usual_n, rate, correlation, limits.lower, limits.upper)


def _season(history: _History) -> SeasonalRate:
    """Fitted twice, since the weight of a cell depends on the overdispersion and that on the rates."""
    counts, fit = history.counts, seasonal_rate if history.seasonal else flat_rate
    first = fit(counts, least(float(counts.events.sum() / counts.totals.sum())))
    return fit(counts, overdispersion(counts, first.rates[counts.cells], scale=1))


def _correlation(window: HourlyCounts, history: _History, season: SeasonalRate) -> float:
    counts, scale = history.counts, len(window)
    found = overdispersion(counts, season.rates[counts.cells], scale=scale)
    kappa = found * (1 + 1.28 * sqrt(2 * scale / history.hours))
    concentration = float(window.totals @ window.totals / window.totals.sum() ** 2)
    if scale == 1:
        return kappa * concentration + float(season.uncertainty[window.cells[0]])
    n = counts.totals.sum()
    return float(kappa * concentration + 2 / (n / (1 + n / history.hours * kappa) + 1))


def _usual_n(window: HourlyCounts, history: _History) -> float:
    counts = history.counts
    in_cell = np.isin(counts.cells, window.cells)
    hours = np.count_nonzero(in_cell & (counts.totals > 0))
    return float(counts.totals[in_cell].sum() / hours * len(window)) if hours else 0.0


def _state(window: HourlyCounts, usual: Usual) -> BandState:
    events = window.events.sum()
    if usual.rate is None:
        return "no_data"
    if usual.most is not None and events > usual.most:
        return "above"
    if usual.least is not None and events < usual.least:
        return "below"
    return "no_power" if usual.most is None else "inside"


def _band(state: BandState, window: HourlyCounts, history: _History, usual: Usual | None) -> RateBand:
    n, events = int(window.totals.sum()), int(window.events.sum())
    lower, upper = _interval(n, events, usual.correlation) if n and usual is not None else (None, None)
    known = int(history.counts.events.sum())
    return RateBand(state, n, events, lower, upper, history.hours, known, usual)


def _interval(n: int, events: int, correlation: float) -> tuple[float, float]:
    """Clopper and Pearson's limits at the effective sample size."""
    effective = n / (1 + (n - 1) * correlation)
    x = events / n * effective
    lower = scipy.special.betaincinv(x, effective - x + 1, 0.025) if events else 0.0
    upper = scipy.special.betaincinv(x + 1, effective - x, 0.975) if events < n else 1.0
    return float(lower), float(upper)
