import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.statistics import witness as module
from ragvigil_monitor.statistics.mmd_permutation import mmd_test
from ragvigil_monitor.statistics.witness import contributions


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 30), m=st.integers(2, 30))
def test_the_contributions_sum_to_the_statistic(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    reference, current = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) + 0.5
    found = contributions(reference, current, 0.4)
    total = float(found.reference.sum() + found.current.sum())
    assert total == pytest.approx(mmd_test(reference, current, gamma=0.4, permutations=1).mmd2, abs=1e-12)


def test_more_than_a_block_of_points_is_no_different() -> None:
    rng = np.random.default_rng(1)
    reference, current = rng.normal(size=(1_100, 2)), rng.normal(size=(1_050, 2))
    found = contributions(reference, current, 0.4)
    total = float(found.reference.sum() + found.current.sum())
    assert total == pytest.approx(mmd_test(reference, current, gamma=0.4, permutations=1).mmd2, abs=1e-12)


def test_the_new_queries_contribute_most() -> None:
    rng = np.random.default_rng(2)
    reference, current = rng.normal(size=(200, 8)), rng.normal(size=(100, 8))
    current[:10] = 3 + 0.1 * rng.normal(size=(10, 8))
    found = contributions(reference, current, 1 / 16)
    assert set(np.argsort(found.current)[-10:]) == set(range(10))
    assert found.current[:10].sum() > 0.5 * (found.current.sum() + found.reference.sum())


def test_a_slice_that_disappeared_contributes_from_the_side_of_the_reference() -> None:
    rng = np.random.default_rng(3)
    reference, current = rng.normal(size=(200, 8)), rng.normal(size=(100, 8))
    reference[:40] = 3 + 0.1 * rng.normal(size=(40, 8))
    found = contributions(reference, current, 1 / 16)
    assert found.reference[:40].sum() > 0.5 * (found.current.sum() + found.reference.sum())
