"""The p value of a permutation test, and an approximation of what lies below its resolution."""

import numpy as np
import scipy
from numpy.typing import NDArray

TIED = 1e-12
"""Values that differ by less are equal: the same sum, added up in another order."""


def exceeding(observed: float, permuted: NDArray[np.float64]) -> int:
    """How many permuted statistics are at least as large as the observed one."""
    return int(np.count_nonzero(permuted >= observed - TIED))


def permutation_p(count: int, permutations: int) -> float:
    """(1 + #{permuted ≥ observed}) / (B + 1), which errs with probability at most p and is never 0.

    Source: Phipson & Smyth, Permutation p-values should never be zero, SAGMB 9 (2010).
    """
    return (1 + count) / (permutations + 1)


def approximate_tail(observed: float, permuted: NDArray[np.float64]) -> float | None:
    """An approximate p value below 1/B: the upper tail of a Pearson III fitted to the permuted statistics by moments.

    None where the permuted statistics do not vary. Source: Minas & Montana, Distance-based analysis of variance:
    approximate inference, Statistical Analysis and Data Mining 7 (2014).
    """
    deviation = float(permuted.std())
    if deviation <= TIED:
        return None
    standard = (permuted - permuted.mean()) / deviation
    skewness = float((standard**3).mean())
    return float(scipy.stats.pearson3.sf((observed - float(permuted.mean())) / deviation, skewness))
