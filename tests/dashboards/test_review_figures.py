"""What the reviewer sees, as HTML."""

from datetime import UTC, datetime

import pytest
from tests.samples.hostile import EVERYTHING

from ragvigil_dashboards.review import figures
from ragvigil_dashboards.review.choices import CHOICES, SKIP
from ragvigil_dashboards.review.desk import Decision
from ragvigil_dashboards.review.relevance_figures import passage_name
from ragvigil_dashboards.review_models import ReviewEvidence, ReviewItem, ReviewProgress


def item(question: str | None = "Why?", answer: str | None = "So.", *texts: str | None) -> ReviewItem:
    return ReviewItem(
        kind="answer",
        item_id="i",
        lease_id="l",
        expires_at=datetime(2026, 11, 30, tzinfo=UTC),
        question=question,
        answer=answer,
        evidence=[ReviewEvidence(id=f"secret-{number}", text=text) for number, text in enumerate(texts)],
    )


def progress(labelled_today: int = 3, waiting: int = 9, skipped_today: int = 0) -> ReviewProgress:
    return ReviewProgress(labelled=50, labelled_today=labelled_today, skipped_today=skipped_today, waiting=waiting)


def decision(place: int = 0) -> Decision:
    return Decision(item(), [*CHOICES, SKIP][place], "id")


def test_an_item_shows_question_answer_and_evidence_in_the_given_order() -> None:
    shown = figures.item_view(item("Why?", "So.", "first", "second"))
    places = [shown.index(text) for text in ("Why?", "So.", "first", "second")]
    assert places == sorted(places)
    assert "<b>A</b>" in shown
    assert "<b>B</b>" in shown


def test_names_of_the_item_and_its_documents_are_not_shown() -> None:
    shown = figures.item_view(item("Why?", "So.", "first"))
    assert "secret" not in shown


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (item(None), "The question was not recorded."),
        (item("Why?", None), "The answer was not recorded."),
        (item("Why?", ""), "The answer was not recorded."),
        (item("Why?", "So.", None), "The text of this document was not recorded."),
        (item("Why?", "So."), "The answer was given without any document."),
    ],
    ids=["question", "answer", "empty answer", "text", "no document"],
)
def test_what_is_missing_is_said(shown: ReviewItem, said: str) -> None:
    assert said in figures.item_view(shown)


def test_hostile_texts_are_inert() -> None:
    shown = figures.item_view(item(EVERYTHING, EVERYTHING, EVERYTHING))
    assert "<script" not in shown
    assert "<img" not in shown
    assert shown.count("<h1") == 0
    assert figures.held_view(Decision(item(EVERYTHING), SKIP, "id")).count("<script") == 0


@pytest.mark.parametrize(("place", "name"), [(0, "A"), (25, "Z"), (26, "27"), (99, "100")])
def test_documents_have_letters_then_numbers(place: int, name: str) -> None:
    assert passage_name(place) == name


def test_progress_counts_the_label_that_is_still_held() -> None:
    assert "<b>3</b> labelled today" in figures.progress_view(progress(), None, "ada")
    assert "<b>4</b> labelled today" in figures.progress_view(progress(), decision(), "ada")
    assert "<b>3</b> labelled today" in figures.progress_view(progress(), decision(-1), "ada")


@pytest.mark.parametrize(
    ("done", "waiting", "width"), [(0, 0, "0.0%"), (0, 9, "0.0%"), (3, 9, "25.0%"), (5, 0, "100.0%")]
)
def test_the_bar_shows_the_share_that_is_done(done: int, waiting: int, width: str) -> None:
    assert f"width: {width}" in figures.progress_view(progress(done, waiting), None, "ada")


def test_skips_are_shown_when_there_are_any() -> None:
    assert "skipped" not in figures.progress_view(progress(), None, "ada")
    assert "<b>2</b> skipped today" in figures.progress_view(progress(skipped_today=2), None, "ada")


def test_without_an_answer_of_the_service_only_the_name_is_known() -> None:
    assert "labelled" not in figures.progress_view(None, None, "ada")


@pytest.mark.parametrize(("place", "said"), [(0, "Supported"), (2, "Unsupported"), (-1, "Skipped")])
def test_the_last_decision_is_named(place: int, said: str) -> None:
    assert f"Last: <b>{said}</b>" in figures.held_view(decision(place))


def test_the_guideline_names_every_key_and_its_rule() -> None:
    shown = figures.guideline()
    for choice in (*CHOICES, SKIP):
        assert f"<kbd>{choice.key}</kbd>{choice.title}" in shown
        assert choice.rule in shown


def test_an_empty_queue_says_what_to_do_with_the_last_label() -> None:
    assert "send it with D" in figures.nothing_waits(decision())
    assert "Press N" in figures.nothing_waits(None)
    assert "send it" not in figures.nothing_waits(None)
