"""The season of traffic: which hours are alike. Hour of day × {weekday, weekend or day off}, 48 cells, in UTC.

48 cells rather than 168 hours of the week: four weeks of history are then 20 windows for a weekday hour.
"""

from collections.abc import Iterable
from datetime import date

import numpy as np
from numpy.typing import NDArray

CELLS = 48
_EPOCH_WEEKDAY = 3
"""1 January 1970 was a Thursday; Monday is 0."""


def hour_cells(first_hour: int, hours: int, days_off: Iterable[date] = ()) -> NDArray[np.intp]:
    """The cell in [0, 48) of each of `hours` consecutive hours; `first_hour` counts from the epoch, in UTC.

    >>> hour_cells(0, 3), hour_cells(48, 2), hour_cells(0, 2, [date(1970, 1, 1)])
    (array([0, 1, 2]), array([24, 25]), array([24, 25]))
    """
    return season_cells(np.arange(first_hour, first_hour + hours, dtype=np.int64), days_off)


def season_cells(hours: NDArray[np.int64], days_off: Iterable[date] = ()) -> NDArray[np.intp]:
    """The cell in [0, 48) of each of any hours since the epoch, in UTC.

    >>> season_cells(np.array([0, 47, 48, 95, 96])).tolist()  # Thursday, Friday, Saturday, Sunday, Monday
    [0, 23, 24, 47, 0]
    """
    day = hours // 24
    off = [(each - date(1970, 1, 1)).days for each in days_off]
    resting = ((day + _EPOCH_WEEKDAY) % 7 >= 5) | np.isin(day, off)
    cells: NDArray[np.intp] = hours % 24 + 24 * resting
    return cells
