"""The reviewer's desk in front of the real API."""

from typing import TYPE_CHECKING

import pytest
from tests.samples.servers import free_port

from ragvigil_dashboards.client import HttpApi
from ragvigil_dashboards.review.choices import CHOICES, SKIP
from ragvigil_dashboards.review.desk import Desk
from ragvigil_dashboards.review_client import ReviewClient
from ragvigil_monitor.keys import Role
from ragvigil_monitor.review.labels import Label

if TYPE_CHECKING:
    from tests.dashboards.conftest import Queue

SUPPORTED, PARTLY, UNSUPPORTED, NO_CLAIM = CHOICES


@pytest.fixture
def desk(queue: "Queue") -> Desk:
    made = Desk(queue.client("ada"), pause_s=0)
    made.open()
    return made


def item_id(desk: Desk) -> str:
    assert desk.item is not None
    return desk.item.item_id


def test_the_choices_are_the_labels_that_the_service_knows() -> None:
    assert [choice.label for choice in CHOICES] == [label.value for label in Label]
    assert len({choice.key for choice in (*CHOICES, SKIP)}) == len(CHOICES) + 1


def test_a_decision_is_held_until_the_next_one(desk: Desk, queue: "Queue") -> None:
    first = item_id(desk)
    desk.decide(PARTLY)
    assert queue.labels() == []
    assert desk.held is not None
    assert desk.held.item.item_id == first != item_id(desk)
    desk.decide(SUPPORTED)
    assert queue.labels() == [(first, "partly")]


def test_an_undone_decision_never_leaves_the_desk(desk: Desk, queue: "Queue") -> None:
    first = item_id(desk)
    desk.decide(UNSUPPORTED)
    second = item_id(desk)
    desk.undo()
    assert (item_id(desk), desk.held) == (first, None)
    desk.decide(SUPPORTED)
    assert item_id(desk) == second
    desk.send()
    assert queue.labels() == [(first, "supported")]


def test_there_is_nothing_to_undo_twice(desk: Desk) -> None:
    first = item_id(desk)
    desk.decide(NO_CLAIM)
    desk.undo()
    desk.undo()
    assert item_id(desk) == first


def test_a_skip_can_be_undone_too(desk: Desk, queue: "Queue") -> None:
    desk.decide(SKIP)
    desk.undo()
    desk.decide(SUPPORTED)
    desk.send()
    assert queue.skipped() == 0
    desk.decide(SKIP)
    desk.send()
    assert (len(queue.labels()), queue.skipped()) == (1, 1)


def test_the_whole_queue_is_worked_off(desk: Desk, queue: "Queue") -> None:
    decided = 0
    while desk.item is not None:
        desk.decide(CHOICES[decided % 4])
        decided += 1
    assert decided >= 18
    assert len(queue.labels()) == decided - 1
    desk.send()
    assert len(queue.labels()) == decided
    assert desk.progress is not None
    assert (desk.progress.labelled_today, desk.progress.waiting) == (decided, 0)
    desk.decide(SUPPORTED)
    assert (desk.item, desk.held, desk.problem) == (None, None, None)


def test_presses_that_waited_while_the_page_was_drawn_decide_nothing(queue: "Queue") -> None:
    moments = iter([0.0, 3.0, 3.01, 6.0, 6.6])  # pressed, drawn slowly, a press that waited, drawn again, pressed
    desk = Desk(queue.client("ada"), clock=lambda: next(moments))
    desk.open()
    desk.decide(PARTLY)
    desk.shown()
    desk.decide(PARTLY)
    assert queue.labels() == []
    desk.shown()
    desk.decide(SUPPORTED)
    assert [label for _, label in queue.labels()] == ["partly"]


def test_a_key_that_is_held_down_decides_once(queue: "Queue") -> None:
    presses = iter([0.0, 0.4, 0.45, 0.9, 1.5])
    desk = Desk(queue.client("ada"), clock=lambda: next(presses))
    desk.open()
    for _ in range(4):
        desk.decide(PARTLY)
    assert queue.labels() == []
    desk.decide(SUPPORTED)
    assert [label for _, label in queue.labels()] == ["partly"]


def test_who_comes_back_goes_on_where_they_were(desk: Desk, queue: "Queue") -> None:
    again = Desk(queue.client("ada"), pause_s=0)
    again.open()
    assert item_id(again) == item_id(desk)


def test_a_label_for_a_lease_that_is_answered_is_said_and_dropped(desk: Desk, queue: "Queue") -> None:
    assert desk.item is not None
    queue.client("ada").skip(desk.item)
    desk.decide(PARTLY)
    desk.decide(SUPPORTED)
    assert desk.problem is not None
    assert desk.problem.startswith("Your last label was not stored. You have labelled or skipped this item already.")
    desk.send()
    assert desk.problem is None
    assert [label for _, label in queue.labels()] == ["supported"]


def test_while_the_service_is_away_nothing_is_lost(queue: "Queue") -> None:
    api = HttpApi(queue.url, queue.keys.by_role[Role.REVIEWER])
    desk = Desk(ReviewClient(api, "ada"), pause_s=0)
    desk.open()
    first = item_id(desk)
    desk.decide(PARTLY)
    second = item_id(desk)
    api.url = f"http://127.0.0.1:{free_port()}"
    desk.decide(SUPPORTED)
    assert desk.problem is not None
    assert "Nothing answers" in desk.problem
    assert item_id(desk) == second
    api.url = queue.url
    desk.decide(SUPPORTED)
    desk.send()
    assert dict(queue.labels()) == {first: "partly", second: "supported"}


def test_a_service_that_is_away_at_the_start_is_one_sentence() -> None:
    desk = Desk(ReviewClient(HttpApi(f"http://127.0.0.1:{free_port()}", "key"), "ada"))
    desk.open()
    assert desk.item is None
    assert desk.problem is not None
    assert "Start `ragvigil serve`" in desk.problem


def test_another_roles_key_is_refused_in_one_sentence(queue: "Queue") -> None:
    desk = Desk(ReviewClient(HttpApi(queue.url, queue.keys.by_role[Role.ONCALL]), "ada"))
    desk.open()
    assert desk.problem is not None
    assert "it needs the key of reviewer or admin" in desk.problem
