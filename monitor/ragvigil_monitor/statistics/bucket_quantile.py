"""Interval of a quantile from counts in logarithmic buckets, which add up over hours.

Bucket i holds the values in (γ^(i-1), γ^i], γ = 1.01/0.99, so that its middle 2γ^i/(γ+1) is within 1 % of each of them;
below 10^-6 there is one bucket, worth 0. The ranks are those of `quantile_interval`; the estimate is the middle of the
bucket that holds the rank, a bound the edge of its bucket that is on the safe side. So the estimate is within 1 % of
that of the values themselves, and each bound lies outside theirs by at most 2 %.

Source: Masson, Rim & Lee, DDSketch, PVLDB 12 (2019).
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.quantile_interval import needed, ranks

RELATIVE_ERROR: Final = 0.01
GAMMA: Final = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
_SMALLEST: Final = 1e-6
ZERO: Final = -1000
"""The bucket of everything up to 10^-6."""


def bucket_quantile_interval(
    buckets: ArrayLike, counts: ArrayLike, q: float, *, missing: int, level: float = 0.95, alpha: float
) -> IntervalEstimate:
    """Estimate the q-quantile of the values that were counted.

    buckets, counts: in any order, a bucket may come more than once. missing: values that are not known.

    >>> bucket_quantile_interval([230, 231], [90, 10], 0.5, missing=0, alpha=0.01).value  # doctest: +ELLIPSIS
    98.5...
    >>> bucket_quantile_interval([], [], 0.5, missing=3, alpha=0.01).value is None
    True
    """
    at, n = np.unique(np.asarray(buckets, dtype=np.int64), return_inverse=True)
    upto = np.cumsum(np.bincount(n, np.asarray(counts, dtype=np.float64), len(at))).astype(np.int64)
    total = int(upto[-1]) if len(upto) else 0
    if total == 0:
        return IntervalEstimate(None, None, None, None, 0, missing, needed(q, level))
    found = ranks(total, q, level=level, alpha=alpha)

    def bucket(rank: int) -> int:
        return int(at[np.searchsorted(upto, rank)])

    return IntervalEstimate(
        _middle(bucket(found.value)),
        None if found.lower is None else _edge(bucket(found.lower) - 1),
        None if found.upper is None else _edge(bucket(found.upper)),
        None if found.alarm_lower is None else _edge(bucket(found.alarm_lower) - 1),
        total,
        missing,
        needed(q, level),
    )


def _middle(bucket: int) -> float:
    return 0.0 if bucket <= ZERO else float(2 * GAMMA**bucket / (GAMMA + 1))


def _edge(bucket: int) -> float:
    if bucket <= ZERO:
        return _SMALLEST if bucket == ZERO else 0.0
    return float(GAMMA**bucket)
