import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ragvigil_monitor.statistics import usable_vectors as module
from ragvigil_monitor.statistics.usable_vectors import duplicate_share, first_copies, usable_vectors


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@given(arrays.arrays(np.float64, (7, 3), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_whatever_comes_in_what_comes_out_has_length_one(vectors: np.typing.NDArray[np.float64]) -> None:
    found = usable_vectors(vectors)
    assert len(found.unit) + found.dropped == 7
    np.testing.assert_allclose(np.linalg.norm(found.unit, axis=1), 1.0, rtol=1e-12)
    usable = np.isfinite(vectors).all(axis=1) & (vectors != 0).any(axis=1)
    assert list(found.kept) == list(np.flatnonzero(usable))


@pytest.mark.parametrize(
    "vectors",
    [np.array([[3, 4]], np.float16), np.array([[3, 4]], np.float64), np.array([[3, 4]], np.int8), [[3, 4]]],
    ids=["float16", "float64", "int8", "list"],
)
def test_any_real_type_is_cast(vectors: object) -> None:
    found = usable_vectors(vectors)  # type: ignore[arg-type] # the types are what is tested
    np.testing.assert_allclose(found.unit, [[0.6, 0.8]])


def test_the_largest_float_is_scaled_without_overflow() -> None:
    found = usable_vectors([[1e308, 1e308], [5e-324, 0.0]])
    np.testing.assert_allclose(found.unit, [[0.5**0.5, 0.5**0.5], [1.0, 0.0]])
    assert found.dropped == 0


def test_no_vectors_are_no_error() -> None:
    found = usable_vectors(np.empty((0, 4)))
    assert (found.unit.shape, found.dropped, duplicate_share(found.unit)) == ((0, 4), 0, 0.0)


@pytest.mark.parametrize("vectors", [[1.0, 2.0], np.empty((3, 0)), 5.0], ids=["flat", "no dimension", "a number"])
def test_what_is_no_matrix_is_refused(vectors: object) -> None:
    with pytest.raises(ValueError, match="one vector a row"):
        usable_vectors(vectors)  # type: ignore[arg-type] # the types are what is tested


def test_copies_are_counted_and_the_first_ones_found() -> None:
    rows = np.array([[2.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 0.0], [1.0, 1.0]])
    assert duplicate_share(rows) == pytest.approx(0.4)
    assert first_copies(rows).tolist() == [0, 1, 4]
