"""What users said, as a table."""

import pytest

from ragvigil_dashboards.feedback_models import FeedbackTotal
from ragvigil_dashboards.figures.feedback_table import feedback_table, remarks, verdict_of


def total(**values: object) -> FeedbackTotal:
    counts = dict.fromkeys(["given", "joined", "parked", "unmatched", "future_dated", "before_its_answer"], 0)
    return FeedbackTotal.model_validate({"service": "shop", "kind": "thumbs_down", "known": True, **counts, **values})


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"given": 3, "joined": 3}, "Joined"),
        ({"given": 3, "joined": 2, "parked": 1}, "Waiting"),
        ({"given": 3, "joined": 3, "known": False}, "Unknown kind"),
        ({"given": 3, "joined": 1, "parked": 1, "unmatched": 1, "known": False}, "Unmatched"),
    ],
)
def test_a_kind_has_a_verdict(values: dict[str, object], word: str) -> None:
    assert verdict_of(total(**values)).word == word


def test_what_went_wrong_comes_first_and_counts_are_shown() -> None:
    shown = feedback_table(
        [total(given=90_000, joined=90_000), total(kind="regenerate", given=12, joined=10, unmatched=2)]
    )
    assert shown.index("regenerate") < shown.index("thumbs_down")
    assert "90,000" in shown
    assert '<td class="num">2</td>' in shown


def test_wrong_clocks_are_remarked() -> None:
    assert remarks(total(future_dated=2, before_its_answer=1)) == "2 dated in the future; 1 dated before the answer"
    assert "never used" in remarks(total(known=False))
    assert remarks(total()) == ""


def test_a_kind_is_shown_as_text() -> None:
    assert "<script>" not in feedback_table([total(kind="<script>alert(1)</script>", known=False)])


def test_no_feedback_is_a_sentence() -> None:
    assert "No feedback has arrived" in feedback_table([])
