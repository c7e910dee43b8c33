"""Since when a rate is higher: the posterior of a single upward step in hourly counts.

Before the step the x_i of n_i are Binomial(n_i, p0), from it on Binomial(n_i, p1), with p0 and p1 uniform on (0, 1)
and every position equally likely. The marginal likelihood of a segment with X of N is the beta function
B(X + 1, N - X + 1), so the posterior of position k is proportional to B(before k) · B(from k on). Positions where the
rate does not rise get 0.

Source: Smith, A Bayesian approach to inference about a change-point in a sequence of random variables, Biometrika 62
(1975); Bayes factors as in Kass & Raftery, JASA 90 (1995).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special


@dataclass(frozen=True, slots=True)
class Onset:
    """Index of the first hour with the higher rate: most probable, and the ends of the interval (inclusive).

    bayes_factor: how much better a step explains the counts than one constant rate.
    """

    at: int
    earliest: int
    latest: int
    bayes_factor: float


def onset(
    counts: ArrayLike, totals: ArrayLike, *, level: float = 0.80, minimum_bayes_factor: float = 10.0
) -> Onset | None:
    """Find the step in `counts` of `totals` (equally long; 0 of 0 is an hour without traffic).

    level: posterior probability of the interval. None when undecided: fewer than two hours with traffic, no rise, or
    a Bayes factor below `minimum_bayes_factor`. Raises ValueError unless 0 <= counts <= totals and all are finite.

    >>> onset([1] * 10 + [9] * 5, [20] * 15)  # doctest: +ELLIPSIS
    Onset(at=10, earliest=10, latest=10, bayes_factor=...)
    >>> onset([1] * 15, [20] * 15) is None
    True
    """
    x, n = _checked(counts, totals)
    if np.count_nonzero(n) < 2:
        return None
    log_likelihood = _log_likelihoods(x, n)
    evidence = special.logsumexp(log_likelihood) - np.log(len(log_likelihood))
    log_bayes_factor = float(evidence - special.betaln(x.sum() + 1, n.sum() - x.sum() + 1))
    if log_bayes_factor < np.log(minimum_bayes_factor):
        return None
    earliest, latest = _interval(special.softmax(log_likelihood), level)
    return Onset(
        int(np.argmax(log_likelihood)) + 1, earliest + 1, latest + 1, float(np.exp(min(log_bayes_factor, 700.0)))
    )


def _checked(counts: ArrayLike, totals: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, n = np.asarray(counts, dtype=np.float64).ravel(), np.asarray(totals, dtype=np.float64).ravel()
    if x.shape != n.shape:
        raise ValueError(f"{len(x)} counts do not belong to {len(n)} totals")
    if not (np.isfinite(x).all() and np.isfinite(n).all() and (x >= 0).all() and (x <= n).all()):
        raise ValueError("counts must be finite, at least 0 and at most their totals")
    return x, n


def _log_likelihoods(x: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """One for each step position 1 … len - 1; -inf where the rate does not rise or a side has no traffic."""
    x_before, n_before = np.cumsum(x)[:-1], np.cumsum(n)[:-1]
    x_after, n_after = x.sum() - x_before, n.sum() - n_before
    rises = x_after * n_before > x_before * n_after
    likelihood = special.betaln(x_before + 1, n_before - x_before + 1) + special.betaln(
        x_after + 1, n_after - x_after + 1
    )
    return np.where(rises, likelihood, -np.inf)


def _interval(posterior: NDArray[np.float64], level: float) -> tuple[int, int]:
    """The shortest run of positions that holds at least `level`."""
    cumulative = np.concatenate([[0.0], np.cumsum(posterior)])
    ends = np.searchsorted(cumulative, cumulative[:-1] + level - 1e-12)
    lengths = np.where(ends < len(cumulative), ends - np.arange(len(posterior)), len(cumulative))
    start = int(np.argmin(lengths))
    return start, int(min(ends[start], len(posterior)) - 1)
