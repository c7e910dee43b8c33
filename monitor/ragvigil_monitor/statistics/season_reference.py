"""What query vectors are on average at each hour of working days and weekends.

With the mean μ of all n vectors and n_b vectors in season cell b, the cell's mean is shrunk towards μ as if twenty
vectors at μ belonged to it: μ_b = (Σ_b x + 20 μ) / (n_b + 20), kept as its difference from μ. A window whose vectors
fall into the cells with shares p_b is expected at μ + Σ p_b μ_b; its residual is what remains of its mean.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.statistics.hour_of_week import CELLS, season_cells
from ragvigil_monitor.statistics.vector_windows import HourlySums, VectorWindows

SHRINKAGE = 20.0
RIDGE = 1e-3


@dataclass(frozen=True, slots=True)
class SeasonReference:
    """mean: of all vectors (d). cells: the shrunk mean of each season cell, less `mean` (48 × d)."""

    mean: NDArray[np.float64]
    cells: NDArray[np.float64]

    @classmethod
    def fit(cls, hourly: HourlySums) -> Self:
        """Learn from hourly sums. Raises ValueError when there is no vector."""
        n = float(hourly.counts.sum())
        if n == 0:
            raise ValueError("a reference needs vectors; there are none")
        mean = hourly.sums.sum(axis=0) / n
        cells = np.zeros((CELLS, len(mean)))
        in_cell = np.zeros(CELLS)
        where = season_cells(hourly.hours)
        np.add.at(cells, where, hourly.sums - hourly.counts[:, None] * mean)
        np.add.at(in_cell, where, hourly.counts)
        return cls(mean, cells / (in_cell + SHRINKAGE)[:, None])

    def expected(self, windows: VectorWindows) -> NDArray[np.float64]:
        """Where the season puts the mean of each window, less `mean` (W × d)."""
        return windows.shares @ self.cells

    def residuals(self, windows: VectorWindows) -> NDArray[np.float64]:
        """How far the mean of each window lies from where the season puts it (W × d)."""
        return windows.means - self.mean - self.expected(windows)


def single_query_covariance(
    second_moment: NDArray[np.float64], n: float, mean: NDArray[np.float64]
) -> NDArray[np.float64]:
    """V = Σ x xᵀ / n - μ μᵀ + 10⁻³ tr(V)/d · I from the sum of outer products of n vectors; positive definite.

    Vectors that are all alike have no covariance; then V is 10⁻³ · I, so that every departure counts.
    """
    covariance = second_moment / n - np.outer(mean, mean)
    spread = float(np.trace(covariance)) / len(mean)
    scale = spread if spread > np.finfo(np.float32).eps else 1.0
    covariance[np.diag_indices_from(covariance)] += RIDGE * scale
    return covariance
