"""Where two samples differ: the witness function of MMD², and what each point contributes to it.

The witness of x is its mean kernel with the current sample less that with the reference (itself left out): above 0
where the current sample is denser. With w = witness / m for current points and -witness / n for reference points, the
contributions w sum exactly to MMD²_u; summed over a slice of both samples they say what the slice adds to it.

Source: Lloyd & Ghahramani, Statistical model criticism using kernel two sample tests, NeurIPS 2015.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.statistics.mmd_permutation import BLOCK
from ragvigil_monitor.statistics.rbf_kernel import rbf_kernel


@dataclass(frozen=True, slots=True)
class Contributions:
    """What each reference point (n) and each current point (m) adds to MMD²_u."""

    reference: NDArray[np.float64]
    current: NDArray[np.float64]


def contributions(reference: NDArray[np.float64], current: NDArray[np.float64], gamma: float) -> Contributions:
    """Divide MMD²_u among the points; at least two on each side.

    >>> rng = np.random.default_rng(0)
    >>> found = contributions(rng.normal(size=(30, 2)), rng.normal(size=(20, 2)) + 3, 0.5)
    >>> bool(found.current.sum() + found.reference.sum() > 0.3)
    True
    """
    n, m = len(reference), len(current)
    to_reference, to_current = _row_sums(reference, reference, gamma), _row_sums(current, current, gamma)
    across = _row_sums(reference, current, gamma)
    back = _row_sums(current, reference, gamma)
    reference_witness = across / m - (to_reference - 1) / (n - 1)
    current_witness = (to_current - 1) / (m - 1) - back / n
    return Contributions(-reference_witness / n, current_witness / m)


def _row_sums(left: NDArray[np.float64], right: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """Sum of the kernel of each row of `left` with all rows of `right`, block by block."""
    blocks = [left[start : start + BLOCK] for start in range(0, len(left), BLOCK)]
    return np.concatenate([rbf_kernel(block, right, gamma).sum(axis=1) for block in blocks])
