"""How well a linear classifier tells two samples apart: the cross-fitted AUC, an effect size that people can read.

0.5: not at all; 1: perfectly. Each fold is scored by a ridge regression on labels ±1 that was fitted on the other
folds, and ranked within itself; the AUC is the mean over folds, weighted by their pairs. Labels are permuted within
folds, which keeps each fold's counts, so the permutation p is exact; all permutations share one solve a fold.
An effect size and never an alarm: as a test it never beat MMD. Valid for independent observations only.

Source: Lopez-Paz & Oquab, Revisiting classifier two-sample tests, ICLR 2017; Hastie, Tibshirani & Friedman, The
elements of statistical learning, 3.4.1.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from ragvigil_monitor.statistics.permutation_p import exceeding, permutation_p

FOLDS = 5
PENALTY = 1.0
"""Of the ridge, in units of the mean variance of a dimension times the number of points."""
_Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AucTest:
    """auc: in [0, 1], about 0.5 without a difference. p: that it is at least so large by chance."""

    auc: float
    p: float
    permutations: int
    n: int
    m: int


def ridge_auc(
    reference: _Matrix,
    current: _Matrix,
    *,
    folds: int = FOLDS,
    penalty: float = PENALTY,
    permutations: int = 99,
    seed: int = 0,
) -> AucTest:
    """Compare rows of `reference` (n × d) and `current` (m × d); finite, at least `folds` rows on each side.

    >>> rng = np.random.default_rng(0)
    >>> apart = ridge_auc(rng.normal(size=(100, 3)), rng.normal(size=(80, 3)) + 3)
    >>> apart.auc > 0.99, apart.p == 1 / 100
    (True, True)
    """
    n, m = len(reference), len(current)
    if min(n, m) < folds:
        raise ValueError(f"{folds} folds need as many points on each side; got {n} and {m}")
    points, is_current = np.concatenate([reference, current]), np.repeat([0.0, 1.0], [n, m])
    rng = np.random.default_rng(seed)
    fold_of = _stratified_folds(is_current, folds, rng)
    labels = np.column_stack([is_current, *(_shuffled_within(is_current, fold_of, rng) for _ in range(permutations))])
    found = _cross_fitted_auc(points, labels, fold_of, penalty)
    observed, permuted = float(found[0]), found[1:]
    return AucTest(observed, permutation_p(exceeding(observed, permuted), permutations), permutations, n, m)


def _stratified_folds(is_current: _Matrix, folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """A fold for each point; both samples are divided as evenly as possible."""
    fold_of = np.empty(len(is_current), dtype=np.intp)
    for label in (0.0, 1.0):
        members = rng.permutation(np.flatnonzero(is_current == label))
        fold_of[members] = np.arange(len(members)) % folds
    return fold_of


def _shuffled_within(is_current: _Matrix, fold_of: NDArray[np.intp], rng: np.random.Generator) -> _Matrix:
    shuffled = np.empty_like(is_current)
    for fold in np.unique(fold_of):
        members = np.flatnonzero(fold_of == fold)
        shuffled[members] = is_current[rng.permutation(members)]
    return shuffled


def _cross_fitted_auc(points: _Matrix, labels: _Matrix, fold_of: NDArray[np.intp], penalty: float) -> _Matrix:
    """One AUC for each column of labels."""
    total, pairs = np.zeros(labels.shape[1]), 0.0
    for fold in np.unique(fold_of):
        inside = fold_of == fold
        scores = _ridge_scores(points[~inside], 2 * labels[~inside] - 1, points[inside], penalty)
        here = float(labels[inside, 0].sum() * (1 - labels[inside, 0]).sum())
        total += here * _auc(scores, labels[inside])
        pairs += here
    return total / pairs


def _ridge_scores(train: _Matrix, targets: _Matrix, test: _Matrix, penalty: float) -> _Matrix:
    """Predictions for `test`, one column for each column of targets; the intercept is not penalised."""
    mean = train.mean(axis=0)
    centred = train - mean
    gram = centred.T @ centred
    ridge = penalty * float(np.trace(gram)) / len(gram) or 1.0
    gram[np.diag_indices_from(gram)] += ridge
    weights = scipy.linalg.solve(gram, centred.T @ (targets - targets.mean(axis=0)), assume_a="pos")
    scores: _Matrix = (test - mean) @ weights
    return scores


def _auc(scores: _Matrix, labels: _Matrix) -> _Matrix:
    """The share of (current, reference) pairs in the right order, ties half, of each column."""
    m = labels.sum(axis=0)
    n = len(labels) - m
    ranks = scipy.stats.rankdata(scores, axis=0)
    areas: _Matrix = ((ranks * labels).sum(axis=0) - m * (m + 1) / 2) / (n * m)
    return areas
