import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from ragvigil_monitor.statistics import agreement as module
from ragvigil_monitor.statistics.agreement import agreement

Pairs = list[tuple[bool, bool]]


def table(both: int, first: int, second: int, neither: int) -> Pairs:
    return [(True, True)] * both + [(True, False)] * first + [(False, True)] * second + [(False, False)] * neither


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("both", "first", "second", "neither"), [(20, 5, 10, 15), (1, 2, 3, 194), (5, 0, 0, 5), (0, 5, 5, 0)]
)
def test_kappa_is_that_of_scikit_learn(both: int, first: int, second: int, neither: int) -> None:
    pairs = table(both, first, second, neither)
    expected = cohen_kappa_score([one for one, _ in pairs], [other for _, other in pairs])
    assert agreement(pairs).kappa == pytest.approx(expected)


def test_rare_positives_show_in_positive_agreement_not_in_overall_agreement() -> None:
    found = agreement(table(0, 2, 2, 196))
    assert found.positive == 0.0
    assert found.positives == 4
    assert found.kappa == pytest.approx(-0.0101, abs=1e-4)


@pytest.mark.parametrize("pairs", [[], table(0, 0, 0, 9), table(9, 0, 0, 0)], ids=["none", "only no", "only yes"])
def test_agreement_by_chance_alone_is_no_kappa(pairs: Pairs) -> None:
    assert agreement(pairs).kappa is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=50))
def test_who_is_first_makes_no_difference(pairs: Pairs) -> None:
    found, swapped = agreement(pairs), agreement([(second, first) for first, second in pairs])
    assert found == swapped
    assert found.kappa is None or -1 <= found.kappa <= 1
    assert found.positive is None or 0 <= found.positive <= 1
