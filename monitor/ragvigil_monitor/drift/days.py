"""The job that adds up the outer products of each day's vectors, from which a reference learns their covariance.

It also draws the sample of the day, which stands for it wherever single vectors of weeks are wanted.

Days that are too old to become part of a reference are forgotten.
"""

from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np
import pyarrow as pa

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.hours import HOUR
from ragvigil_monitor.drift.stored_vectors import FLOAT64, decoded_in_chunks, packed
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer

DAY = timedelta(days=1)
_DAYS: Final = pa.schema(
    {
        "day": pa.timestamp("us"),
        "model": pa.string(),
        "dimension": pa.int32(),
        "n": pa.int64(),
        "vector_sum": pa.binary(),
        "second_moment": pa.binary(),
    }
)


def add_up_days(service: Service, turn: Turn) -> Write:
    """Add up the days that end at the ends of a turn."""
    store, days = service.store, [end - DAY for end in turn.ends]
    added = [(day, encoder) for day in days for encoder in encoders(store, day, day + DAY)]
    rows = [_added_up(store, day, encoder) for day, encoder in added]
    oldest = days[-1] - timedelta(weeks=service.settings.guardrails.query_drift.reference_weeks)

    def write(writer: Writer) -> None:
        writer.execute("forget_drift_days", before=oldest)
        if rows:
            writer.execute_with("replace_drift_days", pa.Table.from_pylist(rows, schema=_DAYS))
        writer.execute("forget_days_drawn_again", drawn_from=days[0])
        for day, encoder in added:
            writer.execute("draw_day_sample", day=day, **encoder.columns)

    return write


def encoders(store: Store, start: datetime, end: datetime) -> list[Encoder]:
    """Which encoders made vectors in a window, the busiest first."""
    return [Encoder.of(row) for row in store.rows("encoders_between", window_start=start, window_end=end)]


def _added_up(store: Store, day: datetime, encoder: Encoder) -> dict[str, Any]:
    total, outer, n = np.zeros(encoder.dimension), np.zeros((encoder.dimension, encoder.dimension)), 0
    for hour in (day + HOUR * number for number in range(24)):
        window = {"window_start": hour, "window_end": hour + HOUR}
        units = store.columns("query_vectors_between", **window, **encoder.columns)["unit_f16"]
        for found in decoded_in_chunks(units, encoder.dimension):
            total += found.unit.sum(axis=0)
            outer += found.unit.T @ found.unit
            n += len(found.unit)
    return {
        "day": day,
        **encoder.columns,
        "n": n,
        "vector_sum": total.astype(FLOAT64).tobytes(),
        "second_moment": packed(outer),
    }
