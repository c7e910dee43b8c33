"""Query vectors as bytes, copied at once and without importing numpy."""

import math
import sys
from array import array
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, cast


class ArrayLike(Protocol):
    """The part of a numpy array that is needed."""

    @property
    def dtype(self) -> Any:
        """Kind of the elements."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the dimensions."""
        ...

    def astype(self, dtype: Any, /) -> Any:
        """A copy with another kind of elements."""
        ...

    def tobytes(self) -> bytes:
        """The elements as bytes."""
        ...


Vector: TypeAlias = bytes | ArrayLike | Sequence[float]


def vector_bytes(vector: Vector) -> bytes:
    """The vector as little-endian float32; `bytes` pass as they are.

    Raises ValueError for more than one vector, and TypeError for what holds no numbers.
    """
    if isinstance(vector, bytes):
        return vector
    if hasattr(vector, "tobytes") and hasattr(vector, "astype"):
        return _array_bytes(cast("ArrayLike", vector))
    listed = cast("Any", vector).tolist() if hasattr(vector, "tolist") else vector
    packed = array("f", cast("Sequence[float]", listed))
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _array_bytes(vector: ArrayLike) -> bytes:
    shape = vector.shape
    if len(shape) != 1 and math.prod(shape) != max(shape, default=0):
        raise ValueError(f"expected one vector, got an array of shape {shape}")
    if vector.dtype.str == "<f4":
        return vector.tobytes()
    return cast("bytes", vector.astype("<f4").tobytes())
