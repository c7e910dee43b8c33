"""How the rate of a window differs from its season: by the mix of intents, or within them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.signals.rate import ALL, LOOKED_BACK, Counts, Rate, counted, decided, excluded_hours
from ragvigil_monitor.signals.signal import Look
from ragvigil_monitor.statistics.hour_of_week import CELLS, hour_cells
from ragvigil_monitor.statistics.mix_rate_split import MixRateSplit, mix_rate_split
from ragvigil_monitor.statistics.rate_band import RECENT_H

_HOUR = timedelta(hours=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def split_by_intent(rate: Rate, look: Look) -> MixRateSplit | None:
    """Split the change of the rate of all answers against the same hours of the week in the history.

    Answers without an intent are a slice of their own. None without a history of these hours or without an answer.
    """
    start = look.window.end - LOOKED_BACK
    counts = counted(rate, look, start)
    if ALL not in counts:
        return None
    cells = hour_cells((start - _EPOCH) // _HOUR, len(counts[ALL][0]), look.settings.alarms.days_off)
    left_out = excluded_hours([each for each in decided(rate, look, start) if each["series"] in (ALL, None)], start)
    recent, usual = _weights(cells, left_out, counts[ALL][1], timedelta(seconds=look.window.length_s) // _HOUR)
    slices = _slices(counts)
    before, after = (
        [np.array([each[part] @ weight for each in slices]) for part in (0, 1)] for weight in (usual, recent)
    )
    return mix_rate_split(*before, *after)


def _weights(
    cells: NDArray[np.intp], left_out: NDArray[np.bool_], totals: NDArray[np.float64], window_h: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much each hour counts: those of the window; and of the history the mean of each hour alike to one of them."""
    recent = np.zeros(len(cells))
    recent[-window_h:] = 1.0
    history = (totals > 0) & ~left_out
    history[-RECENT_H:] = False
    wanted = np.bincount(cells, recent, CELLS)
    known = np.bincount(cells, history, CELLS)
    return recent, np.where(history, (wanted / np.maximum(known, 1))[cells], 0.0)


def _slices(counts: Mapping[str, Counts]) -> list[Counts]:
    """Every intent, and the answers without one."""
    intents = [hours for series, hours in counts.items() if series != ALL]
    rest = (
        counts[ALL][0] - np.sum([events for events, _ in intents], axis=0),
        counts[ALL][1] - np.sum([totals for _, totals in intents], axis=0),
    )
    return [*intents, rest]
