"""The usual rate of each hour of the week, shrunk towards the overall rate as far as its cell knows little.

With N_c answers, rate p̂_c and K_c hours with traffic in cell c, and ρ the overdispersion of one hour, a cell is worth
n*_c = N_c / (1 + (N_c/K_c - 1) ρ) independent answers. How much cells differ beyond chance is
τ² = [Σ n*_c (p̂_c - p̄)² - (C-1) p̄q̄] / [Σ n* - Σ n*²/Σ n*], worth m = p̄q̄/τ² - 1 answers of prior (10⁷ if τ² <= 0).
Then p_c = (n*_c p̂_c + m p̄) / (n*_c + m), and u_c = 1/(n*_c + m + 1) is the variance of p_c over p_c q_c.

Cells that have no traffic get p̄, with the uncertainty of a cell drawn afresh.

Source: Kleinman, Proportions with extraneous variance: single and independent samples, JASA 68 (1973).
"""

from dataclasses import dataclass, replace

import numpy as np

from ragvigil_monitor.statistics.hour_of_week import CELLS
from ragvigil_monitor.statistics.hourly_counts import FloatArray, HourlyCounts

ALIKE = 1e7
"""Worth of the prior, in answers, where cells do not differ beyond chance."""


@dataclass(frozen=True, slots=True)
class SeasonalRate:
    """By cell: the usual rate, and its uncertainty u as variance over p q. overall: the rate of all cells together."""

    rates: FloatArray
    uncertainty: FloatArray
    overall: float


def seasonal_rate(history: HourlyCounts, overdispersion: float) -> SeasonalRate:
    """Fit the history; hours with 0 of 0 do not count. Raises ValueError where no hour has traffic.

    overdispersion: of one hour, in [0, 1).

    >>> usual = seasonal_rate(HourlyCounts(np.full(48, 9.0), np.full(48, 90.0), np.arange(48)), 0.0)
    >>> usual.overall, round(float(usual.rates[0]), 3)
    (0.1, 0.1)
    """
    n, x = (np.bincount(history.cells, each, CELLS) for each in (history.totals, history.events))
    hours = np.bincount(history.cells, history.totals > 0, CELLS)
    if not n.any():
        raise ValueError("a usual rate needs an hour with traffic")
    worth = n / (1 + np.maximum(n / np.maximum(hours, 1) - 1, 0) * overdispersion)
    found = np.divide(x, n, out=np.zeros(CELLS), where=n > 0)
    overall = min(float(worth @ found / worth.sum()), 1.0)
    prior = _prior(worth, found, overall)
    known = worth + prior
    rates = np.divide(worth * found + prior * overall, known, out=np.full(CELLS, overall), where=known > 0)
    return SeasonalRate(rates, 1 / (known + 1), overall)


def flat_rate(history: HourlyCounts, overdispersion: float) -> SeasonalRate:
    """One rate for every hour, for a history that is too short to know its season."""
    fitted = seasonal_rate(replace(history, cells=np.zeros_like(history.cells)), overdispersion)
    return SeasonalRate(np.full(CELLS, fitted.overall), np.full(CELLS, fitted.uncertainty[0]), fitted.overall)


def _prior(worth: FloatArray, found: FloatArray, overall: float) -> float:
    """How many answers the overall rate is worth against a cell."""
    used = np.count_nonzero(worth)
    chance = overall * (1 - overall)
    spread = worth @ (found - overall) ** 2 - (used - 1) * chance
    weight = worth.sum() - worth @ worth / worth.sum()
    if spread <= 0 or weight <= 0:
        return ALIKE
    return float(min(max(chance * weight / spread - 1, 0.0), ALIKE))
