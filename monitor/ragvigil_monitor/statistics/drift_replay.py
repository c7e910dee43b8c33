"""What the drift statistics would have said in the past, had the week in question not been part of the reference.

Each week in turn is left out, together with the window length before it, so that no window that ends in the week
touches what the reference and the scale are learnt from. The daily maxima of both statistics calibrate their limits.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.statistics.mix_statistic import mix_statistics
from ragvigil_monitor.statistics.novelty_statistic import NoveltyScale
from ragvigil_monitor.statistics.season_reference import SeasonReference
from ragvigil_monitor.statistics.vector_windows import HourlySums, trailing_windows

WINDOW_H = 24
MINIMUM = 50
"""Windows with fewer vectors are not judged."""
_WEEK_H = 168


@dataclass(frozen=True, slots=True)
class Replay:
    """The largest value of each day, NaN for a day without a window that could be judged."""

    mix: NDArray[np.float64]
    novelty: NDArray[np.float64]


def replay(hourly: HourlySums, covariance: NDArray[np.float64], *, start: int, weeks: int) -> Replay:
    """Leave out each of `weeks` (at least 2) from the hour `start` on; the first day has no full window."""
    hourly = hourly.within(start, start + _WEEK_H * weeks)
    each = [_held_out(hourly, covariance, start, start + _WEEK_H * weeks, week) for week in range(weeks)]
    return Replay(np.concatenate([days.mix for days in each]), np.concatenate([days.novelty for days in each]))


def fit_scale(
    hourly: HourlySums, reference: SeasonReference, covariance: NDArray[np.float64], ends: NDArray[np.int64]
) -> NoveltyScale:
    """How windows that end at `ends` wander around the reference; those that are too small are left out."""
    windows = trailing_windows(hourly, ends, length_h=WINDOW_H)
    return NoveltyScale.fit(reference.residuals(windows)[windows.counts >= MINIMUM], covariance)


def _held_out(hourly: HourlySums, covariance: NDArray[np.float64], start: int, end: int, week: int) -> Replay:
    held_start = start + _WEEK_H * week
    held_end, hidden_from = held_start + _WEEK_H, held_start - WINDOW_H
    known = hourly.without(hidden_from, held_end)
    if not known.counts.sum():
        return Replay(np.full(7, np.nan), np.full(7, np.nan))
    reference = SeasonReference.fit(known)
    ends = np.arange(start + WINDOW_H + 1, end + 1)
    scale = fit_scale(hourly, reference, covariance, ends[(ends <= hidden_from) | (ends >= held_end + WINDOW_H)])
    held_ends = np.arange(held_start + 1, held_end + 1)
    windows = trailing_windows(hourly, held_ends, length_h=WINDOW_H)
    judged = (windows.counts >= MINIMUM) & (held_ends > start + WINDOW_H)
    mix = mix_statistics(windows, reference)
    novelty = scale.statistics(reference.residuals(windows), windows.counts)
    return Replay(_daily_maxima(mix, judged), _daily_maxima(novelty, judged))


def _daily_maxima(values: NDArray[np.float64], judged: NDArray[np.bool_]) -> NDArray[np.float64]:
    largest = np.where(judged, values, -np.inf).reshape(7, -1).max(axis=1)
    return np.where(np.isfinite(largest), largest, np.nan)
