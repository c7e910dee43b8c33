"""Choosing reference points so that they fall into season cells with the same shares as a window."""

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.statistics.hour_of_week import CELLS

TOLERATED_SHORTAGE = 0.05
"""Share of the window whose cells may have fewer reference points than wanted."""


def season_matched(
    reference_cells: NDArray[np.int64], window_cells: NDArray[np.int64], *, most: int
) -> NDArray[np.intp]:
    """Ascending places of at most `most` reference points whose cells are mixed as the window's; empty without a match.

    In each cell the first ones are taken, so their order should be random. As many as possible are taken without
    running short in cells that hold more than 5 % of the window together.

    >>> season_matched(np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1]), most=3).tolist()
    [0, 1, 3]
    """
    if len(window_cells) == 0:
        return np.empty(0, dtype=np.intp)
    wanted = np.bincount(window_cells, minlength=CELLS) / len(window_cells)
    available = np.bincount(reference_cells, minlength=CELLS)
    size = min(most, _largest_size(available, wanted))
    taken = np.minimum(np.rint(size * wanted).astype(np.intp), available)
    chosen = [np.flatnonzero(reference_cells == cell)[: taken[cell]] for cell in np.flatnonzero(taken)]
    return np.sort(np.concatenate(chosen)) if chosen else np.empty(0, dtype=np.intp)


def _largest_size(available: NDArray[np.intp], wanted: NDArray[np.float64]) -> int:
    used = np.flatnonzero(wanted)
    enough_for = available[used] / wanted[used]
    order = np.argsort(enough_for)
    short = np.cumsum(wanted[used][order])
    return int(enough_for[order][np.searchsorted(short, TOLERATED_SHORTAGE, side="right")])
