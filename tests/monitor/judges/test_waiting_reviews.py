"""What follows new items, labels and scores says the same as a look through everything."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil_monitor.judges.judge import Judge
from ragvigil_monitor.judges.judging import _SCORES
from ragvigil_monitor.judges.lexical import Lexical
from ragvigil_monitor.judges.waiting_reviews import add_scores, waiting_reviews
from ragvigil_monitor.review import queue
from ragvigil_monitor.review.labels import Label
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.store.putting_in import put_in
from ragvigil_monitor.store.taking_out import Within, taken_out

NOW: Final = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)
MOST: Final = 3
CUT: Final = 0.5
TABLES: Final = [
    "judge_queues",
    "judge_scores",
    "judged_labels",
    "review_items",
    "review_labels",
    "review_leases",
    "reviews_to_judge",
]
NOT_JUDGED: Final = """
    SELECT trace_id, span_id, started_at
    FROM review_items AS items
    WHERE kind = 'answer' AND started_at < $end
        AND NOT EXISTS (
            SELECT 1
            FROM judge_scores AS scores
            WHERE scores.trace_id = items.trace_id AND scores.answer_span_id = items.span_id
                AND scores.judge = $judge AND scores.judge_version = $judge_version
        )
    ORDER BY started_at DESC, trace_id, span_id
    LIMIT $most
"""
JUDGED: Final = """
    WITH first_labels AS (
        SELECT item_id, arg_min(label, (labelled_at, label_id)) AS label
        FROM review_labels
        WHERE labelled_at < $known_before
        GROUP BY item_id
    )
    SELECT first_labels.label, scores.score < $cut AS is_below
    FROM first_labels
    INNER JOIN review_items AS items ON items.item_id = first_labels.item_id
    INNER JOIN judge_scores AS scores ON scores.trace_id = items.trace_id AND scores.answer_span_id = items.span_id
    WHERE items.kind = 'answer' AND scores.judge = $judge AND scores.judge_version = $judge_version
    QUALIFY row_number() OVER (PARTITION BY items.item_id ORDER BY scores.in_sample DESC, scores.judged_at DESC) = 1
"""


class Newer(Lexical):
    version = "2"


JUDGES: Final[Sequence[Judge]] = (Lexical(), Newer())
ANSWERS: Final[list[dict[str, Any]]] = [
    {
        "trace_id": trace.to_bytes(16),
        "span_id": span.to_bytes(8),
        "started_at": NOW - timedelta(days=days) - timedelta(microseconds=trace),
    }
    for trace, span, days in [
        (1, 1, 0),
        (1, 2, 0),
        (2, 1, 0),
        (3, 1, 1),
        (4, 255, 8),
        (5, 1, 8),
        (6, 1, 400),
        (0, 0, -2),
    ]
]
"""Two of one trace and time, two of long ago, and one that a wrong clock put into the future."""


class Desk:
    """Does one thing at a time to a store, as the program does it, or by rows that come from another store."""

    def __init__(self, store: Store, elsewhere: "Desk | None" = None) -> None:
        self.store = store
        self.elsewhere = elsewhere
        self.begin()

    def draw(self, answer: int, kind: str) -> None:
        """Unless it was labelled already: only an item that is there is labelled."""
        if not self._has_labelled(item(answer, kind)["item_id"], "brought"):
            self._insert("add_review_items", item(answer, kind))

    def score(self, judge: Judge, scored: Sequence[tuple[int, float | None, bool]]) -> None:
        rows = [score_row(judge, *each, judged_at=next(self._moments)) for each in scored]
        with self.store.transaction() as writer:
            add_scores(
                writer,
                pa.Table.from_pylist(rows, _SCORES),
                [ANSWERS[answer]["started_at"] for answer, _, _ in scored],
            )

    def label(self, answer: int, reviewer: str, label: Label) -> None:
        now, item_id = next(self._moments), item(answer, "answer")["item_id"]
        if not self.store.rows("review_item_by_id", item_id=item_id) or self._has_labelled(item_id, reviewer):
            return
        lease_id = f"{item_id} {reviewer}"
        lease = {"lease_id": lease_id, "item_id": item_id, "reviewer": reviewer, "stratum": "uniform"}
        with self.store.transaction() as writer:
            writer.execute("add_review_lease", **lease, leased_at=now, expires_at=now + HOUR)
        queue.label(self.store, item_id, lease_id, reviewer, label, label_id=f"label {lease_id}", now=now)

    def bring(self, table: str, answer: int, judge: Judge) -> None:
        """Move a row of a table in from another store."""
        assert self.elsewhere is not None
        self.elsewhere.clear()
        self.elsewhere.draw(answer, "answer")
        self.elsewhere.label(answer, "brought", Label.PARTLY)
        self.elsewhere.score(judge, [(answer, 0.25, True)])
        with taken_out(self.elsewhere.store, BY_NAME[table], Within()) as reader:
            put_in(self.store, BY_NAME[table], reader.read_all())

    def begin(self) -> None:
        """Forget everything; both stores have one clock."""
        self._moments = (NOW + timedelta(milliseconds=number) for number in itertools.count())
        self.clear()
        if self.elsewhere is not None:
            self.elsewhere._moments = self._moments

    def clear(self) -> None:
        with self.store.transaction() as writer:
            for table in TABLES:
                writer.run(f"DELETE FROM {table}")  # noqa: S608 - names of ours

    def _has_labelled(self, item_id: str, reviewer: str) -> bool:
        sql = "SELECT 1 FROM review_labels WHERE item_id = $item_id AND reviewer = $reviewer"
        return bool(self.store.ask(sql, item_id=item_id, reviewer=reviewer))

    def _insert(self, question: str, row: Mapping[str, Any]) -> None:
        values = {
            name: value.replace(tzinfo=None) if isinstance(value, datetime) else value for name, value in row.items()
        }
        with self.store.transaction() as writer:
            writer.execute_with(question, pa.Table.from_pylist([values]))


def item(answer: int, kind: str) -> dict[str, Any]:
    return {
        **ANSWERS[answer],
        "item_id": f"{kind} {answer}",
        "decided_at": NOW,
        "inclusion_probability": 0.5,
        "sampling_probability": 1.0,
        "wants_second": True,
        "seed": b"seed",
        "policy_version": "1",
        "salt_version": "a",
        "kind": kind,
    }


def score_row(
    judge: Judge, answer: int, score: float | None, in_sample: bool, *, judged_at: datetime
) -> dict[str, Any]:
    return {
        "trace_id": ANSWERS[answer]["trace_id"],
        "answer_span_id": ANSWERS[answer]["span_id"],
        "started_at": ANSWERS[answer]["started_at"].replace(tzinfo=None),
        "judge": judge.name,
        "judge_version": judge.version,
        "score": score,
        "reason": "refusal" if score is None else None,
        "in_sample": in_sample,
        "inclusion_probability": 0.5 if in_sample else None,
        "judged_at": judged_at.replace(tzinfo=None),
    }


Step = Callable[[Desk], None]


def check(desk: Desk, judge: Judge, end: datetime, most: int = MOST) -> None:
    store, named = desk.store, {"judge": judge.name, "judge_version": judge.version}
    assert waiting_reviews(store, judge, end, most=most) == store.ask(NOT_JUDGED, end=end, most=most, **named)
    pairs = store.ask(JUDGED, known_before=end, cut=CUT, **named)
    assert counted(store, judge, end) == Counter((row["label"], row["is_below"]) for row in pairs)


def counted(store: Store, judge: Judge, end: datetime) -> dict[tuple[str, bool | None], int]:
    named = {"judge": judge.name, "judge_version": judge.version}
    rows = store.rows("judged_label_counts", known_before=end, cut=CUT, **named)
    return {(row["label"], row["is_below"]): row["n"] for row in rows}


def steps() -> st.SearchStrategy[Step]:
    answer, judge = st.integers(0, len(ANSWERS) - 1), st.sampled_from(JUDGES)
    scored = st.lists(
        st.tuples(answer, st.none() | st.sampled_from([0.0, 0.5, 1.0]), st.booleans()),
        min_size=1,
        max_size=4,
        unique_by=lambda each: each[0],
    )
    ends = st.sampled_from([NOW - 7 * 24 * HOUR, NOW, NOW + timedelta(milliseconds=20), NOW + 30 * 24 * HOUR])
    tables = st.sampled_from(["review_items", "review_labels", "judge_scores"])
    return st.one_of(
        st.builds(lambda *a: lambda desk: desk.draw(*a), answer, st.sampled_from(["answer", "answer", "relevance"])),
        st.builds(lambda *a: lambda desk: desk.score(*a), judge, scored),
        st.builds(lambda *a: lambda desk: desk.label(*a), answer, st.sampled_from("ab"), st.sampled_from(Label)),
        st.builds(lambda *a: lambda desk: desk.bring(*a), tables, answer, judge),
        st.builds(lambda *a: lambda desk: check(desk, *a), judge, ends),
    )


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with closing(Store.open(None)) as store, closing(Store.open(None)) as other:
        yield Desk(store, Desk(other))


@settings(max_examples=25, deadline=None)
@given(taken=st.lists(steps(), min_size=15, max_size=40))
def test_whatever_comes_in_whatever_order_the_same_is_found_as_in_everything(desk: Desk, taken: list[Step]) -> None:
    desk.begin()
    for step in taken:
        step(desk)
    for judge in (*JUDGES, *JUDGES):
        check(desk, judge, NOW + 30 * 24 * HOUR, most=100)


def test_a_turn_without_anything_new_writes_nothing(memory_store: Store) -> None:
    desk = Desk(memory_store)
    desk.draw(0, "answer")
    assert waiting_reviews(memory_store, JUDGES[0], NOW + HOUR, most=MOST)
    before = memory_store.ask("SELECT * FROM judge_queues")
    memory_store.disk.require_room = never  # type: ignore[method-assign]  # a transaction begins with it
    assert len(waiting_reviews(memory_store, JUDGES[0], NOW + HOUR, most=MOST)) == 1
    assert memory_store.ask("SELECT * FROM judge_queues") == before


def never() -> None:
    raise AssertionError("something was written")


def test_only_the_judge_in_use_has_a_queue(memory_store: Store) -> None:
    desk = Desk(memory_store)
    desk.draw(0, "answer")
    for judge in JUDGES:
        waiting_reviews(memory_store, judge, NOW + HOUR, most=MOST)
    assert [row["judge_version"] for row in memory_store.ask("FROM reviews_to_judge")] == ["2"]
    desk.draw(3, "answer")
    waiting_reviews(memory_store, JUDGES[1], NOW + HOUR, most=MOST)
    assert [row["queued_up_to"] for row in memory_store.ask("FROM judge_queues")] == [2]


def test_a_score_from_elsewhere_ends_the_waiting_for_that_judge_only(desk: Desk) -> None:
    desk.begin()
    desk.draw(3, "answer")
    for scored, waiting in ((JUDGES[1], 1), (JUDGES[0], 0)):
        assert len(waiting_reviews(desk.store, JUDGES[0], NOW, most=MOST)) == 1
        desk.bring("judge_scores", 3, scored)
        assert len(waiting_reviews(desk.store, JUDGES[0], NOW, most=MOST)) == waiting


@pytest.mark.parametrize("last", ["review_items", "review_labels", "judge_scores"])
def test_whichever_comes_last_from_elsewhere_is_counted(desk: Desk, last: str) -> None:
    desk.begin()
    for table in [*(each for each in ("review_items", "review_labels", "judge_scores") if each != last), last]:
        assert counted(desk.store, JUDGES[0], NOW + HOUR) == {}
        desk.bring(table, 3, JUDGES[0])
    assert counted(desk.store, JUDGES[0], NOW + HOUR) == {("partly", True): 1}


def test_a_sampled_score_counts_before_others_and_the_first_before_a_second(desk: Desk) -> None:
    desk.begin()
    desk.draw(3, "answer")
    desk.label(3, "a", Label.PARTLY)
    scores = [(0.0, False), (1.0, False), (1.0, True), (0.0, False), (None, True)]
    for (score, in_sample), is_below in zip(scores, [True, True, False, False, False], strict=True):
        desk.score(JUDGES[0], [(3, score, in_sample)])
        assert counted(desk.store, JUDGES[0], NOW + HOUR) == {("partly", is_below): 1}


def test_a_label_of_a_search_is_none_of_its_answer(desk: Desk) -> None:
    desk.begin()
    desk.draw(3, "relevance")
    said = {"item_id": item(3, "relevance")["item_id"], "lease_id": "lease", "reviewer": "a", "label": "relevant"}
    with desk.store.transaction() as writer:
        writer.execute("add_review_label", label_id="label", **said, labelled_at=NOW)
    desk.score(JUDGES[0], [(3, 1.0, True)])
    desk.bring("judge_scores", 3, JUDGES[1])
    assert desk.store.ask("FROM judged_labels") == []


@pytest.mark.parametrize(
    ("before", "own", "kept"),
    [
        (True, False, [(True, 0.25)]),
        (True, True, [(True, 0.25)]),
        (False, False, [(False, 0.25)]),
        (False, True, [(False, 0.25), (True, 1.0)]),
    ],
    ids=["sample then review", "sample twice", "review twice", "review then sample"],
)
def test_scores_that_come_in_while_a_judge_is_judging_are_not_doubled(
    memory_store: Store, before: bool, own: bool, kept: list[tuple[bool, float]]
) -> None:
    with closing(Store.open(None)) as other:
        desk, elsewhere, judge = Desk(memory_store), Desk(other), JUDGES[0]
        for answer in (0, 3):
            desk.draw(answer, "answer")
        desk.label(0, "a", Label.SUPPORTED)
        assert len(waiting_reviews(memory_store, judge, NOW + HOUR, most=MOST)) == 2
        elsewhere.score(judge, [(0, 0.25, before)])
        with taken_out(other, BY_NAME["judge_scores"], Within()) as reader:
            put_in(memory_store, BY_NAME["judge_scores"], reader.read_all())
        desk.score(judge, [(0, 1.0, own), (3, 0.5, own)])
    found = memory_store.ask("SELECT trace_id, in_sample, score FROM judge_scores ORDER BY trace_id, in_sample")
    of_first = [(row["in_sample"], row["score"]) for row in found if row["trace_id"] == ANSWERS[0]["trace_id"]]
    assert of_first == kept
    assert [row["score"] for row in found if row["trace_id"] == ANSWERS[3]["trace_id"]] == [0.5]
    assert [row["score"] for row in memory_store.ask("FROM judged_labels")] == [kept[-1][1]]
    check(desk, judge, NOW + HOUR)
