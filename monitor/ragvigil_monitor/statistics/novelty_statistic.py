"""Whether the mean of a window departs from its season in a direction in which it never moved before.

C is the second moment of residuals r of past windows (their expectation is 0), V the covariance of single queries.
The generalised eigenproblem C u = c V u, uᵀVu = 1, gives axes on which a single query has variance 1 and windows
wander with variance c. T = Σ_k (u_kᵀ r)² / (c_k + 1/m): what the traffic does by itself weighs little, a new topic
much. Needs m >= 1; without drift T is about d or less, but its limit comes from a replay.

Source: the Hotelling statistic with the between-window covariance added to the sampling covariance; for the
eigenproblem Golub & Van Loan, Matrix Computations, 8.7.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class NoveltyScale:
    """axes: u_k in columns (d × d). variances: c_k (d), how far windows wander along each."""

    axes: NDArray[np.float64]
    variances: NDArray[np.float64]

    @classmethod
    def fit(cls, residuals: NDArray[np.float64], covariance: NDArray[np.float64]) -> Self:
        """Learn from residuals of past windows (W × d) and a positive definite covariance (d × d)."""
        second_moment = residuals.T @ residuals / max(len(residuals), 1)
        variances, axes = scipy.linalg.eigh(second_moment, covariance)
        return cls(axes, np.maximum(variances, 0.0))

    def statistics(self, residuals: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """T of each window from its residual (W × d) and its number of vectors (W); NaN without vectors."""
        m = np.where(counts >= 1, counts, np.nan)
        along = residuals @ self.axes
        found: NDArray[np.float64] = (along**2 / (self.variances + 1 / m[:, None])).sum(axis=1)
        return found
