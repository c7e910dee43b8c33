"""Vectors between the bytes of the store and arrays."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.statistics.usable_vectors import UsableVectors, usable_vectors

FLOAT16: Final = np.dtype("<f2")
FLOAT32: Final = np.dtype("<f4")
FLOAT64: Final = np.dtype("<f8")
CHUNK = 8_192
"""Vectors decoded at once: 100 MB at 1,536 numbers each."""


def decoded(units: NDArray[np.object_], dimension: int) -> UsableVectors:
    """Stored unit vectors; one with another number of bytes counts as dropped."""
    unreadable = b"\xff" * (FLOAT16.itemsize * dimension)  # a NaN in every place
    whole = [unit if len(unit) == len(unreadable) else unreadable for unit in units]
    return usable_vectors(np.frombuffer(b"".join(whole), FLOAT16).reshape(-1, dimension))


def decoded_in_chunks(units: NDArray[np.object_], dimension: int) -> Iterator[UsableVectors]:
    """The same, a part at a time."""
    for start in range(0, len(units), CHUNK):
        yield decoded(units[start : start + CHUNK], dimension)


def packed(symmetric: NDArray[np.float64]) -> bytes:
    """The lower triangle of a symmetric matrix, row by row, in float32."""
    return symmetric[np.tril_indices(len(symmetric))].astype(FLOAT32).tobytes()


def unpacked(triangle: bytes, dimension: int) -> NDArray[np.float64]:
    """The symmetric matrix again."""
    matrix = np.zeros((dimension, dimension))
    rows, columns = np.tril_indices(dimension)
    matrix[rows, columns] = matrix[columns, rows] = np.frombuffer(triangle, FLOAT32)
    return matrix
