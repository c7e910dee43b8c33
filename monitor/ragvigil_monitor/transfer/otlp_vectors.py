"""Stored query vectors as they came: float32, little endian."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.receiver.vectors import FLOAT16, FLOAT32

_STEPS: Final = sorted(range(-24, 25), key=abs)
_STEP: Final = 2.0**-26
_BISECTIONS: Final = 50
_ROOM: Final = 0.999

Vector = NDArray[np.float64]


def sent_vector(unit_f16: bytes, norm: float) -> bytes:
    """A vector that the receiver stores as this unit vector and norm.

    The stored unit vector was rounded, so that its length is only nearly one. Where scaling it would not give the same
    after rounding, as in few dimensions, another one is taken that rounds to it.
    """
    stored = np.frombuffer(unit_f16, FLOAT16)
    unit = stored.astype(float)
    simple = unit / np.linalg.norm(unit)
    exact = simple if _rounds_to(simple, stored) else _within_rounding(stored)
    candidates = ((exact * norm * (1.0 + step * _STEP)).astype(FLOAT32) for step in _STEPS)
    found = next((each for each in candidates if _is_stored_as(each, stored, norm)), None)
    return (exact * norm).astype(FLOAT32).tobytes() if found is None else found.tobytes()


def _rounds_to(unit: Vector, stored: NDArray[np.float16]) -> bool:
    return bool(np.array_equal(unit.astype(FLOAT16), stored))


def _within_rounding(stored: NDArray[np.float16]) -> Vector:
    """A vector of length one whose elements all round to those stored: scaled, but not beyond where they would not."""
    unit = stored.astype(float)
    up = unit + (np.nextafter(stored, np.float16(np.inf)).astype(float) - unit) / 2 * _ROOM
    down = unit + (np.nextafter(stored, np.float16(-np.inf)).astype(float) - unit) / 2 * _ROOM
    low, high = 0.5, 2.0
    for _ in range(_BISECTIONS):
        scale = (low + high) / 2
        is_long = np.linalg.norm(np.clip(unit * scale, down, up)) > 1.0
        low, high = (low, scale) if is_long else (scale, high)
    found: Vector = np.clip(unit * low, down, up)
    return found


def _is_stored_as(vector: NDArray[np.float32], stored: NDArray[np.float16], norm: float) -> bool:
    length = np.linalg.norm(vector.astype(float))
    return bool(np.float32(length) == np.float32(norm)) and _rounds_to(vector.astype(float) / length, stored)
