"""The kernel k(x, y) = exp(-γ ‖x - y‖²) between rows of matrices, and the usual choice of γ."""

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 2_000
"""More points do not change the median that is looked for."""


def squared_distances(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """‖x - y‖² of each row of `left` with each of `right`; never below 0."""
    left_squares, right_squares = _squares(left), _squares(right)
    distances = left_squares[:, None] + right_squares[None, :] - 2 * (left @ right.T)
    return np.maximum(distances, 0.0, out=distances)


def rbf_kernel(left: NDArray[np.float64], right: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """The kernel of each row of `left` with each of `right`, in (0, 1]."""
    distances = squared_distances(left, right)
    distances *= -gamma
    return np.exp(distances, out=distances)


def median_gamma(points: NDArray[np.float64]) -> float:
    """γ = 1 / median ‖x - y‖² over pairs of different rows, of at most 2,000 rows.

    They are taken evenly in the order of their first coordinates, so that which sample a row belongs to makes no
    difference, as an exact permutation test demands. When most pairs coincide: the median of those that do not. When
    all do (or there is one row): 1, and k is 1 everywhere.
    """
    in_order = points[np.lexsort(points[:, :3].T[::-1])]
    some = in_order[np.linspace(0, len(points) - 1, min(len(points), MOST_POINTS)).astype(np.intp)]
    pairs = squared_distances(some, some)[np.triu_indices(len(some), 1)]
    rounding = 1e-12 * max(float(_squares(some).max(initial=0.0)), np.finfo(np.float64).tiny)
    median = float(np.median(pairs)) if len(pairs) else 0.0
    if median <= rounding:
        apart = pairs[pairs > rounding]
        median = float(np.median(apart)) if len(apart) else 1.0
    return 1 / median


def _squares(points: NDArray[np.float64]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum("nd,nd->n", points, points)
    return squares
