"""The job that adds up the vectors of each hour, so that a look of 24 hours reads 24 rows.

Hours of the last day are compared with what has arrived, so that late vectors are added; later ones are not.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import pyarrow as pa

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.stored_vectors import FLOAT64, decoded_in_chunks
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.statistics.vector_windows import HourlySums
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.database import Row

HOUR = timedelta(hours=1)
LATE = timedelta(hours=24)
"""How long after its hour a vector is still added."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HOURS: Final = pa.schema(
    {
        "hour": pa.timestamp("us"),
        "model": pa.string(),
        "dimension": pa.int32(),
        "n": pa.int64(),
        "unusable": pa.int64(),
        "vector_sum": pa.binary(),
        "square_sum": pa.float64(),
    }
)


def add_up_hours(service: Service, turn: Turn) -> Write:
    """Add up the hours up to the ends of a turn that have vectors which are not in their sums."""
    window = {"window_start": turn.ends[0] - HOUR - LATE, "window_end": turn.ends[-1]}
    changed = service.store.rows("hours_with_new_vectors", **window)
    rows = [_added_up(service.store, row["hour"], Encoder.of(row)) for row in changed]

    def write(writer: Writer) -> None:
        if rows:
            writer.execute_with("replace_drift_hours", pa.Table.from_pylist(rows, schema=_HOURS))

    return write


def hourly_sums(rows: Sequence[Row], dimension: int) -> HourlySums:
    """Rows of one encoder, ascending by hour, as the statistics take them."""
    return HourlySums(
        np.array([hours_since_epoch(row["hour"]) for row in rows], dtype=np.int64),
        np.array([row["n"] for row in rows], dtype=np.float64),
        np.array([np.frombuffer(row["vector_sum"], FLOAT64) for row in rows]).reshape(-1, dimension),
        np.array([row["square_sum"] for row in rows], dtype=np.float64),
    )


def hours_since_epoch(moment: datetime) -> int:
    """The number of the hour that begins at or before `moment`."""
    return (moment - _EPOCH) // HOUR


def _added_up(store: Store, hour: datetime, encoder: Encoder) -> dict[str, Any]:
    units = store.columns("query_vectors_between", window_start=hour, window_end=hour + HOUR, **encoder.columns)[
        "unit_f16"
    ]
    total, squares, n = np.zeros(encoder.dimension), 0.0, 0
    for found in decoded_in_chunks(units, encoder.dimension):
        total += found.unit.sum(axis=0)
        squares += float((found.unit**2).sum())
        n += len(found.unit)
    return {
        "hour": hour,
        **encoder.columns,
        "n": n,
        "unusable": len(units) - n,
        "vector_sum": total.astype(FLOAT64).tobytes(),
        "square_sum": squares,
    }
