"""Windows of query vectors, known only by their hourly sums: all that the drift statistics need of them."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.statistics.hour_of_week import CELLS, season_cells


@dataclass(frozen=True, slots=True)
class HourlySums:
    """hours: since the epoch, ascending, each once (H). counts: vectors in it (H). sums: of the vectors (H × d).

    squares: sum of their squared lengths (H). An hour that is absent had no vectors.
    """

    hours: NDArray[np.int64]
    counts: NDArray[np.float64]
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]

    def within(self, start: int, end: int) -> Self:
        """The hours in [start, end)."""
        return self._where((self.hours >= start) & (self.hours < end))

    def without(self, start: int, end: int) -> Self:
        """The hours outside [start, end)."""
        return self._where((self.hours < start) | (self.hours >= end))

    def _where(self, chosen: NDArray[np.bool_]) -> Self:
        return type(self)(self.hours[chosen], self.counts[chosen], self.sums[chosen], self.squares[chosen])


@dataclass(frozen=True, slots=True)
class VectorWindows:
    """counts: vectors in each window (W). means: of the vectors (W × d; 0 in an empty window).

    squares: mean squared length (W). shares: of the vectors in each season cell (W × 48).
    """

    counts: NDArray[np.float64]
    means: NDArray[np.float64]
    squares: NDArray[np.float64]
    shares: NDArray[np.float64]


def trailing_windows(hourly: HourlySums, ends: NDArray[np.int64], *, length_h: int) -> VectorWindows:
    """The windows of `length_h` hours that end (exclusively) at `ends`, in hours since the epoch."""
    first = np.searchsorted(hourly.hours, ends - length_h)
    last = np.searchsorted(hourly.hours, ends)
    in_cells = np.zeros((len(hourly.hours), CELLS))
    in_cells[np.arange(len(hourly.hours)), season_cells(hourly.hours)] = hourly.counts
    counts = _between(hourly.counts, first, last)
    per_vector = 1 / np.maximum(counts, 1)
    return VectorWindows(
        counts,
        _between(hourly.sums, first, last) * per_vector[:, None],
        _between(hourly.squares, first, last) * per_vector,
        _between(in_cells, first, last) * per_vector[:, None],
    )


def _between(values: NDArray[np.float64], first: NDArray[np.intp], last: NDArray[np.intp]) -> NDArray[np.float64]:
    cumulative = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    difference: NDArray[np.float64] = cumulative[last] - cumulative[first]
    return difference
