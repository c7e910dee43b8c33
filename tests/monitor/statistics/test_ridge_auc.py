import doctest

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score

from ragvigil_monitor.statistics import ridge_auc as module
from ragvigil_monitor.statistics.ridge_auc import ridge_auc

Points = NDArray[np.float64]


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


def cross_fitted_by_scikit_learn(reference: Points, current: Points, seed: int) -> float:
    """The same folds, each scored by scikit-learn's ridge and its AUC."""
    points = np.concatenate([reference, current])
    labels = np.repeat([0.0, 1.0], [len(reference), len(current)])
    fold_of = module._stratified_folds(labels, 5, np.random.default_rng(seed))
    total = pairs = 0.0
    for fold in range(5):
        train, test = fold_of != fold, fold_of == fold
        spread = ((points[train] - points[train].mean(axis=0)) ** 2).sum() / points.shape[1]
        scores = Ridge(alpha=float(spread)).fit(points[train], 2 * labels[train] - 1).predict(points[test])
        here = labels[test].sum() * (1 - labels[test]).sum()
        total, pairs = total + here * roc_auc_score(labels[test], scores), pairs + here
    return float(total / pairs)


@pytest.mark.parametrize("shift", [0.0, 0.3, 1.0])
def test_it_agrees_with_scikit_learn(shift: float) -> None:
    rng = np.random.default_rng(0)
    reference, current = rng.normal(size=(83, 6)), rng.normal(size=(61, 6)) + shift
    found = ridge_auc(reference, current, seed=5, permutations=1)
    assert found.auc == pytest.approx(cross_fitted_by_scikit_learn(reference, current, 5), abs=1e-12)


def test_it_approaches_the_auc_of_two_known_normal_distributions() -> None:
    """The best linear AUC of N(0, I) and N(δ, I) is Φ(‖δ‖ / √2); ‖δ‖ = 1 gives 0.760."""
    rng = np.random.default_rng(1)
    found = ridge_auc(rng.normal(size=(5_000, 4)), rng.normal(size=(5_000, 4)) + 0.5, permutations=1)
    assert found.auc == pytest.approx(0.760, abs=0.01)


def test_without_a_difference_it_is_rejected_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(2)
    p = [
        ridge_auc(rng.normal(size=(30, 4)), rng.normal(size=(25, 4)), permutations=59, seed=run).p for run in range(400)
    ]
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.085


def test_a_shift_is_found() -> None:
    rng = np.random.default_rng(3)
    found = [ridge_auc(rng.normal(size=(200, 8)), rng.normal(size=(150, 8)) + 0.3, permutations=99) for _ in range(20)]
    assert sum(each.p <= 0.05 for each in found) >= 19


def test_identical_points_cannot_be_told_apart() -> None:
    same = np.ones((40, 3))
    found = ridge_auc(same, same[:20], permutations=20)
    assert (found.auc, found.p) == (0.5, 1.0)


def test_more_dimensions_than_points_are_no_obstacle() -> None:
    rng = np.random.default_rng(4)
    found = ridge_auc(rng.normal(size=(30, 200)), rng.normal(size=(30, 200)) + 1, permutations=20)
    assert found.auc > 0.9


def test_fewer_points_than_folds_are_refused() -> None:
    with pytest.raises(ValueError, match="5 folds"):
        ridge_auc(np.zeros((40, 2)), np.zeros((4, 2)))
