"""Which reviewed items count and with what inclusion probability, however far the reviewers came.

Within the items of one day a stratum is served by priority u / p ascending. Wherever reviewers stop, the served ones
are those with a priority below τ, the first that was not served; so the stratum's p is in effect min(1, p τ), and an
item beyond the τ of each of its strata does not count yet. An item that somebody holds at this moment is missing for
now and does not lower τ.

Source: Ohlsson, Sequential Poisson sampling, J. Official Statistics 14 (1998); Duffield, Lund & Thorup, Priority
sampling for estimation of arbitrary subset sums, J. ACM 54 (2007).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from ragvigil_monitor.review.strata import UNIFORM

Cell = tuple[date, str]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An item of the effective sample. label: None where it was skipped or is held just now."""

    item_id: str
    label: str | None
    inclusion: float
    is_uniform: bool


def effective_sample(rows: Sequence[Mapping[str, Any]]) -> list[Reviewed]:
    """The served part of the drawn items; `rows` are those of `reviews_between`, one an item and stratum."""
    served_up_to = thresholds(rows)
    items = (list(group) for _, group in groupby(rows, key=lambda row: row["item_id"]))
    found = (_reviewed(strata, served_up_to) for strata in items)
    return [each for each in found if each is not None]


def thresholds(rows: Iterable[Mapping[str, Any]]) -> dict[Cell, float]:
    """τ of each day and stratum that still has an item which nobody was given; elsewhere it is 1."""
    lowest: dict[Cell, float] = {}
    for row in rows:
        if not _is_served(row) and row["priority"] < 1:
            cell = (row["started_on"], row["stratum"])
            lowest[cell] = min(lowest.get(cell, 1.0), row["priority"])
    return lowest


def _reviewed(strata: Sequence[Mapping[str, Any]], served_up_to: Mapping[Cell, float]) -> Reviewed | None:
    reach = [(row, served_up_to.get((row["started_on"], row["stratum"]), 1.0)) for row in strata]
    if not any(row["priority"] < tau for row, tau in reach):
        return None
    missed = math.prod(1 - min(1.0, row["probability"] * tau) for row, tau in reach)
    is_uniform = any(row["stratum"] == UNIFORM and row["priority"] < tau for row, tau in reach)
    first = strata[0]
    return Reviewed(first["item_id"], first["first_label"], first["sampling_probability"] * (1 - missed), is_uniform)


def _is_served(row: Mapping[str, Any]) -> bool:
    return row["first_label"] is not None or row["is_skipped"] or row["is_held"]
