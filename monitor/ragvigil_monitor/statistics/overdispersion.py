"""How much more the rate of a window varies than chance: the overdispersion κ of one scale.

Over windows of k hours, N, X and E = Σ n_i p_i are trailing sums, p = E/N, H = Σ n_i²/N², D = (N-1) H and
r² = (X-E)²/(N p q), whose mean is 1 + D κ. So κ = Σ w (r² - 1) D / Σ w D² with w = 1/(1 + D κ)², in three iterations,
each without windows of r² > 16 (1 + D κ): an incident that nobody labelled would otherwise blind the band for weeks.
κ is clipped to [0, .5] and floored at the square of a tenth times p/q, since a rate that is constant to less than
10 % does not exist.

Source: Williams, Extra-binomial variation in logistic linear models, Applied Statistics 31 (1982).
"""

import numpy as np

from ragvigil_monitor.statistics.hourly_counts import FloatArray, HourlyCounts

LARGEST = 0.5
LEAST_RELATIVE_SD = 0.10
OUTLYING = 16.0
ITERATIONS = 3


def overdispersion(history: HourlyCounts, rates: FloatArray, *, scale: int) -> float:
    """The overdispersion of windows of `scale` hours.

    rates: the usual rate of each hour. Without a window that has two answers: the floor.

    >>> history = HourlyCounts(np.full(500, 10.0), np.full(500, 100.0), np.zeros(500, dtype=np.intp))
    >>> overdispersion(history, np.full(500, 0.1), scale=6)  # doctest: +ELLIPSIS
    0.0011...
    """
    totals = history.totals
    n, x, expected = (trailing_sums(each, scale) for each in (totals, history.events, totals * rates))
    floor = least(float(totals @ rates / max(totals.sum(), 1)))
    used = (n > 1) & (expected > 0) & (expected < n)
    n, x, expected = n[used], x[used], expected[used]
    excess_worth = (n - 1) * trailing_sums(totals**2, scale)[used] / n**2
    surprise = (x - expected) ** 2 * n / (expected * (n - expected))
    return max(floor, _fit(surprise, excess_worth, floor))


def least(rate: float) -> float:
    """The floor of the overdispersion: a relative standard deviation of the rate of a tenth, LARGEST at most."""
    return min(LEAST_RELATIVE_SD**2 * rate / (1 - rate), LARGEST) if rate < 1 else LARGEST


def trailing_sums(hourly: FloatArray, scale: int) -> FloatArray:
    """Sums of `scale` consecutive hours, one for each window that lies wholly inside.

    >>> trailing_sums(np.array([1.0, 2.0, 3.0]), 2)
    array([3., 5.])
    """
    summed: FloatArray = np.concatenate([[0.0], np.cumsum(hourly)])
    sums: FloatArray = summed[scale:] - summed[:-scale]
    return sums


def _fit(surprise: FloatArray, d: FloatArray, kappa: float) -> float:
    for _ in range(ITERATIONS):
        usual = surprise <= OUTLYING * (1 + d * kappa)
        weight = usual / (1 + d * kappa) ** 2
        informative = float(weight @ d**2)
        if informative == 0:
            return kappa
        kappa = min(max(float(weight @ ((surprise - 1) * d)) / informative, 0.0), LARGEST)
    return kappa
