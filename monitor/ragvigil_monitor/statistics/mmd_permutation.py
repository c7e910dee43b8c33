"""Whether two samples come from one distribution: the exact permutation test of the unbiased RBF-kernel MMD².

With H the kernel matrix of the pooled n + m points without its diagonal, s the indicator of the current sample,
q = sᵀHs, t = sᵀH1 and S = 1ᵀH1:
MMD²_u = (S - 2t + q) / (n (n-1)) + q / (m (m-1)) - 2 (t - q) / (nm).
All permutations are one matrix product H · [s_1 … s_B], taken block by block (1,024 rows) so that no n × n matrix is
stored, with float64 sums. H splits into reference and current rows: what the reference contributes to q, t and S
depends only on the reference, n, m and the seed, so it is computed once for as many windows as one likes.

Valid for independent observations only. Windows of live traffic are not: there p is evidence beside a calibrated
alarm, never the alarm.

Source: Gretton et al., A kernel two-sample test, JMLR 13 (2012); the product form after Shekhar, Kim & Ramdas,
A permutation-free kernel two-sample test, NeurIPS 2022.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.statistics.permutation_p import approximate_tail, exceeding, permutation_p
from ragvigil_monitor.statistics.random_splits import random_splits
from ragvigil_monitor.statistics.rbf_kernel import median_gamma, rbf_kernel

PERMUTATIONS = 1_000
BLOCK = 1_024
_Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MmdTest:
    """mmd2: the unbiased estimate, which may be below 0. p: of `permutations` permutations.

    exceeding: how many of them were at least as large. approximate_p: a Pearson III tail, only where none was.
    """

    mmd2: float
    p: float
    approximate_p: float | None
    exceeding: int
    permutations: int
    gamma: float
    n: int
    m: int


@dataclass(frozen=True, slots=True)
class KernelSums:
    """q, t (one for the observed split, then one a permutation) and S of a part of H."""

    q: _Matrix
    t: _Matrix
    total: float

    def plus(self, other: Self) -> Self:
        """The sums of both parts."""
        return type(self)(self.q + other.q, self.t + other.t, self.total + other.total)


@dataclass(frozen=True, slots=True)
class ReferenceSide:
    """A reference made ready to be compared with windows of `m` points under one kernel and one set of splits."""

    points: _Matrix
    m: int
    gamma: float
    splits: _Matrix
    sums: KernelSums

    @classmethod
    def of(cls, points: _Matrix, m: int, *, gamma: float, permutations: int = PERMUTATIONS, seed: int = 0) -> Self:
        """Compute what does not depend on the window. Raises ValueError unless there are two points on each side."""
        n = len(points)
        if min(n, m) < 2:
            raise ValueError(f"MMD² needs two points on each side; got {n} and {m}")
        observed = np.concatenate([np.zeros((n, 1)), np.ones((m, 1))])
        splits = np.hstack([observed, random_splits(n, m, permutations, seed=seed)])
        return cls(points, m, gamma, splits, _within(points, splits[:n], gamma))

    def test(self, current: _Matrix) -> MmdTest:
        """Compare with a window of `m` points."""
        n, m = len(self.points), self.m
        if len(current) != m:
            raise ValueError(f"this reference was made ready for {m} points; got {len(current)}")
        sums = self.sums.plus(_within(current, self.splits[n:], self.gamma)).plus(
            _between(self.points, current, self.splits[:n], self.splits[n:], self.gamma)
        )
        found = _mmd2(sums, n, m)
        observed, permuted = float(found[0]), found[1:]
        count = exceeding(observed, permuted)
        tail = approximate_tail(observed, permuted) if count == 0 else None
        p = permutation_p(count, len(permuted))
        return MmdTest(observed, p, tail, count, len(permuted), self.gamma, n, m)


def mmd_test(
    reference: _Matrix,
    current: _Matrix,
    *,
    gamma: float | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> MmdTest:
    """Test rows of `reference` (n × d) against rows of `current` (m × d); finite, n and m at least 2.

    gamma: of the kernel; by default 1 / median squared distance of the pooled points, which keeps the test exact.

    >>> rng = np.random.default_rng(0)
    >>> far = mmd_test(rng.normal(size=(60, 3)), rng.normal(size=(40, 3)) + 2, permutations=200)
    >>> far.p == 1 / 201, far.exceeding
    (True, 0)
    """
    if gamma is None:
        gamma = median_gamma(np.concatenate([reference, current]))
    side = ReferenceSide.of(reference, len(current), gamma=gamma, permutations=permutations, seed=seed)
    return side.test(current)


def _mmd2(sums: KernelSums, n: int, m: int) -> _Matrix:
    inside_reference = (sums.total - 2 * sums.t + sums.q) / (n * (n - 1))
    inside_current = sums.q / (m * (m - 1))
    return inside_reference + inside_current - 2 * (sums.t - sums.q) / (n * m)


def _within(points: _Matrix, splits: _Matrix, gamma: float) -> KernelSums:
    """The part of H among these points: each pair of blocks once, since H is symmetric."""
    sums = _nothing(splits.shape[1])
    for rows in _blocks(len(points)):
        kernel = rbf_kernel(points[rows], points[rows], gamma)
        np.fill_diagonal(kernel, 0.0)
        q = np.einsum("ib,ib->b", splits[rows], kernel @ splits[rows])
        sums = sums.plus(KernelSums(q, kernel.sum(axis=1) @ splits[rows], float(kernel.sum())))
        rest = slice(rows.stop, None)
        sums = sums.plus(_between(points[rows], points[rest], splits[rows], splits[rest], gamma))
    return sums


def _between(left: _Matrix, right: _Matrix, left_splits: _Matrix, right_splits: _Matrix, gamma: float) -> KernelSums:
    """The two parts of H that pair `left` with `right`, which are each other's transpose."""
    sums = _nothing(left_splits.shape[1])
    for rows in _blocks(len(left)):
        for columns in _blocks(len(right)):
            kernel = rbf_kernel(left[rows], right[columns], gamma)
            q = 2 * np.einsum("ib,ib->b", left_splits[rows], kernel @ right_splits[columns])
            t = kernel.sum(axis=1) @ left_splits[rows] + kernel.sum(axis=0) @ right_splits[columns]
            sums = sums.plus(KernelSums(q, t, 2 * float(kernel.sum())))
    return sums


def _nothing(splits: int) -> KernelSums:
    return KernelSums(np.zeros(splits), np.zeros(splits), 0.0)


def _blocks(length: int) -> Iterator[slice]:
    for start in range(0, length, BLOCK):
        yield slice(start, min(start + BLOCK, length))
