"""Vectors that may enter a statistic: finite, not zero, scaled to length one.

One NaN makes a kernel NaN everywhere and a p value meaningless, so such vectors are left out and counted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class UsableVectors:
    """unit: n × d, rows of length one. kept: which of the given rows they are, ascending.

    dropped: how many of the given rows were NaN, infinite or zero.
    """

    unit: NDArray[np.float64]
    kept: NDArray[np.intp]
    dropped: int


def usable_vectors(vectors: ArrayLike) -> UsableVectors:
    """Check and scale the rows of a matrix of any real type. Raises ValueError unless it has two axes, d at least 1.

    >>> found = usable_vectors([[3, 4], [0, 0], [float("nan"), 1]])
    >>> found.unit.tolist(), found.kept.tolist(), found.dropped
    ([[0.6, 0.8]], [0], 2)
    """
    given = np.asarray(vectors, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] == 0:
        raise ValueError(f"expected a matrix with one vector a row, got the shape {given.shape}")
    largest = np.abs(given).max(axis=1)
    largest[~np.isfinite(largest)] = 0.0
    kept = np.flatnonzero(largest > 0)
    scaled = given[kept] / largest[kept, None]
    unit = scaled / np.linalg.norm(scaled, axis=1)[:, None]
    return UsableVectors(unit, kept, len(given) - len(kept))


def duplicate_share(vectors: NDArray[np.float64]) -> float:
    """Share of rows that are an exact copy of an earlier row; 0 without rows.

    >>> duplicate_share(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]))
    0.5
    """
    return 0.0 if len(vectors) == 0 else 1 - len(first_copies(vectors)) / len(vectors)


def first_copies(vectors: NDArray[np.float64]) -> NDArray[np.intp]:
    """Ascending places of the rows that are no copy of an earlier row."""
    return np.sort(np.unique(vectors, axis=0, return_index=True)[1])
