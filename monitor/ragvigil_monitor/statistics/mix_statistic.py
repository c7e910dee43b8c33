"""Whether the mean of a window departs from its season: an unbiased linear-kernel MMD, season-matched.

With m vectors x (less the reference mean) whose season expects μ_p,
T = m [ (‖Σx‖² - Σ‖x‖²) / (m (m-1)) - 2 x̄·μ_p + ‖μ_p‖² ],
m times an unbiased estimate of the squared distance between the true mean and μ_p. It finds changes of the mix of
topics that are already known. Needs m >= 2; it has no distribution of its own here: live traffic is not independent,
so its limit comes from a replay.

Source: Gretton et al., A kernel two-sample test, JMLR 13 (2012), with the kernel x·y.
"""

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.statistics.season_reference import SeasonReference
from ragvigil_monitor.statistics.vector_windows import VectorWindows


def mix_statistics(windows: VectorWindows, reference: SeasonReference) -> NDArray[np.float64]:
    """T of each window (W); NaN below two vectors."""
    m = np.where(windows.counts >= 2, windows.counts, np.nan)
    expected = reference.expected(windows)
    centred = windows.means - reference.mean
    squares = windows.squares - 2 * windows.means @ reference.mean + reference.mean @ reference.mean
    pairs = (m * _dot(centred, centred) - squares) / (m - 1)
    statistics: NDArray[np.float64] = m * (pairs - 2 * _dot(centred, expected) + _dot(expected, expected))
    return statistics


def _dot(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    products: NDArray[np.float64] = np.einsum("wd,wd->w", left, right)
    return products
