import doctest
from collections.abc import Sequence

import pytest

from ragvigil_monitor.judges import calibration as module
from ragvigil_monitor.judges.calibration import NEVER_CHECKED, Calibration, calibration
from ragvigil_monitor.review.labels import Label

CUT = 0.85
Judged = Sequence[tuple[float | None, Label]]
FAULTS: Judged = [(0.5, Label.PARTLY)] * 15 + [(0.0, Label.UNSUPPORTED)] * 15
GOOD: Judged = [(1.0, Label.SUPPORTED)] * 70


def calibrated(judged: Judged) -> Calibration:
    """Each answer by itself: equal ones need not come together."""
    return calibration((None if score is None else score < CUT, label, 1) for score, label in judged)


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
    found = calibrated(judged)
    assert (found.state, found.more_positives) == (state, more)


def test_answers_count_as_often_as_they_are() -> None:
    whole = calibration([(True, Label.PARTLY, 30), (False, Label.SUPPORTED, 70), (None, Label.UNSUPPORTED, 2)])
    parts = [
        (True, Label.PARTLY, 10),
        (None, Label.UNSUPPORTED, 2),
        (False, Label.SUPPORTED, 70),
        (True, Label.PARTLY, 20),
    ]
    assert (whole.pairs, whole.positives, whole.positive_agreement, whole.unscorable) == (100, 30, 1.0, 2)
    assert calibration(parts) == whole


def test_what_people_saw_no_claim_in_does_not_count() -> None:
    assert calibrated([(0.0, Label.NO_CLAIM), (None, Label.NO_CLAIM)]) == NEVER_CHECKED


def test_faults_that_the_judge_cannot_score_are_counted() -> None:
    found = calibrated([*FAULTS, (None, Label.UNSUPPORTED), (None, Label.SUPPORTED)])
    assert (found.pairs, found.unscorable) == (30, 2)


def test_kappa_is_that_of_the_table() -> None:
    table: Judged = [
        *[(0.1, Label.UNSUPPORTED)] * 20,
        *[(0.1, Label.SUPPORTED)] * 5,
        *[(1.0, Label.PARTLY)] * 10,
        *[(1.0, Label.SUPPORTED)] * 15,
    ]
    found = calibrated(table)
    assert found.kappa == pytest.approx(0.4)
    assert found.positive_agreement == pytest.approx(40 / 55)
    assert (found.positives, found.is_calibrated) == (30, True)
