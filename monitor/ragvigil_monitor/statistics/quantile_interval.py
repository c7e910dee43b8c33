"""Interval of a quantile from order statistics, whatever the distribution.

The number of observations at or below the true q-quantile is Binomial(n, q). So the k-th smallest lies above it with
probability P(Bin(n, q) <= k - 1), and below it with P(Bin(n, q) >= k). Observations have to be independent; where they
come from a mixture over time the bounds only become wider than needed (Hoeffding 1956).

Source: David & Nagaraja, Order Statistics, 3rd edition (2003), section 7.1; Hahn & Meeker, Statistical Intervals
(1991), section 5.2.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate


@dataclass(frozen=True, slots=True)
class Ranks:
    """Which order statistics (1 is the smallest) estimate and bound a quantile; None: the sample is too small."""

    value: int
    lower: int | None
    upper: int | None
    alarm_lower: int | None


def ranks(n: int, q: float, *, level: float = 0.95, alpha: float) -> Ranks:
    """The ranks that matter in a sample of `n` >= 1, so that a database has to return only these.

    q: the quantile in (0, 1). level: of the two-sided interval. alpha: error probability of the alarm bound.

    >>> ranks(100, 0.5, alpha=0.01)
    Ranks(value=50, lower=40, upper=61, alarm_lower=38)
    >>> ranks(10, 0.95, alpha=0.01).upper is None
    True
    """
    tail = (1 - level) / 2
    return Ranks(
        value=max(1, math.ceil(q * n - 1e-9)),
        lower=lower_rank(n, q, tail),
        upper=upper_rank(n, q, tail),
        alarm_lower=lower_rank(n, q, alpha),
    )


def lower_rank(n: int, q: float, alpha: float) -> int | None:
    """The largest k with P(Bin(n, q) <= k - 1) <= alpha, or None.

    >>> lower_rank(100, 0.95, 0.025)
    90
    """
    k = min(n, max(0, math.ceil(scipy.special.bdtrik(alpha, n, q))))
    while k > 0 and scipy.special.bdtr(k - 1, n, q) > alpha:
        k -= 1
    return k or None


def upper_rank(n: int, q: float, alpha: float) -> int | None:
    """The smallest k with P(Bin(n, q) >= k) <= alpha, or None.

    It is the mirror image of `lower_rank`: counted from the largest, with 1 - q in place of q.

    >>> upper_rank(100, 0.95, 0.025)
    100
    """
    from_above = lower_rank(n, 1 - q, alpha)
    return None if from_above is None else n + 1 - from_above


def needed(q: float, level: float = 0.95) -> int:
    """The smallest n whose largest observation bounds the q-quantile from above: q^n <= (1 - level) / 2.

    >>> needed(0.95), needed(0.99)
    (72, 368)
    """
    return math.ceil(math.log((1 - level) / 2) / math.log(q))


def quantile_interval(sample: ArrayLike, q: float, *, level: float = 0.95, alpha: float) -> IntervalEstimate:
    """Estimate the q-quantile of `sample`; NaN and infinite values are left out and counted as missing.

    >>> quantile_interval(range(1, 101), 0.5, alpha=0.01)  # doctest: +ELLIPSIS
    IntervalEstimate(value=50.0, lower=40.0, upper=61.0, alarm_lower=38.0, n=100, missing=0, needed=6, ...)
    """
    given = np.asarray(sample, dtype=np.float64).ravel()
    finite = given[np.isfinite(given)]
    missing = len(given) - len(finite)
    if not len(finite):
        return IntervalEstimate(None, None, None, None, 0, missing, needed(q, level))
    return _at_ranks(finite, ranks(len(finite), q, level=level, alpha=alpha), missing, needed(q, level))


def _at_ranks(finite: np.ndarray, at: Ranks, missing: int, needed_n: int) -> IntervalEstimate:
    places = [rank - 1 for rank in (at.value, at.lower, at.upper, at.alarm_lower) if rank is not None]
    ordered = np.partition(finite, sorted(set(places)))

    def pick(rank: int | None) -> float | None:
        return None if rank is None else float(ordered[rank - 1])

    return IntervalEstimate(
        float(ordered[at.value - 1]),
        pick(at.lower),
        pick(at.upper),
        pick(at.alarm_lower),
        len(finite),
        missing,
        needed_n,
    )
