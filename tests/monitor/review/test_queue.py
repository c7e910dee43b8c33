"""Items are leased, labelled and skipped once each, and every misuse is told apart."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from ragvigil_monitor.errors import AlreadyReviewed, LeaseExpired, NotLeased, UnknownItem
from ragvigil_monitor.review.labels import Label
from ragvigil_monitor.review.queue import Lease

if TYPE_CHECKING:
    from tests.monitor.review.conftest import Desk, MakeDesk

ID = "00000000-0000-0000-0000-000000000001"


def test_every_item_is_given_once(desk: "Desk") -> None:
    given = []
    while (lease := desk.take()) is not None:
        given.append(lease.item_id)
        desk.label(lease)
    assert len(given) == len(set(given)) > 20
    assert desk.progress().waiting == 0
    assert desk.progress().labelled_today == len(given)


def test_two_reviewers_never_hold_the_same_item(desk: "Desk") -> None:
    held = [desk.must_take(reviewer).item_id for reviewer in ["ada", "bob"] * 8]
    assert len(set(held)) == 16


def test_many_at_once_never_hold_the_same_item(desk: "Desk") -> None:
    held: list[str] = []
    threads = [
        threading.Thread(target=lambda name: held.append(desk.must_take(name).item_id), args=[f"r{number}"])
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(set(held)) == 8


def test_a_lease_that_ended_gives_the_item_back_first(desk: "Desk") -> None:
    lost = desk.must_take("ada")
    desk.wait(minutes=31)
    assert desk.must_take("bob").item_id == lost.item_id


def test_a_reviewer_who_comes_back_gets_what_they_held(desk: "Desk") -> None:
    first, second = desk.must_take(), desk.must_take()
    again = desk.take(resume=True)
    assert again is not None
    assert again.item_id == first.item_id != second.item_id
    assert again.lease_id != first.lease_id
    desk.label(again)
    other = desk.take(resume=True)
    assert other is not None
    assert other.item_id == second.item_id


def test_an_item_that_is_given_out_again_was_served_once(desk: "Desk") -> None:
    for _ in range(5):
        desk.must_take(resume=True)
    served = desk.store.rows("review_served_since", since=desk.now - timedelta(days=1), reviewer="ada")
    assert [(row["served"], row["served_to_reviewer"]) for row in served] == [(1, 1)]


def test_who_holds_nothing_resumes_with_the_next(desk: "Desk") -> None:
    held = desk.must_take("ada")
    fresh = desk.take("bob", resume=True)
    assert fresh is not None
    assert fresh.item_id != held.item_id


def test_an_item_is_open_for_seven_days(desk: "Desk") -> None:
    desk.wait(days=6)
    assert desk.progress().waiting > 0
    desk.wait(days=5)
    assert desk.progress().waiting == 0
    assert desk.take() is None


def test_the_same_label_twice_is_one_label(desk: "Desk") -> None:
    lease = desk.must_take()
    first = desk.label(lease, label_id=ID)
    desk.wait(hours=5)
    assert desk.label(lease, label_id=ID) == first
    assert desk.progress().labelled == 1


def test_the_same_skip_twice_is_one_skip(desk: "Desk") -> None:
    lease = desk.must_take()
    desk.skip(lease)
    desk.skip(lease)
    assert desk.progress().skipped_today == 1


def label_again(desk: "Desk", lease: Lease) -> None:
    desk.label(lease)
    desk.label(lease)


def label_the_skipped(desk: "Desk", lease: Lease) -> None:
    desk.skip(lease)
    desk.label(lease)


def skip_the_labelled(desk: "Desk", lease: Lease) -> None:
    desk.label(lease)
    desk.skip(lease)


def another_label_with_the_same_id(desk: "Desk", lease: Lease) -> None:
    desk.label(lease, Label.SUPPORTED, label_id=ID)
    desk.label(lease, Label.UNSUPPORTED, label_id=ID)


@pytest.mark.parametrize(
    "act",
    [label_again, label_the_skipped, skip_the_labelled, another_label_with_the_same_id],
    ids=lambda act: act.__name__,
)
def test_a_lease_is_answered_once(desk: "Desk", act: Callable[["Desk", Lease], None]) -> None:
    lease = desk.must_take()
    with pytest.raises(AlreadyReviewed, match=r"already|before"):
        act(desk, lease)
    assert desk.progress().labelled + desk.progress().skipped_today == 1


def label_through_both(desk: "Desk", first: Lease, second: Lease) -> None:
    desk.label(second, Label.UNSUPPORTED)
    desk.label(first)


def skip_then_label(desk: "Desk", first: Lease, second: Lease) -> None:
    desk.skip(second)
    desk.label(first)


def label_then_skip(desk: "Desk", first: Lease, second: Lease) -> None:
    desk.label(second)
    desk.skip(first)


def skip_through_both(desk: "Desk", first: Lease, second: Lease) -> None:
    desk.skip(second)
    desk.skip(first)


@pytest.mark.parametrize(
    "act",
    [label_through_both, skip_then_label, label_then_skip, skip_through_both],
    ids=lambda act: act.__name__,
)
def test_two_leases_of_one_reviewer_are_one_answer(desk: "Desk", act: Callable[["Desk", Lease, Lease], None]) -> None:
    first, second = desk.must_take(), desk.must_take(resume=True)
    assert (first.item_id, first.lease_id != second.lease_id) == (second.item_id, True)
    with pytest.raises(AlreadyReviewed, match="already"):
        act(desk, first, second)
    assert desk.progress().labelled + desk.progress().skipped_today == 1


def test_a_label_after_the_lease_is_refused_and_says_when_it_ended(desk: "Desk") -> None:
    lease = desk.must_take()
    desk.wait(minutes=30)
    with pytest.raises(LeaseExpired, match=r"2026-11-30T12:30\+00:00.*nothing was stored"):
        desk.label(lease)
    with pytest.raises(LeaseExpired):
        desk.skip(lease)
    assert desk.progress().labelled == 0


def test_a_label_for_what_another_holds_is_refused(desk: "Desk") -> None:
    lease = desk.must_take("ada")
    with pytest.raises(NotLeased):
        desk.label(lease, reviewer="bob")


def test_a_label_with_another_items_lease_is_refused(desk: "Desk") -> None:
    first, second = desk.must_take(), desk.must_take()
    with pytest.raises(NotLeased):
        desk.label(replace(second, item_id=first.item_id))


def test_a_label_without_a_lease_is_refused(desk: "Desk") -> None:
    lease = desk.must_take()
    with pytest.raises(NotLeased):
        desk.label(replace(lease, lease_id="f" * 32))


def test_an_item_that_does_not_exist_is_unknown(desk: "Desk") -> None:
    lease = desk.must_take()
    with pytest.raises(UnknownItem, match="There is no item 'nothing'") as raised:
        desk.label(replace(lease, item_id="nothing"))
    assert raised.value.status == 404


def test_what_people_did_is_written_down(desk: "Desk") -> None:
    lease, skipped = desk.must_take(), desk.must_take("bob")
    desk.label(lease, Label.PARTLY)
    desk.skip(skipped, "bob")
    with desk.store.transaction() as writer:
        found = writer._cursor.execute("SELECT role, actor, action, subject FROM audit ORDER BY actor").fetchall()
    assert found == [
        ("reviewer", "ada", "label partly", lease.item_id),
        ("reviewer", "bob", "skip", skipped.item_id),
    ]


def test_a_fault_wants_a_second_reviewer(desk: "Desk") -> None:
    lease = desk.must_take("ada")
    desk.label(lease, Label.UNSUPPORTED)
    assert desk.must_take("ada").item_id != lease.item_id
    second = desk.must_take("bob")
    assert second.item_id == lease.item_id
    desk.label(second, Label.SUPPORTED, "bob")
    assert desk.must_take("cleo").item_id != lease.item_id


def test_what_waits_does_not_tell_a_first_label_from_a_second(desk: "Desk") -> None:
    for _ in range(2):
        desk.label(desk.must_take("ada"), Label.UNSUPPORTED)
    fresh = desk.progress("cleo").waiting
    assert desk.progress("ada").waiting == fresh - 2
    counts = []
    while (lease := desk.take("bob")) is not None:
        counts.append(desk.progress("bob").waiting)
        desk.label(lease, Label.SUPPORTED, "bob")
    assert counts == list(range(fresh - 1, -1, -1))


def test_a_second_reviewer_gets_the_configured_share_of_the_others(make_desk: "MakeDesk") -> None:
    desk = make_desk(second_label_share=1.0)
    lease = desk.must_take("ada")
    desk.label(lease, Label.SUPPORTED)
    assert desk.must_take("bob").item_id == lease.item_id


def test_a_skipped_item_is_given_to_nobody_else(desk: "Desk") -> None:
    lease = desk.must_take("ada")
    desk.skip(lease)
    assert desk.must_take("bob").item_id != lease.item_id


def test_nobody_can_take_from_an_empty_queue(make_desk: "MakeDesk") -> None:
    desk = make_desk(answers=1, open_days=1)
    desk.wait(days=3)
    assert desk.take() is None
