import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.drift import stored_vectors
from ragvigil_monitor.drift.stored_vectors import decoded, decoded_in_chunks, packed, unpacked


def stored(*units: bytes) -> np.typing.NDArray[np.object_]:
    found = np.empty(len(units), dtype=np.object_)
    found[:] = units
    return found


def test_units_are_read_as_they_were_written_within_half_precision() -> None:
    unit = np.array([0.6, -0.8, 0.0])
    found = decoded(stored(unit.astype("<f2").tobytes()), 3)
    np.testing.assert_allclose(found.unit, [unit], atol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(found.unit), 1.0, rtol=1e-12)


def test_what_cannot_be_read_is_dropped_and_counted() -> None:
    good = np.array([1, 0], "<f2").tobytes()
    found = decoded(stored(b"", good, good[:-1], good + good, np.array([np.nan, 1], "<f2").tobytes(), bytes(4)), 2)
    assert (found.kept.tolist(), found.dropped) == ([1], 5)


def test_nothing_stored_is_nothing_read() -> None:
    assert decoded(stored(), 5).unit.shape == (0, 5)
    assert list(decoded_in_chunks(stored(), 5)) == []


def test_chunks_hold_every_vector_once() -> None:
    count = stored_vectors.CHUNK + 3
    units = stored(*[np.array([1, place % 7], "<f2").tobytes() for place in range(count)])
    parts = list(decoded_in_chunks(units, 2))
    assert [len(part.unit) for part in parts] == [stored_vectors.CHUNK, 3]


@given(seed=st.integers(0, 2**32 - 1), dimension=st.integers(1, 40))
def test_a_packed_matrix_is_unpacked_in_single_precision(seed: int, dimension: int) -> None:
    half = np.random.default_rng(seed).normal(size=(dimension, dimension))
    symmetric = half + half.T
    stored_bytes = packed(symmetric)
    assert len(stored_bytes) == 4 * dimension * (dimension + 1) // 2
    np.testing.assert_allclose(unpacked(stored_bytes, dimension), symmetric, rtol=1e-6, atol=1e-6)
