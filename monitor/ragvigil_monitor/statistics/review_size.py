"""How many reviews a verdict needs: the exact power of a Clopper-Pearson bound against a limit.

In a simple random sample of n the lower bound exceeds the limit L when X >= c, the smallest c with P(Bin(n, L) >= c) <=
tail; the power is P(Bin(n, truth) >= c). It rises with n in a saw-tooth, so the size is the one from which on the power
stays. A rate below the limit is the mirror image. Where weights differ, a sample of n is worth n_eff of these.

Source: Chernick & Liu, The saw-toothed behavior of power versus sample size, The American Statistician 56 (2002).
"""

import math

import numpy as np
import scipy
from numpy.typing import NDArray

from ragvigil_monitor.statistics.hajek import RateEstimate

MOST = 5_000
"""More reviews than this are not a plan."""


def reviews_needed(truth: float, limit: float, *, tail: float = 0.025, power: float = 0.8) -> int | None:
    """The size of a simple random sample that shows, with probability `power`, on which side of `limit` a rate is.

    truth: the rate, in [0, 1]. tail: error probability of the bound. None where it is more than 5,000, or where
    truth = limit, which no sample tells apart.

    >>> reviews_needed(0.06, 0.02), reviews_needed(0.08, 0.02), reviews_needed(0.0, 0.02)
    (188, 98, 183)
    """
    if truth < limit:
        truth, limit = 1 - truth, 1 - limit
    about = _normal_size(truth, limit, tail, power)
    if about > MOST:
        return None
    n = np.arange(1, 2 * about + 200, dtype=np.float64)
    failing = np.flatnonzero(_power(n, truth, limit, tail) < power)
    return int(failing[-1]) + 2 if len(failing) else 1


def more_reviews(estimate: RateEstimate, limit: float, *, alarm: float | None = None) -> int | None:
    """How many more reviews of the same kind a verdict about `limit` needs, if the rate is what it seems.

    alarm: error probability of the alarm bound, where that one decides whether a rate lies above the limit; None: the
    95 % interval decides. 0: there is a verdict already. None: more than 5,000, or the rate seems to lie on the limit.
    Without any evidence the rate is taken to be a half of the limit.
    """
    if estimate.value is None or estimate.lower is None or estimate.upper is None or estimate.alarm_lower is None:
        return reviews_needed(limit / 2, limit)
    if (estimate.lower if alarm is None else estimate.alarm_lower) > limit or estimate.upper <= limit:
        return 0
    tail = 0.025 if alarm is None or estimate.value < limit else alarm
    wanted = reviews_needed(estimate.value, limit, tail=tail)
    return None if wanted is None else max(1, math.ceil(wanted * estimate.n / estimate.n_eff) - estimate.n)


def _normal_size(truth: float, limit: float, tail: float, power: float) -> float:
    if truth == limit:
        return math.inf
    spread = scipy.special.ndtri(1 - tail) * math.sqrt(limit * (1 - limit)) + scipy.special.ndtri(power) * math.sqrt(
        truth * (1 - truth)
    )
    return math.ceil((spread / (truth - limit)) ** 2)


def _power(n: NDArray[np.float64], truth: float, limit: float, tail: float) -> NDArray[np.float64]:
    """For each n the probability that the lower bound exceeds the limit."""
    critical = np.maximum(np.ceil(scipy.special.bdtrik(1 - tail, n, limit)), 1)
    critical += _at_least(critical, n, limit) > tail
    return _at_least(critical, n, truth)


def _at_least(x: NDArray[np.float64], n: NDArray[np.float64], p: float) -> NDArray[np.float64]:
    """P(Bin(n, p) >= x) for x >= 1."""
    return np.where(x <= n, scipy.special.betainc(x, np.maximum(n - x, 0) + 1, p), 0.0)
