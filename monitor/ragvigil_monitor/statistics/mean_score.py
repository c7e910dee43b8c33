"""Interval of the mean of scores in [0, 1] of which most are near 1, with the upper bound that an alarm needs.

With u = 1 - score, a mean score below a limit is a mean u above 1 - limit, and u is non-negative and skewed to the
right like a cost. So the bounds are 1 minus those of `mean_interval` on u, cut to [0, 1]; the sources are given there.
What its alarm bound allows for are perfect answers that happen to be absent from the sample.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.mean_interval import mean_interval


def mean_score(scores: ArrayLike, *, level: float = 0.95, alpha: float) -> IntervalEstimate:
    """Estimate the mean of `scores`; NaN and whatever lies outside [0, 1] is left out and counted as missing.

    level: of the two-sided interval; None below 30 scores. alpha: error probability of `alarm_upper`.

    >>> mean_score([0.5] * 100, alpha=0.001).alarm_upper  # doctest: +ELLIPSIS
    0.538...
    >>> mean_score([], alpha=0.001).value is None
    True
    """
    given = np.asarray(scores, dtype=np.float64).ravel()
    lacking = np.where((given >= 0) & (given <= 1), 1 - given, np.nan)
    found = mean_interval(lacking, level=level, alpha=alpha).subtracted_from(1.0)
    return replace(found, lower=None if found.lower is None else max(0.0, found.lower))
