"""Single vectors with what is known of their queries, for the tests that sums do not suffice for."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.stored_vectors import decoded
from ragvigil_monitor.statistics.hour_of_week import season_cells
from ragvigil_monitor.store import Store

MOST_STORED = 5_000
"""Vectors kept of a reference."""
MOST_COMPARED = 2_000
"""Vectors of a reference in one test, and half as many of a window: its cost grows with the square."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows in an order that tells nothing. hours: since the epoch. trace_ids: hex. intents: None where unknown."""

    unit: NDArray[np.float64]
    hours: NDArray[np.int64]
    trace_ids: NDArray[np.object_]
    intents: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.unit)

    @property
    def cells(self) -> NDArray[np.int64]:
        """The season cell of each row."""
        return season_cells(self.hours)

    def at(self, places: NDArray[np.intp]) -> Self:
        """These rows only."""
        return replace(
            self,
            unit=self.unit[places],
            hours=self.hours[places],
            trace_ids=self.trace_ids[places],
            intents=self.intents[places],
        )


def sample_of_window(store: Store, encoder: Encoder, start: datetime, end: datetime, *, most: int) -> Sample:
    """At most so many vectors of a window; unusable ones are left out."""
    window = {"window_start": start, "window_end": end}
    return _sample(store.columns("sampled_query_vectors", most=most, **window, **encoder.columns), encoder)


def sample_of_reference(store: Store, encoder: Encoder, version: int) -> Sample:
    """The vectors that were kept of a reference."""
    return _sample(store.columns("drift_sample_of", version=version, **encoder.columns), encoder)


def sample_before(store: Store, encoder: Encoder, before: datetime, weeks: int) -> Sample:
    """What can stand for a reference where there is none yet: the weeks before a time, up to the end of a day."""
    window = {"window_start": before - timedelta(weeks=weeks), "window_end": before}
    return _sample(store.columns("sampled_days", most=MOST_COMPARED, **window, **encoder.columns), encoder)


def _sample(columns: dict[str, NDArray[Any]], encoder: Encoder) -> Sample:
    found = decoded(columns["unit_f16"], encoder.dimension)
    hours = columns["started_at"][found.kept].astype("datetime64[h]").astype(np.int64)
    trace_ids = np.array([trace_id.hex() for trace_id in columns["trace_id"][found.kept]], dtype=np.object_)
    return Sample(found.unit, hours, trace_ids, columns["intent"][found.kept])
