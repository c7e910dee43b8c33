"""How much the counts speak for a change at a marker (a release, a new model) rather than at any other hour.

The onset belongs to a marker at R if it lies in [R - 1 h, R + 2 h]: telemetry of a new version comes a little after its
first effect, a rollout takes a while. Given the posterior of the onset over T hours, each equally likely beforehand,
BF = [P / (1 - P)] / [Q / (1 - Q)] with P the posterior and Q the prior probability of that span. The probability of
index k, the first hour that is wholly changed, is spread evenly over the hour before it, in which the change fell.

It compares a change here with a change elsewhere. It knows nothing of how likely releases are to break something, and
several things that changed at once have the same factor.

Source: Kass & Raftery, Bayes factors, JASA 90 (1995); above 10 is their and Jeffreys' "strong".
"""

import numpy as np
from numpy.typing import NDArray

BEFORE_H = 1.0
AFTER_H = 2.0
LARGEST = 1e6
"""A factor above this says no more than that the hour is certain."""


def marker_bayes_factor(probabilities: NDArray[np.float64], marker_h: float) -> float:
    """The factor in [0, LARGEST] of a marker `marker_h` hours after the start of the first hour.

    probabilities: those of `onset.Onset`. 0 where the span lies outside the hours, 1 where it holds all of them.
    Raises ValueError unless `marker_h` is finite and the probabilities sum to 1.

    >>> round(marker_bayes_factor(np.full(100, 0.01), 50.0), 6)
    1.0
    >>> marker_bayes_factor(np.eye(100)[49], 49.5)
    1000000.0
    """
    if not np.isfinite(marker_h):
        raise ValueError(f"a marker has a time; got {marker_h} h")
    if not np.isclose(probabilities.sum(), 1.0):
        raise ValueError(f"probabilities of all hours must sum to 1; got {probabilities.sum():.4f}")
    inside = _overlap(len(probabilities), marker_h - BEFORE_H, marker_h + AFTER_H)
    prior = inside.mean()
    if prior in (0.0, 1.0):
        return float(prior)
    posterior, others = float(probabilities @ inside), float(probabilities @ (1 - inside))
    return float(min(LARGEST, posterior / max(others, 1e-300) * (1 - prior) / prior))


def _overlap(hours: int, begin: float, end: float) -> NDArray[np.float64]:
    """The share of each hour (k-1, k] that lies in [begin, end]."""
    ends = np.arange(1, hours + 1)
    overlap: NDArray[np.float64] = np.clip(np.minimum(ends, end) - np.maximum(ends - 1, begin), 0.0, 1.0)
    return overlap
