"""Tails and control limits of the beta-binomial distribution: counts whose rate itself varies.

X of n with mean rate p and intra-class correlation ρ is Binomial(n, P) with P ~ Beta(p s, (1-p) s), s = 1/ρ - 1. All
n + 1 probabilities follow from the ratio of neighbours, pmf(x+1)/pmf(x) = (n-x)(x+ps) / ((x+1)(n-x-1+qs)), so both
tails cost one pass, and small tails are sums of small numbers rather than differences from 1.

Source: Skellam, A probability distribution derived from the binomial …, JRSS B 10 (1948); Johnson, Kemp & Kotz,
Univariate Discrete Distributions, 3rd edition (2005), section 6.2.2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
LEAST_RATIO = 1.25
LEAST_EXCESS = 3.0
"""Beyond the limits nothing is worth a page that is not a quarter and three events away from what is expected."""
LARGEST_CORRELATION = 0.999
LEAST_RATE = 1e-9
"""A rate of exactly 0 or 1 would say that the other outcome is impossible."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest and the smallest count inside; None where even n, or even 0, is inside."""

    lower: int | None
    upper: int | None


def tails(n: int, rate: float, correlation: float) -> tuple[FloatArray, FloatArray]:
    """P(X <= x) and P(X >= x) for x = 0 … n. rate in (0, 1), correlation in (0, 1).

    >>> below, above = tails(2, 0.5, 1 / 3)
    >>> below.round(3), above.round(3)
    (array([0.333, 0.667, 1.   ]), array([1.   , 0.667, 0.333]))
    """
    s = 1 / correlation - 1
    x = np.arange(n, dtype=np.float64)
    steps = np.log((n - x) / (x + 1)) + np.log((x + rate * s) / (n - x - 1 + (1 - rate) * s))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    probabilities = np.exp(logs - logs.max())
    probabilities /= probabilities.sum()
    return np.cumsum(probabilities).clip(max=1.0), np.cumsum(probabilities[::-1])[::-1].clip(max=1.0)


def control_limits(n: int, rate: float, correlation: float, alpha: float) -> Limits:
    """Between which counts of `n` there is no alarm: each side is crossed with probability below `alpha`.

    >>> control_limits(520, 22 / 520, 0.002, 0.001)
    Limits(lower=6, upper=46)
    """
    rate = min(max(rate, LEAST_RATE), 1 - LEAST_RATE)
    below, above = tails(n, rate, min(correlation, LARGEST_CORRELATION))
    expected, count = n * rate, np.arange(n + 1)
    high = (above < alpha) & (count >= LEAST_RATIO * expected) & (count >= expected + LEAST_EXCESS)
    low = (below < alpha) & (count <= expected / LEAST_RATIO) & (count <= expected - LEAST_EXCESS)
    return Limits(
        lower=int(np.flatnonzero(low)[-1]) + 1 if low.any() else None,
        upper=int(np.flatnonzero(high)[0]) - 1 if high.any() else None,
    )
