"""Events among answers, hour by hour: what a rate with a season is made of."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class HourlyCounts:
    """Consecutive hours, the newest last. events of totals; an hour without traffic is 0 of 0.

    cells: which hours are alike, as from `hour_of_week.hour_cells`. Raises ValueError for arrays of unequal length and
    unless 0 <= events <= totals are finite.
    """

    events: FloatArray
    totals: FloatArray
    cells: IntArray

    def __post_init__(self) -> None:
        if not len(self.events) == len(self.totals) == len(self.cells):
            raise ValueError(f"{len(self.events)} events, {len(self.totals)} totals and {len(self.cells)} cells differ")
        if not (np.isfinite(self.totals).all() and (self.events >= 0).all() and (self.events <= self.totals).all()):
            raise ValueError("events must be at least 0 and at most their totals, and totals finite")

    def __len__(self) -> int:
        return len(self.totals)

    def last(self, hours: int) -> Self:
        """The newest hours. Raises ValueError when there are fewer."""
        if not 0 < hours <= len(self):
            raise ValueError(f"a window of {hours} h needs as many hours; there are {len(self)}")
        return self._part(slice(-hours, None))

    def before_last(self, hours: int) -> Self:
        """All but the newest hours, from the first hour with traffic on."""
        end = max(0, len(self) - hours)
        with_traffic = np.flatnonzero(self.totals[:end])
        return self._part(slice(with_traffic[0] if len(with_traffic) else end, end))

    def without(self, excluded: NDArray[np.bool_]) -> Self:
        """The same hours, but the excluded ones empty."""
        return type(self)(np.where(excluded, 0, self.events), np.where(excluded, 0, self.totals), self.cells)

    def _part(self, which: slice) -> Self:
        return type(self)(self.events[which], self.totals[which], self.cells[which])
