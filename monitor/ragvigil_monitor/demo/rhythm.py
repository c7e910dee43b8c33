"""When people ask: day, night and weekend, in UTC."""

from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

HOURLY = (
    *(0.10, 0.07, 0.06, 0.06, 0.08, 0.14, 0.28, 0.52, 0.82, 0.98, 1.00, 0.94),
    *(0.78, 0.88, 0.99, 0.97, 0.88, 0.70, 0.50, 0.40, 0.34, 0.28, 0.20, 0.14),
)
"""Traffic by hour of a working day, as a share of the busiest hour."""

WEEKEND = 0.35
"""Traffic on Saturday and Sunday, as a share of a working day's."""


def load(at: datetime) -> float:
    """Traffic at a moment in (0, 1], as a share of the busiest hour of the week."""
    day = at.astimezone(UTC)
    return HOURLY[day.hour] * (WEEKEND if day.weekday() >= 5 else 1.0)


def draw_times(start: datetime, end: datetime, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """`count` moments in [start, end) in the rhythm above, ascending, as seconds after `start`."""
    edges = _hour_edges(start, end)
    weights = np.diff(edges) * [load(start + timedelta(seconds=float(edge))) for edge in edges[:-1]]
    cumulative = np.concatenate([[0.0], np.cumsum(weights)])
    times: NDArray[np.float64] = np.interp(np.sort(rng.random(count)) * cumulative[-1], cumulative, edges)
    return times


def _hour_edges(start: datetime, end: datetime) -> NDArray[np.float64]:
    """Seconds after `start` of `start`, every full hour between, and `end`."""
    length_s = (end - start).total_seconds()
    first_hour = 3600.0 - (start.minute * 60 + start.second + start.microsecond / 1e6)
    return np.unique([0.0, *np.arange(first_hour, length_s, 3600.0), length_s])
