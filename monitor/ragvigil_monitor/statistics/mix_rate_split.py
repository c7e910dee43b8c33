"""How much of the change of a rate comes from other slices of traffic, and how much from other rates within them.

With shares s and rates p of each slice before (0) and after (1), the change is exactly
Σ s1 p1 - Σ s0 p0 = Σ (s1 - s0) (p0 + p1)/2 + Σ (s0 + s1)/2 (p1 - p0): mix plus rate. A slice without observations on
one side has no rate there; it gets that of the other side, so that its coming or going is mix.

It describes, it does not explain: with another way to slice, the parts are others.

Source: Kitagawa, Components of a difference between two rates, JASA 50 (1955).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class MixRateSplit:
    """Rates in [0, 1] before and after; mix + rate = after - before."""

    before: float
    after: float
    mix: float
    rate: float


def mix_rate_split(
    events_before: ArrayLike, totals_before: ArrayLike, events_after: ArrayLike, totals_after: ArrayLike
) -> MixRateSplit | None:
    """Split the change of Σ events / Σ totals over slices, the same ones in all four arrays; None if a side is empty.

    Slices must not overlap. Raises ValueError unless 0 <= events <= totals are finite and equally many.

    >>> mix_rate_split([10, 10], [100, 50], [20, 10], [100, 50])
    MixRateSplit(before=0.13333333333333333, after=0.2, mix=0.0, rate=0.06666666666666667)
    """
    x0, n0 = _checked(events_before, totals_before)
    x1, n1 = _checked(events_after, totals_after)
    if len(n0) != len(n1):
        raise ValueError(f"{len(n0)} slices before and {len(n1)} after are not the same ones")
    if not n0.sum() or not n1.sum():
        return None
    s0, s1 = n0 / n0.sum(), n1 / n1.sum()
    p0, p1 = _rates(x0, n0, x1, n1), _rates(x1, n1, x0, n0)
    mix, rate = float((s1 - s0) @ (p0 + p1) / 2), float((s0 + s1) @ (p1 - p0) / 2)
    return MixRateSplit(float(x0.sum() / n0.sum()), float(x1.sum() / n1.sum()), mix, rate)


def _checked(events: ArrayLike, totals: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, n = np.asarray(events, dtype=np.float64).ravel(), np.asarray(totals, dtype=np.float64).ravel()
    if x.shape != n.shape:
        raise ValueError(f"{len(x)} events do not belong to {len(n)} totals")
    if not (np.isfinite(n).all() and (x >= 0).all() and (x <= n + 1e-9).all()):
        raise ValueError("events must be at least 0 and at most their totals, and totals finite")
    return x, n


def _rates(
    x: NDArray[np.float64], n: NDArray[np.float64], other_x: NDArray[np.float64], other_n: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Of each slice, on the other side where it has none; 0 where it has none on either, which then weighs nothing."""
    there = np.divide(other_x, other_n, out=np.zeros_like(other_n), where=other_n > 0)
    return np.divide(x, n, out=there, where=n > 0)
