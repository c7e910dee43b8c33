"""Relevance items are leased, marked and skipped once each, and every misuse is told apart."""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.samples.reviews import CANARY
from tests.samples.searches import QUESTION, Searches, texts

from ragvigil_monitor.errors import (
    AlreadyReviewed,
    EvidenceGone,
    EvidenceWithoutText,
    LeaseExpired,
    NotLeased,
    UnknownEvidence,
    UnknownItem,
    WrongKind,
)
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.labels import Label
from ragvigil_monitor.review.passages import MOST_DOCUMENTS
from ragvigil_monitor.review.queue import Lease
from ragvigil_monitor.review.relevance import label_relevance
from ragvigil_monitor.settings import Review

if TYPE_CHECKING:
    from tests.monitor.review.conftest import Desk, Draw, Table

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
AGO = NOW - timedelta(hours=3)
ID = "00000000-0000-0000-0000-000000000001"
Fill = Callable[..., "Desk"]


@pytest.fixture
def fill(searches: Searches, draw: "Draw", make_queue: Callable[..., "Desk"]) -> Fill:
    """Draws what `arrange` wrote; a desk in front of it."""

    def make(arrange: Callable[[Searches], Any], **settings: Any) -> "Desk":
        arrange(searches)
        draw(searches.store, **settings)
        return make_queue(searches.store, Review(**settings))

    return make


@pytest.fixture
def desk(fill: Fill) -> "Desk":
    """Three probed retrievals, of documents a and b by the filtered run and b, c by the probe."""
    return fill(lambda searches: [searches.probed(AGO, texts("a", "b"), texts("b", "c")) for _ in range(3)])


def mark(
    desk: "Desk", lease: Lease, shown: Iterable[str] = (), *, reviewer: str = "ada", label_id: str | None = None
) -> datetime:
    """Mark the documents with these texts."""
    wanted = {f"Text of {name}." for name in shown}
    return label_relevance(
        desk.store,
        lease.item_id,
        lease.lease_id,
        reviewer,
        [each.id for each in lease.content.evidence if each.text in wanted],
        label_id=label_id or str(uuid.uuid4()),
        now=desk.now,
    )


def stored(desk: "Desk", table: "Table") -> dict[str, bool]:
    rows = table(desk.store, "SELECT document_id, is_relevant FROM relevance_labels")
    return {row["document_id"].removeprefix(f"{CANARY}-"): row["is_relevant"] for row in rows}


def test_the_reviewer_sees_the_question_and_the_documents_of_both_runs(desk: "Desk") -> None:
    lease = desk.must_take()
    assert lease.kind == Kind.RELEVANCE
    assert (lease.content.question, lease.content.answer) == (QUESTION, None)
    assert sorted(each.text or "" for each in lease.content.evidence) == ["Text of a.", "Text of b.", "Text of c."]


def test_every_document_that_was_shown_is_stored_by_its_real_name(desk: "Desk", table: "Table") -> None:
    assert mark(desk, desk.must_take(), ["a", "c"], label_id=ID) == NOW
    assert stored(desk, table) == {"a": True, "b": False, "c": True}
    (label,) = table(desk.store, "SELECT label_id, label, reviewer FROM review_labels")
    assert label == {"label_id": ID, "label": "relevant", "reviewer": "ada"}


def test_that_nothing_is_relevant_is_a_label(desk: "Desk", table: "Table") -> None:
    mark(desk, desk.must_take())
    assert stored(desk, table) == {"a": False, "b": False, "c": False}
    assert table(desk.store, "SELECT label FROM review_labels") == [{"label": "none_relevant"}]


def test_what_was_marked_is_written_down(desk: "Desk", table: "Table") -> None:
    lease = desk.must_take()
    mark(desk, lease, ["b"])
    assert table(desk.store, "SELECT actor, action, subject FROM audit") == [
        {"actor": "ada", "action": "label relevant, 1 of 3", "subject": lease.item_id}
    ]


def test_marks_that_are_sent_again_are_stored_once(desk: "Desk", table: "Table") -> None:
    lease = desk.must_take()
    first = mark(desk, lease, ["a"], label_id=ID)
    desk.wait(hours=5)
    assert mark(desk, lease, ["a"], label_id=ID) == first
    assert len(stored(desk, table)) == 3
    assert desk.progress().labelled == 1


@pytest.mark.parametrize("other", [["b"], ["a", "b"], []], ids=str)
def test_other_marks_with_the_same_id_are_refused(desk: "Desk", table: "Table", other: list[str]) -> None:
    lease = desk.must_take()
    mark(desk, lease, ["a"], label_id=ID)
    with pytest.raises(AlreadyReviewed, match="used before"):
        mark(desk, lease, other, label_id=ID)
    assert stored(desk, table) == {"a": True, "b": False, "c": False}


def test_an_item_is_answered_once(desk: "Desk") -> None:
    marked, skipped = desk.must_take(), desk.must_take()
    mark(desk, marked)
    desk.skip(skipped)
    for lease in (marked, skipped):
        with pytest.raises(AlreadyReviewed):
            mark(desk, lease, ["a"])
    with pytest.raises(AlreadyReviewed):
        desk.skip(marked)


def test_marks_after_the_lease_by_another_or_for_nothing_are_refused(desk: "Desk", table: "Table") -> None:
    lease = desk.must_take()
    with pytest.raises(NotLeased):
        mark(desk, lease, reviewer="bob")
    with pytest.raises(UnknownItem):
        mark(desk, replace(lease, item_id="nothing"))
    desk.wait(minutes=30)
    with pytest.raises(LeaseExpired):
        mark(desk, lease, ["a"])
    assert stored(desk, table) == {}


@pytest.mark.parametrize(
    ("unknown", "named"),
    [
        (["x"], "'x'; nothing"),
        (["", "'"], "''"),
        ([f"{n:03}" for n in range(9)], "'004' and 4 more"),
        (["y" * 5000], "y{80}'"),
        ([f"{CANARY}-a"], f"'{CANARY}-a'"),
    ],
    ids=["one", "empty", "many", "long", "a real name"],
)
def test_documents_that_the_item_does_not_show_are_refused_and_named(
    desk: "Desk", table: "Table", unknown: list[str], named: str
) -> None:
    lease = desk.must_take()
    relevant = [*unknown, lease.content.evidence[0].id]
    with pytest.raises(UnknownEvidence, match=named) as raised:
        label_relevance(desk.store, lease.item_id, lease.lease_id, "ada", relevant, label_id=ID, now=desk.now)
    assert raised.value.status == 422
    assert stored(desk, table) == {}
    assert desk.progress().labelled == 0


def test_names_from_another_item_mean_nothing_in_this_one(desk: "Desk") -> None:
    first, second = desk.must_take(), desk.must_take()
    assert {each.text for each in first.content.evidence} == {each.text for each in second.content.evidence}
    with pytest.raises(UnknownEvidence):
        mark(desk, replace(first, content=second.content), ["a"])


def test_an_item_takes_only_labels_of_its_kind(fill: Fill, table: "Table") -> None:
    def both(searches: Searches) -> None:
        searches.probed(NOW - timedelta(hours=30), texts("a"), texts("b"))

    desk = fill(both)
    answer, retrieval = desk.must_take(), desk.must_take()
    assert (answer.kind, retrieval.kind) == (Kind.ANSWER, Kind.RELEVANCE)
    with pytest.raises(WrongKind, match="…/relevance"):
        desk.label(retrieval, Label.SUPPORTED)
    with pytest.raises(WrongKind, match="…/label") as raised:
        mark(desk, answer)
    assert raised.value.status == 409
    assert table(desk.store, "SELECT * FROM review_labels") == []


def test_a_kind_can_be_asked_for(fill: Fill) -> None:
    desk = fill(lambda searches: [searches.probed(NOW - timedelta(hours=30), texts("a"), texts("b")) for _ in "123"])
    assert {desk.must_take(kind=Kind.RELEVANCE).kind for _ in range(2)} == {Kind.RELEVANCE}
    assert desk.progress(kind=Kind.RELEVANCE).waiting == 1
    assert desk.progress(kind=Kind.ANSWER).waiting == 3
    assert desk.progress().waiting == 4
    assert [desk.must_take("bob", kind=Kind.ANSWER).kind for _ in range(3)] == [Kind.ANSWER] * 3
    assert desk.take("bob", kind=Kind.ANSWER) is None
    assert desk.must_take("bob").kind == Kind.RELEVANCE


def test_who_resumes_with_a_kind_gets_what_they_hold_of_it(fill: Fill) -> None:
    desk = fill(lambda searches: [searches.probed(NOW - timedelta(hours=30), texts("a"), texts("b")) for _ in "123"])
    answer, retrieval = desk.must_take(kind=Kind.ANSWER), desk.must_take(kind=Kind.RELEVANCE)
    assert desk.must_take(resume=True, kind=Kind.RELEVANCE).item_id == retrieval.item_id
    assert desk.must_take(resume=True, kind=Kind.ANSWER).item_id == answer.item_id
    assert desk.must_take(resume=True).item_id == answer.item_id


def test_one_label_is_enough_whatever_it_says(fill: Fill) -> None:
    desk = fill(lambda searches: searches.probed(AGO, texts("a"), texts("b")), second_label_share=1.0)
    mark(desk, desk.must_take("ada"), ["a"])
    assert desk.take("bob") is None


def test_documents_that_are_gone_can_only_be_skipped(desk: "Desk", table: "Table") -> None:
    """Of the two runs one is enough to be gone: half a union would look like a filter that hides nothing."""
    lease = desk.must_take()
    table(desk.store, "DELETE FROM spans WHERE probe_id IS NOT NULL RETURNING 1")
    assert desk.must_take(resume=True).content.evidence == []
    with pytest.raises(EvidenceGone, match="Skip it") as raised:
        mark(desk, lease)
    assert raised.value.status == 410
    desk.skip(lease)
    assert stored(desk, table) == {}


def half_silent(searches: Searches) -> None:
    silent = {**dict.fromkeys(texts("b")), **dict.fromkeys(texts("c"), "")}
    searches.probed(AGO, texts("a"), silent)


def test_a_document_without_a_text_is_no_irrelevant_one(fill: Fill, table: "Table") -> None:
    desk = fill(half_silent)
    lease = desk.must_take()
    assert len(lease.content.evidence) == 3
    mark(desk, lease)
    assert stored(desk, table) == {"a": False}
    assert table(desk.store, "SELECT action FROM audit") == [{"action": "label none_relevant, 0 of 1"}]


def test_a_document_without_a_text_cannot_be_marked(fill: Fill, table: "Table") -> None:
    desk = fill(half_silent)
    lease = desk.must_take()
    (silent,) = [each.id for each in lease.content.evidence if each.text is None]
    with pytest.raises(EvidenceWithoutText, match=f"no text of document '{silent}'") as raised:
        label_relevance(desk.store, lease.item_id, lease.lease_id, "ada", [silent], label_id=ID, now=desk.now)
    assert raised.value.status == 422
    assert stored(desk, table) == {}


def test_texts_that_are_all_gone_leave_nothing_to_label(desk: "Desk", table: "Table") -> None:
    lease = desk.must_take()
    table(desk.store, "UPDATE spans SET attributes = '{}' RETURNING 1")
    with pytest.raises(EvidenceGone, match="Skip it"):
        mark(desk, lease)
    desk.skip(lease)
    assert stored(desk, table) == {}


def test_of_too_many_documents_the_best_of_both_runs_are_shown(fill: Fill) -> None:
    one, other = ([f"{run}{rank:03}" for rank in range(MOST_DOCUMENTS)] for run in "fp")
    desk = fill(lambda searches: searches.probed(AGO, texts(*one), texts(*other)))
    shown = {(each.text or "")[8:12] for each in desk.must_take().content.evidence}
    assert shown == {*one[: MOST_DOCUMENTS // 2], *other[: MOST_DOCUMENTS // 2]}


def test_a_text_of_either_run_is_enough(fill: Fill) -> None:
    silent = dict.fromkeys(texts("a", "b"))
    desk = fill(lambda searches: searches.probed(AGO, {**silent, **texts("a")}, {**silent, **texts("b")}))
    assert {each.text for each in desk.must_take().content.evidence} == {"Text of a.", "Text of b."}


def test_a_retrieval_without_relevance_clause_shows_what_it_found(fill: Fill, table: "Table") -> None:
    desk = fill(lambda searches: searches.retrieval(searches.answer(AGO), texts("a", "b")), unfiltered_share=1.0)
    mark(desk, desk.must_take(), ["b"])
    assert stored(desk, table) == {"a": False, "b": True}


def test_the_order_does_not_tell_runs_or_ranks(fill: Fill) -> None:
    names = [f"{number:02}" for number in range(30)]
    arrange = lambda searches: [searches.probed(AGO, texts(*names[:10]), texts(*names)) for _ in range(2)]  # noqa: E731
    desk = fill(arrange)
    first, second = ([each.text for each in desk.must_take().content.evidence] for _ in range(2))
    assert sorted(map(str, first)) == sorted(map(str, second)) == [f"Text of {name}." for name in names]
    assert first != second
    assert sorted(map(str, first)) != first
