"""Marked documents on their way from the page to the real API."""

from typing import TYPE_CHECKING

import pytest
from tests.samples.hostile import EVERYTHING

from ragvigil_dashboards.review import figures
from ragvigil_dashboards.review.choices import SKIP
from ragvigil_dashboards.review.desk import Desk
from ragvigil_dashboards.review.relevance_desk import _places
from ragvigil_dashboards.review.relevance_figures import relevance_data
from ragvigil_dashboards.review_models import ReviewItem

if TYPE_CHECKING:
    from tests.dashboards.conftest import Queue


@pytest.fixture
def desk(marking: "Queue") -> Desk:
    made = Desk(marking.client("ada"), pause_s=0)
    made.open()
    return made


def front(desk: Desk) -> ReviewItem:
    assert desk.item is not None
    return desk.item


def relevant(queue: "Queue") -> list[int]:
    """How many documents each stored label calls relevant."""
    with queue.store.transaction() as writer:
        sql = "SELECT count(*) FILTER (WHERE is_relevant) AS n FROM relevance_labels GROUP BY label_id ORDER BY n"
        return [row[0] for row in writer._cursor.execute(sql).fetchall()]


def test_marks_are_held_until_the_next_decision(desk: Desk, marking: "Queue") -> None:
    first = front(desk)
    assert desk.marks_documents
    desk.mark(first.item_id, [0, 2])
    assert marking.labels("relevance") == []
    assert desk.held is not None
    assert desk.held.relevant == (first.evidence[0].id, first.evidence[2].id)
    assert "2 of 11 relevant" in figures.held_view(desk.held)
    desk.mark(front(desk).item_id, [])
    assert marking.labels("relevance") == [(first.item_id, "relevant")]
    desk.send()
    assert relevant(marking) == [0, 2]


def test_undone_marks_are_there_again(desk: Desk, marking: "Queue") -> None:
    first = front(desk)
    desk.mark(first.item_id, [1])
    second = front(desk)
    desk.undo()
    assert (front(desk).item_id, desk.marked) == (first.item_id, (first.evidence[1].id,))
    assert relevance_data(front(desk), desk.marked)["marked"] == [1]
    desk.decide(SKIP)
    assert (front(desk).item_id, desk.marked) == (second.item_id, ())
    desk.send()
    assert marking.labels("relevance") == []


@pytest.mark.parametrize("places", [[11], [-1], [0, 99], None], ids=str)
def test_places_that_the_item_does_not_have_decide_nothing(desk: Desk, places: list[int] | None) -> None:
    item = front(desk)
    desk.mark(item.item_id, places)
    assert (front(desk).item_id, desk.held) == (item.item_id, None)


def test_a_document_without_a_text_cannot_be_marked(desk: Desk) -> None:
    item = front(desk)
    silent = item.evidence[0].model_copy(update={"text": None})
    desk.item = item.model_copy(update={"evidence": [silent, *item.evidence[1:]]})
    desk.mark(item.item_id, [0, 1])
    assert (front(desk).item_id, desk.held) == (item.item_id, None)
    desk.mark(item.item_id, [1])
    assert desk.held is not None


def test_marks_of_an_item_that_is_no_longer_in_front_decide_nothing(desk: Desk) -> None:
    first = front(desk)
    desk.mark(first.item_id, [0])
    second = front(desk)
    desk.mark(first.item_id, [1])
    assert front(desk).item_id == second.item_id
    assert desk.held is not None
    assert len(desk.held.relevant) == 1


def test_a_press_that_was_meant_for_the_item_before_decides_nothing(marking: "Queue") -> None:
    presses = iter([0.0, 0.4, 0.95])
    desk = Desk(marking.client("ada"), clock=lambda: next(presses))
    desk.open()
    desk.mark(front(desk).item_id, [])
    second = front(desk)
    desk.mark(second.item_id, [])
    assert front(desk).item_id == second.item_id
    desk.mark(second.item_id, [])
    assert front(desk).item_id != second.item_id


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ([0, 2.0], [0, 2]),
        ([], []),
        (None, None),
        ("0", None),
        (["0"], None),
        ({"0": 1}, None),
        ([0.5], None),
        ([float("nan")], None),
    ],
    ids=str,
)
def test_only_a_list_of_numbers_is_read_as_places(sent: object, read: list[int] | None) -> None:
    assert _places(sent) == read


def item_of(question: str | None, *texts: str | None) -> ReviewItem:
    evidence = [{"id": f"secret-{place}", "text": text} for place, text in enumerate(texts)]
    given = {"item_id": "i", "lease_id": "l", "expires_at": "2026-11-30T00:00:00Z", "answer": None}
    return ReviewItem.model_validate({**given, "kind": "relevance", "question": question, "evidence": evidence})


def test_the_list_holds_texts_and_places_and_no_ids() -> None:
    data = relevance_data(item_of("Why?", "one", None, "three"), ["secret-2"])
    assert data["question"] == "Why?"
    assert [each["name"] for each in data["documents"]] == ["A", "B", "C"]
    assert [each["recorded"] for each in data["documents"]] == [True, False, True]
    assert data["documents"][1]["text"] == "The text of this document was not recorded."
    assert data["marked"] == [2]
    assert "secret" not in str(data)


def test_what_no_page_can_show_is_replaced() -> None:
    data = relevance_data(item_of(f"{EVERYTHING}\ud800", f"{EVERYTHING}\x00\ud800"), [])
    str(data).encode("utf-8")
    assert "\x00" not in data["documents"][0]["text"]


def test_a_question_that_is_missing_is_said() -> None:
    data = relevance_data(item_of(None), [])
    assert (data["question"], data["asked"]) == ("The question was not recorded.", False)
