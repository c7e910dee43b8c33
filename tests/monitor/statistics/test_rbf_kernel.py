import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist

from ragvigil_monitor.statistics.rbf_kernel import median_gamma, rbf_kernel, squared_distances


@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(1e-3, 1e3))
def test_distances_and_kernel_agree_with_scipy(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    left, right = scale * rng.normal(size=(7, 3)), scale * rng.normal(size=(5, 3))
    wanted = cdist(left, right, "sqeuclidean")
    np.testing.assert_allclose(squared_distances(left, right), wanted, atol=1e-12 * scale**2)
    np.testing.assert_allclose(rbf_kernel(left, right, 1 / scale**2), np.exp(-wanted / scale**2), atol=1e-11)


def test_gamma_is_the_inverse_median_of_all_pairs() -> None:
    points = np.random.default_rng(0).normal(size=(101, 4))
    assert median_gamma(points) == pytest.approx(1 / np.median(pdist(points, "sqeuclidean")))


def test_gamma_of_many_points_is_close_to_that_of_all() -> None:
    points = np.random.default_rng(1).normal(size=(5_000, 8))
    assert median_gamma(points) == pytest.approx(1 / np.median(pdist(points[:3_000], "sqeuclidean")), rel=0.02)


def test_gamma_does_not_depend_on_which_sample_a_point_is_in() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(4_500, 3))
    assert median_gamma(points) == median_gamma(rng.permutation(points))


def test_when_most_pairs_coincide_the_others_decide() -> None:
    points = np.concatenate([np.zeros((20, 2)), [[3.0, 4.0]]])
    assert median_gamma(points) == pytest.approx(1 / 25)


@pytest.mark.parametrize("rows", [1, 2, 50])
def test_when_all_points_coincide_gamma_is_one(rows: int) -> None:
    points = np.tile(np.random.default_rng(3).normal(size=(1, 300)), (rows, 1))
    assert median_gamma(points) == 1.0
