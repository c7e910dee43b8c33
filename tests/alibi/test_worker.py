"""The shipped worker, in the real environment."""

import threading

import numpy as np
import pytest
from tests.samples.alibi import PYTHON

from ragvigil_monitor.drift.alibi import FREE_VERSION, AlibiDetect
from ragvigil_monitor.errors import AlibiFailed
from ragvigil_monitor.statistics.mmd_permutation import mmd_test
from ragvigil_monitor.statistics.usable_vectors import usable_vectors


@pytest.fixture
def alibi() -> AlibiDetect:
    return AlibiDetect(PYTHON, 300, license_acknowledged=False, stopping=threading.Event())


def test_the_environment_holds_the_last_free_version(alibi: AlibiDetect) -> None:
    assert alibi.usable_version() == FREE_VERSION


def test_it_agrees_with_ours_on_the_statistic_and_nearly_on_p(alibi: AlibiDetect) -> None:
    """p comes from other permutations: twice the standard error of two shares of a thousand is below 0.05."""
    rng = np.random.default_rng(1)
    reference, current = usable_vectors(rng.normal(size=(120, 96))).unit, usable_vectors(rng.normal(size=(80, 96))).unit
    ours = mmd_test(reference, current)
    theirs = alibi.test(reference, current, gamma=ours.gamma, permutations=1_000)
    assert theirs.version == FREE_VERSION
    assert abs(theirs.mmd2 - ours.mmd2) < 1e-10
    assert theirs.p == pytest.approx(ours.p, abs=0.1)
    assert theirs.permutations == 1_000


def test_the_same_seed_gives_the_same_p(alibi: AlibiDetect) -> None:
    rng = np.random.default_rng(2)
    arrays = rng.normal(size=(30, 8)), rng.normal(size=(20, 8))
    first, again = (alibi.test(*arrays, gamma=0.1, permutations=50, seed=5) for _ in range(2))
    assert first == again


def test_what_the_library_says_when_it_fails_arrives(alibi: AlibiDetect) -> None:
    with pytest.raises(AlibiFailed, match="failed with exit code 1: RuntimeError"):
        alibi.test(np.ones((5, 3)), np.ones((5, 4)), gamma=1.0, permutations=5)
