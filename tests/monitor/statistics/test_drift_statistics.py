import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragvigil_monitor.statistics.hour_of_week import CELLS
from ragvigil_monitor.statistics.mix_statistic import mix_statistics
from ragvigil_monitor.statistics.novelty_statistic import NoveltyScale
from ragvigil_monitor.statistics.season_reference import SeasonReference
from ragvigil_monitor.statistics.vector_windows import VectorWindows

DIMENSION = 4
Vectors = NDArray[np.float64]


def window_of(vectors: Vectors, shares: Vectors) -> VectorWindows:
    return VectorWindows(
        np.array([float(len(vectors))]),
        vectors.mean(axis=0)[None, :],
        np.array([(vectors**2).sum() / len(vectors)]),
        shares[None, :],
    )


def some_reference(rng: np.random.Generator) -> SeasonReference:
    return SeasonReference(rng.normal(size=DIMENSION), rng.normal(size=(CELLS, DIMENSION)))


def naive_mix(vectors: Vectors, expected: Vectors) -> float:
    """The definition: all pairs of different vectors, each with the expected mean, the expected mean with itself."""
    m = len(vectors)
    pairs = sum(float(vectors[i] @ vectors[j]) for i in range(m) for j in range(m) if i != j)
    across = sum(float(vector @ expected) for vector in vectors)
    return m * (pairs / (m * (m - 1)) - 2 * across / m + float(expected @ expected))


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(2, 30), scale=st.floats(1e-3, 1e3))
def test_the_mix_statistic_is_the_unbiased_linear_mmd_of_its_definition(seed: int, m: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    reference, vectors, shares = some_reference(rng), scale * rng.normal(size=(m, DIMENSION)), rng.dirichlet([1] * 48)
    found = mix_statistics(window_of(vectors, shares), reference)
    wanted = naive_mix(vectors - reference.mean, shares @ reference.cells)
    np.testing.assert_allclose(found, [wanted], atol=1e-9 * (1 + scale**2) * m)


def test_the_mix_statistic_is_zero_on_average_when_nothing_changed() -> None:
    rng = np.random.default_rng(1)
    reference = SeasonReference(np.zeros(DIMENSION), np.zeros((CELLS, DIMENSION)))
    shares = np.full(CELLS, 1 / CELLS)
    found = [mix_statistics(window_of(rng.normal(size=(60, DIMENSION)), shares), reference)[0] for _ in range(2_000)]
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(len(found))


@pytest.mark.parametrize("count", [0.0, 1.0])
def test_a_window_without_pairs_has_no_mix_statistic(count: float) -> None:
    windows = VectorWindows(np.array([count]), np.zeros((1, DIMENSION)), np.zeros(1), np.zeros((1, CELLS)))
    assert np.isnan(mix_statistics(windows, some_reference(np.random.default_rng(0)))).all()


def test_the_axes_of_novelty_solve_the_generalised_eigenproblem() -> None:
    rng = np.random.default_rng(2)
    residuals, half = rng.normal(size=(40, DIMENSION)), rng.normal(size=(DIMENSION, DIMENSION))
    covariance = half @ half.T + np.eye(DIMENSION)
    scale = NoveltyScale.fit(residuals, covariance)
    wander = residuals.T @ residuals / 40
    np.testing.assert_allclose(wander @ scale.axes, covariance @ scale.axes * scale.variances, atol=1e-10)
    np.testing.assert_allclose(scale.axes.T @ covariance @ scale.axes, np.eye(DIMENSION), atol=1e-10)


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 5_000))
def test_the_novelty_statistic_is_a_mahalanobis_distance(seed: int, m: int) -> None:
    """Σ (uᵀr)² / (c + 1/m) = rᵀ (C + V/m)⁻¹ r, computed without any eigenproblem."""
    rng = np.random.default_rng(seed)
    past, half, now = rng.normal(size=(9, DIMENSION)), rng.normal(size=(DIMENSION, DIMENSION)), rng.normal(size=(1, 4))
    covariance = half @ half.T + np.eye(DIMENSION)
    found = NoveltyScale.fit(past, covariance).statistics(now, np.array([float(m)]))
    wanted = now @ np.linalg.solve(past.T @ past / 9 + covariance / m, now.T)
    np.testing.assert_allclose(found, wanted[0], rtol=1e-6)


def test_novelty_weighs_a_new_direction_more_than_one_in_which_windows_always_wandered() -> None:
    wandering = np.outer(np.random.default_rng(3).normal(size=50), [1.0, 0.0])
    scale = NoveltyScale.fit(wandering, np.eye(2))
    old, new = scale.statistics(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([500.0, 500.0]))
    assert new > 100 * old


def test_without_history_novelty_is_the_distance_of_single_queries() -> None:
    scale = NoveltyScale.fit(np.empty((0, 2)), np.eye(2))
    np.testing.assert_allclose(scale.statistics(np.array([[0.3, 0.4]]), np.array([100.0])), [25.0])


def test_an_empty_window_has_no_novelty() -> None:
    assert np.isnan(NoveltyScale.fit(np.empty((0, 2)), np.eye(2)).statistics(np.zeros((1, 2)), np.zeros(1))).all()
