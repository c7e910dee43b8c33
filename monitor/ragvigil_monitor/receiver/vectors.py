"""Query vectors: checked, scaled to length one and stored as float16."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.receiver.columns import AT
from ragvigil_monitor.telemetry_tables import Row

FLOAT32: Final = np.dtype("<f4")
FLOAT16: Final = np.dtype("<f2")

Sent = tuple[Row, object]
"""The row of a span and the vector attribute that came with it."""


def vector_rows(sent: Iterable[Sent], on_bad: Callable[[Row], None]) -> list[Row]:
    """Rows of `query_vectors`.

    A vector is float32, little endian, 4 × dimension bytes, finite, with a length that is not zero; `on_bad` is
    called with the span's row for every other.
    """
    by_size: defaultdict[int, list[tuple[Row, bytes]]] = defaultdict(list)
    for row, vector in sent:
        if isinstance(vector, bytes) and vector and len(vector) % FLOAT32.itemsize == 0:
            by_size[len(vector)].append((row, vector))
        else:
            on_bad(row)
    return [vector_row for group in by_size.values() for vector_row in _same_size(group, on_bad)]


def _same_size(group: list[tuple[Row, bytes]], on_bad: Callable[[Row], None]) -> Iterable[Row]:
    vectors = np.frombuffer(b"".join(vector for _, vector in group), FLOAT32).reshape(len(group), -1).astype(float)
    norms = np.linalg.norm(vectors, axis=1)
    good = np.isfinite(norms) & (norms > 0) & (norms <= np.finfo(np.float32).max)
    units = np.divide(vectors, norms[:, None], where=good[:, None], out=np.zeros_like(vectors)).astype(FLOAT16)
    for (row, _), is_good, norm, unit in zip(group, good, norms.tolist(), units, strict=True):
        if is_good:
            yield [*_span_columns(row), len(unit), norm, unit.tobytes()]
        else:
            on_bad(row)


def unit_vector(vector: NDArray[np.float64]) -> tuple[float, bytes] | None:
    """The length of a vector, and it scaled to length one; None for one that is not finite or has no length."""
    with np.errstate(over="ignore"):
        norm = float(np.linalg.norm(vector))
    if not 0 < norm <= np.finfo(np.float32).max:
        return None
    return norm, (vector / norm).astype(FLOAT16).tobytes()


def _span_columns(row: Row) -> Row:
    return [row[AT[column]] for column in ("trace_id", "span_id", "answer_span_id", "started_at", "model")]
