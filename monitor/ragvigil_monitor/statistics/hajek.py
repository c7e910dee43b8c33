"""Interval of a rate from a sample in which units had unequal, known chances to be taken.

With inclusion probabilities π, weights w = 1/π, d = 1 for units in the denominator and y = 1 for events, the rate is
p = Σ w d y / Σ w d (Hájek), its variance V = Σ (1 - π) [w d (y - p)]² / (Σ w d)² (independent draws), and the effective
sample size n_eff = min(n, p q / V) · (z / t)², with z and t the normal and Student quantiles (n - 1 degrees of freedom)
of the bound; where V = 0, Kish's (Σ w d)² / Σ (w d)² takes the place of p q / V. Korn-Graubard bounds are
Clopper-Pearson bounds of x = p n_eff events in n_eff. The upper bound is at least the gamma bound, which holds where
few heavy weights carry the rate: with k = w d / Σ w d, v = Σ k² y and k_M = max k it is
(v + k_M²) / (2 (p + k_M)) · χ²⁻¹(1 - tail; 2 (p + k_M)² / (v + k_M²)).

Units have to be drawn independently of each other, or else be given clusters that are. Then the terms √(1 - π) w d
(y - p) of a cluster are added before they are squared, as k and k y are in v and k_M and w in Kish's formula, and n
counts clusters. No minimum size: a small sample has a wide interval.

Source: Hájek, in Foundations of Statistical Inference (1971); Korn & Graubard, Confidence intervals for proportions
with small expected number of positive counts, Survey Methodology 24 (1998); Fay & Feuer, Confidence intervals for
directly standardized rates, Statistics in Medicine 16 (1997), with the maximal weight as in their section 3.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RateEstimate:
    """A rate with its two-sided 95 % interval and a one-sided lower bound for alarms.

    state `missing_evidence`: nothing in the denominator; then every bound is None, never zero.
    n: units in the denominator, or clusters with any. events: those with y = 1, or with any. n_eff: size of a simple
    random sample that would be as precise. missing: units whose y or d is not known.
    """

    state: Literal["estimated", "missing_evidence"]
    value: float | None
    lower: float | None
    upper: float | None
    alarm_lower: float | None
    n: int
    events: int
    n_eff: float
    missing: int


def hajek_rate(
    events: ArrayLike,
    counted: ArrayLike,
    inclusion: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    alpha: float = 0.001,
) -> RateEstimate:
    """Estimate the rate of `events` (y) among the `counted` (d), taken with probabilities `inclusion` (π).

    Three arrays of equal length: y and d of 0, 1 or NaN (not known: left out, counted as missing), π in (0, 1].
    clusters: whole numbers that name the cluster of each unit; None: each is its own. level: of the two-sided interval.
    alpha: error probability of the alarm bound. Raises ValueError for other values.

    >>> hajek_rate([1, 0, 0, 0], [1, 1, 1, 1], [0.5, 0.5, 0.25, 0.25])  # doctest: +ELLIPSIS
    RateEstimate(state='estimated', value=0.1666..., lower=1.6...e-07, upper=1.0, ..., n=4, events=1, ...)
    >>> hajek_rate([0], [0], [0.5]).state
    'missing_evidence'
    """
    y, d, pi = _checked(events, counted, inclusion)
    named = np.arange(len(y)) if clusters is None else np.asarray(clusters).ravel()
    if named.shape != y.shape:
        raise ValueError(f"{len(y)} events and {len(named)} clusters differ in number")
    known = ~(np.isnan(y) | np.isnan(d))
    used = known & (d == 1)
    of = np.unique(named[used], return_inverse=True)[1]
    return _estimate(y[used], 1 / pi[used], of, (1 - level) / 2, alpha, missing=int((~known).sum()))


def uniform_rate(events: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Clopper-Pearson interval of `events` of `n` >= 1 units that all had the same chance: the cross-check.

    >>> uniform_rate(0, 100)  # doctest: +ELLIPSIS
    (0.0, 0.0362...)
    """
    tail = (1 - level) / 2
    return _beta_lower(float(events), float(n), tail), _beta_upper(float(events), float(n), tail)


def _checked(events: ArrayLike, counted: ArrayLike, inclusion: ArrayLike) -> tuple[Values, Values, Values]:
    y, d, pi = (np.asarray(given, dtype=np.float64).ravel() for given in (events, counted, inclusion))
    if not y.shape == d.shape == pi.shape:
        raise ValueError(f"{len(y)} events, {len(d)} counted and {len(pi)} inclusion probabilities differ in number")
    if not all(np.isin(flags[~np.isnan(flags)], (0.0, 1.0)).all() for flags in (y, d)):
        raise ValueError("events and counted must be 0, 1 or NaN")
    if not ((pi > 0) & (pi <= 1)).all():
        raise ValueError("inclusion probabilities must lie in (0, 1]")
    return y, d, pi


def _estimate(y: Values, w: Values, of: NDArray[np.intp], tail: float, alpha: float, *, missing: int) -> RateEstimate:
    if len(y) == 0:
        return RateEstimate("missing_evidence", None, None, None, None, 0, 0, 0.0, missing)
    n, share = int(of.max()) + 1, w / w.sum()
    value = float(y[0]) if (y == y[0]).all() else float(share @ y)
    size = _equivalent_size(y, w, of, value)
    n_eff, n_alarm = size * _t_factor(n, tail), size * _t_factor(n, alpha)
    return RateEstimate(
        "estimated",
        value,
        _beta_lower(value * n_eff, n_eff, tail),
        max(_beta_upper(value * n_eff, n_eff, tail), _gamma_upper(_sums(share * y, of), _sums(share, of), tail)),
        _beta_lower(value * n_alarm, n_alarm, alpha),
        n,
        int(np.count_nonzero(_sums(y, of))),
        n_eff,
        missing,
    )


def _sums(values: Values, of: NDArray[np.intp]) -> Values:
    """By cluster."""
    return np.bincount(of, values).astype(np.float64, copy=False)


def _equivalent_size(y: Values, w: Values, of: NDArray[np.intp], value: float) -> float:
    """The size of a simple random sample with the same variance, at most n."""
    terms = _sums(np.sqrt(1 - 1 / w) * w * (y - value), of)
    variance = float((terms**2).sum() / w.sum() ** 2)
    if variance <= 0:
        return float(w.sum() ** 2 / (_sums(w, of) ** 2).sum())
    return min(float(len(terms)), value * (1 - value) / variance)


def _t_factor(n: int, tail: float) -> float:
    """How much smaller a sample is worth because its variance is estimated; a single unit counts as two."""
    z, t = scipy.special.ndtri(1 - tail), scipy.special.stdtrit(max(n - 1, 1), 1 - tail)
    return float((z / t) ** 2)


def _beta_lower(x: float, n: float, tail: float) -> float:
    return float(scipy.special.betaincinv(x, n - x + 1, tail)) if x > 0 else 0.0


def _beta_upper(x: float, n: float, tail: float) -> float:
    return float(scipy.special.betaincinv(x + 1, n - x, 1 - tail)) if n - x > 0 else 1.0


def _gamma_upper(hit: Values, share: Values, tail: float) -> float:
    """hit: the share of each cluster that its events have."""
    heaviest = float(share.max())
    mean, variance = float(hit.sum()) + heaviest, float((hit**2).sum()) + heaviest**2
    degrees = 2 * mean**2 / variance
    return min(1.0, variance / (2 * mean) * float(scipy.special.chdtri(degrees, tail)))
