import doctest
from collections.abc import Sequence

import pytest

from ragvigil_monitor.judges import calibration as module
from ragvigil_monitor.judges.calibration import NEVER_CHECKED, calibration
from ragvigil_monitor.review.labels import Label

CUT = 0.85
Judged = Sequence[tuple[float | None, Label]]
FAULTS: Judged = [(0.5, Label.PARTLY)] * 15 + [(0.0, Label.UNSUPPORTED)] * 15
GOOD: Judged = [(1.0, Label.SUPPORTED)] * 70


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("judged", "state", "more"),
    [
        ([*FAULTS, *GOOD], "calibrated", 0),
        ([*FAULTS[:29], *GOOD], "uncalibrated", 1),
        ([], "uncalibrated", 30),
        ([*((0.2, label) for _, label in GOOD), *FAULTS[:10]], "uncalibrated", 20),
        ([*((1.0, label) for _, label in FAULTS), *GOOD], "uncalibrated", 0),
        ([*((None, label) for _, label in FAULTS), *GOOD], "uncalibrated", 30),
    ],
    ids=["agrees", "one too few", "nothing", "only the judge sees faults", "sees none", "cannot score them"],
)
def test_a_judge_is_calibrated_when_it_sees_what_enough_people_saw(judged: Judged, state: str, more: int) -> None:
    found = calibration(judged, CUT)
    assert (found.state, found.more_positives) == (state, more)


def test_a_score_at_the_cut_is_no_fault() -> None:
    assert calibration([(CUT, Label.SUPPORTED), (CUT - 0.01, Label.PARTLY)], CUT).positive_agreement == 1.0


def test_what_people_saw_no_claim_in_does_not_count() -> None:
    assert calibration([(0.0, Label.NO_CLAIM), (None, Label.NO_CLAIM)], CUT) == NEVER_CHECKED


def test_faults_that_the_judge_cannot_score_are_counted() -> None:
    found = calibration([*FAULTS, (None, Label.UNSUPPORTED), (None, Label.SUPPORTED)], CUT)
    assert (found.pairs, found.unscorable) == (30, 2)


def test_kappa_is_that_of_the_table() -> None:
    table: Judged = [
        *[(0.1, Label.UNSUPPORTED)] * 20,
        *[(0.1, Label.SUPPORTED)] * 5,
        *[(1.0, Label.PARTLY)] * 10,
        *[(1.0, Label.SUPPORTED)] * 15,
    ]
    found = calibration(table, CUT)
    assert found.kappa == pytest.approx(0.4)
    assert found.positive_agreement == pytest.approx(40 / 55)
    assert (found.positives, found.is_calibrated) == (30, True)
