"""A limit that the largest value of a day exceeds with a wanted probability, extrapolated from past daily maxima.

Maxima of many dependent values are close to a Gumbel distribution, fitted by moments: with mean M and deviation s,
β = s √6/π and location M - γ β (γ = 0.5772…, Euler); the limit with exceedance probability p is
location - β ln(-ln(1 - p)). A budget of b false alarms a week is p = b / 7.

Source: Gumbel, Statistics of Extremes (1958), 6.2.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

NEEDED_DAYS = 10
"""With fewer daily maxima their deviation is too uncertain to extrapolate from."""


@dataclass(frozen=True, slots=True)
class GumbelLimit:
    """The distribution of daily maxima: its location and scale, and from how many days they are known."""

    location: float
    scale: float
    days: int

    @classmethod
    def fit(cls, daily_maxima: ArrayLike) -> Self | None:
        """Learn from daily maxima; NaN (a day that was not judged) is left out. None below ten days.

        >>> GumbelLimit.fit(range(1, 21)).at(0.1)  # doctest: +ELLIPSIS
        18.2...
        """
        maxima = np.asarray(daily_maxima, dtype=np.float64)
        known = maxima[np.isfinite(maxima)]
        if len(known) < NEEDED_DAYS:
            return None
        scale = float(known.std(ddof=1)) * math.sqrt(6) / math.pi
        return cls(float(known.mean()) - float(np.euler_gamma) * scale, scale, len(known))

    def at(self, probability: float) -> float:
        """The limit that a day's largest value exceeds with this probability, in (0, 1)."""
        return self.location - self.scale * math.log(-math.log1p(-probability))

    def exceedance(self, limit: float) -> float:
        """The probability that a day's largest value exceeds `limit`; 0 or 1 where days do not differ."""
        if self.scale == 0:
            return float(limit < self.location)
        return -math.expm1(-math.exp(min((self.location - limit) / self.scale, 700.0)))
