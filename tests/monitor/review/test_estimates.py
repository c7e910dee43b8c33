"""From labels to rates."""

from typing import TYPE_CHECKING

import pytest

from ragvigil_monitor.review.estimates import reviewed_window
from ragvigil_monitor.review.labels import Label

if TYPE_CHECKING:
    from tests.monitor.review.conftest import Desk, MakeDesk


def label_all(desk: "Desk", *labels: Label) -> int:
    """Label everything that waits, with these labels in turn."""
    given = 0
    while (lease := desk.take()) is not None:
        desk.label(lease, labels[given % len(labels)])
        given += 1
    return given


def test_without_labels_every_rate_is_missing_evidence(desk: "Desk") -> None:
    found = reviewed_window(desk.store, 28, desk.now)
    assert found.drawn > 20
    assert {estimate.state for estimate in found.rates.values()} == {"missing_evidence"}
    assert {check.lower for check in found.uniform.values()} == {None}
    assert found.agreement.kappa is None


def test_a_rate_is_estimated_from_all_labels(desk: "Desk") -> None:
    n = label_all(desk, Label.SUPPORTED, Label.SUPPORTED, Label.PARTLY, Label.UNSUPPORTED)
    found = reviewed_window(desk.store, 28, desk.now)
    rate, worst = found.rates["not_fully_supported"], found.rates["unsupported"]
    assert (rate.n, found.labelled, found.skipped) == (n, n, 0)
    assert rate.value == pytest.approx(0.5, abs=0.05)
    assert worst.value == pytest.approx(0.25, abs=0.05)
    assert (rate.lower or 0) < 0.5 < (rate.upper or 0)


def test_an_answer_without_a_claim_is_in_no_denominator(desk: "Desk") -> None:
    label_all(desk, Label.NO_CLAIM)
    assert reviewed_window(desk.store, 28, desk.now).rates["unsupported"].state == "missing_evidence"


def test_a_skip_is_missing_and_not_a_zero(desk: "Desk") -> None:
    desk.skip(desk.must_take())
    n = label_all(desk, Label.UNSUPPORTED)
    found = reviewed_window(desk.store, 28, desk.now)
    assert (found.rates["unsupported"].n, found.rates["unsupported"].missing) == (n, 1)
    assert found.rates["unsupported"].value == 1.0
    assert found.skipped == 1


def test_the_window_leaves_out_older_answers(desk: "Desk") -> None:
    label_all(desk, Label.SUPPORTED)
    two, four = (reviewed_window(desk.store, days, desk.now).rates["unsupported"].n for days in (2, 28))
    assert 0 < two < four


def test_the_first_label_counts_and_the_second_measures_agreement(make_desk: "MakeDesk") -> None:
    desk = make_desk(second_label_share=1.0, answers=20)
    for reviewer, said in (("ada", Label.PARTLY), ("bob", Label.SUPPORTED)):
        while (lease := desk.take(reviewer)) is not None:
            desk.label(lease, said, reviewer)
            desk.wait(seconds=1)
    found = reviewed_window(desk.store, 28, desk.now)
    assert found.rates["not_fully_supported"].value == 1.0
    assert found.agreement.pairs == found.labelled
    assert found.agreement.positive == 0.0


def test_only_two_reviewers_make_a_pair(make_desk: "MakeDesk") -> None:
    """What one reviewer said twice is no agreement, not even as the second of a pair."""
    desk = make_desk(second_label_share=1.0, answers=20)
    alone, shared = desk.must_take(), desk.must_take()
    with desk.store.transaction() as writer:
        for number, (lease, reviewer, label) in enumerate(
            [
                (alone, "ada", "partly"),
                (alone, "ada", "partly"),
                (shared, "ada", "partly"),
                (shared, "ada", "partly"),
                (shared, "bob", "supported"),
            ]
        ):
            said = {"label_id": f"{number}", "lease_id": f"{number}", "reviewer": reviewer, "label": label}
            writer.execute("add_review_label", item_id=lease.item_id, labelled_at=desk.now, **said)
    agreement = reviewed_window(desk.store, 28, desk.now).agreement
    assert (agreement.pairs, agreement.positive) == (1, 0.0)


def test_the_cross_check_uses_the_uniform_draw_alone(make_desk: "MakeDesk") -> None:
    desk = make_desk(answers=80, uniform_share=0.2, minimum_per_week=0, thumbs_down_share=1.0, low_confidence_share=1.0)
    label_all(desk, Label.SUPPORTED)
    found = reviewed_window(desk.store, 28, desk.now)
    assert 0 < found.uniform["unsupported"].n < found.rates["unsupported"].n
