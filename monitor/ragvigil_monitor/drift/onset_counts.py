"""Since when queries like those of a window are more frequent: hourly counts from which an onset is dated.

A window's residual r points from the season to where the window lies; whitened, w = Σ_k u_k (u_kᵀ r) / (c_k + 1/m).
A query x is unusual if it lies further along w, from its own season cell, than 98 % of the reference. What x itself
adds to w, if it belongs to the window, does not count: it would make every query of the window a little unusual.
"""

from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.hours import HOUR, hourly_sums, hours_since_epoch
from ragvigil_monitor.drift.reference import DriftReference, reference_at
from ragvigil_monitor.drift.sample import MOST_STORED, Sample, sample_of_reference, sample_of_window
from ragvigil_monitor.statistics.vector_windows import VectorWindows, trailing_windows
from ragvigil_monitor.store import Store

UNUSUAL = 0.98


class Span(Protocol):
    """A half-open span of time, such as a window."""

    @property
    def start(self) -> datetime:
        """Its first instant."""

    @property
    def end(self) -> datetime:
        """The first instant after it."""


def unusual_by_hour(
    store: Store, encoder: Encoder, window: Span, searched: tuple[datetime, datetime]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Among a sample of queries, for each hour of `searched`: how many are unusual as those of `window`; of how many.

    Without a reference at the end of the window nothing is unusual.
    """
    start, end = searched
    found = sample_of_window(store, encoder, start, end, most=MOST_STORED)
    hour, length = found.hours - hours_since_epoch(start), (end - start) // HOUR + 1
    totals = np.bincount(hour, minlength=length).astype(np.float64)
    reference = reference_at(store, encoder, window.end)
    if reference is None:
        return np.zeros(length), totals
    unusual = hour[_unusual(store, reference, window, found)]
    return np.bincount(unusual, minlength=length).astype(np.float64), totals


def _unusual(store: Store, reference: DriftReference, window: Span, found: Sample) -> NDArray[np.bool_]:
    drifted = _window_alone(store, reference, window)
    axes, wandering = reference.scale.axes, reference.scale.variances + 1 / drifted.counts[0]
    direction = reference.season.residuals(drifted)[0] @ axes / wandering
    usual = _from_season(reference, sample_of_reference(store, reference.encoder, reference.version)) @ axes @ direction
    along = _from_season(reference, found) @ axes
    inside = (found.hours >= hours_since_epoch(window.start)) & (found.hours < hours_since_epoch(window.end))
    own_part = np.where(inside, (along**2 / wandering).sum(axis=1) / drifted.counts[0], 0.0)
    unusual: NDArray[np.bool_] = along @ direction - own_part > np.quantile(usual, UNUSUAL)
    return unusual


def _window_alone(store: Store, reference: DriftReference, window: Span) -> VectorWindows:
    rows = store.rows("drift_hours_between", window_start=window.start, window_end=window.end)
    own = [row for row in rows if Encoder.of(row) == reference.encoder]
    hourly = hourly_sums(own, reference.encoder.dimension)
    end, length_h = np.array([hours_since_epoch(window.end)]), (window.end - window.start) // HOUR
    return trailing_windows(hourly, end, length_h=length_h)


def _from_season(reference: DriftReference, sample: Sample) -> NDArray[np.float64]:
    return sample.unit - reference.season.mean - reference.season.cells[sample.cells]
