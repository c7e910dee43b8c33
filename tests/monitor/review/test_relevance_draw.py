"""Which retrievals are reviewed for relevance, with what probability, and what is counted because it is not."""

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.samples.reviews import CANARY
from tests.samples.searches import ENTITLEMENT, Searches, texts

from ragvigil_monitor.review.salt import Salt
from ragvigil_monitor.review.sampling import memberships

if TYPE_CHECKING:
    from tests.monitor.review.conftest import Draw, Table

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
AGO = NOW - timedelta(hours=3)
Arrange = Callable[[Searches], object]


def rounds(table: "Table", searches: Searches) -> dict[str, int]:
    """How much was found of each stratum or reason, over all hours."""
    rows = table(searches.store, "SELECT stratum, sum(frame) AS frame FROM review_rounds WHERE frame > 0 GROUP BY 1")
    answers = {"uniform", "low_confidence", "thumbs_down"}
    return {row["stratum"]: int(row["frame"]) for row in rows if row["stratum"] not in answers}


def relevance_items(table: "Table", searches: Searches) -> list[dict[str, Any]]:
    question = "SELECT * EXCLUDE (number) FROM review_items WHERE kind = 'relevance' ORDER BY item_id"
    return table(searches.store, question)


def test_a_probed_retrieval_is_drawn_with_what_the_reviewer_needs(
    searches: Searches, draw: "Draw", table: "Table"
) -> None:
    answer = searches.answer(AGO, sampling_probability=0.5)
    retrieval = searches.filtered(answer, texts("a"))
    probe = searches.probe(retrieval, texts("a", "b"), share=0.1)
    draw(searches.store)
    (item,) = relevance_items(table, searches)
    assert (item["trace_id"], item["span_id"]) == (answer["trace_id"], answer["span_id"])
    assert item["started_at"] == answer["started_at"]
    assert item["retrieval_span_id"] == retrieval["span_id"]
    assert (item["probe_trace_id"], item["probe_span_id"]) == (probe["trace_id"], probe["span_id"])
    assert item["probe_started_at"] == probe["started_at"]
    assert item["sampling_probability"] == pytest.approx(0.5 * 0.1)
    assert item["inclusion_probability"] == pytest.approx(0.5 * 0.1)
    assert not item["wants_second"]
    assert rounds(table, searches) == {"filter_probe": 1}


def test_a_share_of_the_unfiltered_is_drawn_by_the_documented_hash(
    searches: Searches, draw: "Draw", table: "Table"
) -> None:
    retrievals = [
        searches.retrieval(searches.answer(AGO), texts("a"), filter_state=state, filter_clauses=clauses)
        for state, clauses in [("none", None), ("known", "[]"), ("partial", "[1]"), ("none", "[]")] * 50
    ]
    draw(searches.store, unfiltered_share=0.25)
    keys = [(row["trace_id"], row["span_id"]) for row in retrievals]
    salt = Salt.from_text("x" * 16)
    expected = {key for key in keys if memberships(salt, key, {"unfiltered": 0.25})[0].is_taken}
    items = relevance_items(table, searches)
    assert {(item["trace_id"], item["retrieval_span_id"]) for item in items} == expected
    assert abs(len(expected) - 50) < 3 * math.sqrt(200 * 0.25 * 0.75)
    assert {item["inclusion_probability"] for item in items} == {0.25}
    assert {item["probe_span_id"] for item in items} == {None}
    assert rounds(table, searches) == {"unfiltered": 200}


def test_an_answer_and_its_retrievals_are_items_of_their_own(searches: Searches, draw: "Draw", table: "Table") -> None:
    answer = searches.answer(NOW - timedelta(hours=30))
    searches.probe(searches.filtered(answer, texts("a")), texts("b"))
    searches.probe(searches.filtered(answer, texts("c")), texts("d"))
    draw(searches.store)
    kinds = table(searches.store, "SELECT kind, count(*) AS n FROM review_items GROUP BY kind ORDER BY kind")
    assert kinds == [{"kind": "answer", "n": 1}, {"kind": "relevance", "n": 2}]


def filter_not_recorded(searches: Searches) -> None:
    searches.retrieval(searches.answer(AGO), texts("a"), filter_state="unknown")
    searches.retrieval(searches.answer(AGO), texts("a"), filter_state=None)


def filter_unknown_beside_clauses(searches: Searches) -> None:
    searches.probe(searches.filtered(searches.answer(AGO), texts("a"), filter_state="unknown"), texts("b"))


def clauses_lost(searches: Searches) -> None:
    for state in ("known", "partial", "known"):
        searches.retrieval(searches.answer(AGO), texts("a"), filter_state=state, filter_clauses=None)
    for clauses in ("null", "{}", '"relevance"'):
        searches.probe(searches.filtered(searches.answer(AGO), texts("a"), filter_clauses=clauses), texts("b"))


def never_probed(searches: Searches) -> None:
    searches.filtered(searches.answer(AGO), texts("a"))


def probe_that_failed(searches: Searches) -> None:
    searches.probe(searches.filtered(searches.answer(AGO), texts("a")), None, status="error")


def probes_that_do_not_tell_their_share(searches: Searches) -> None:
    for share in (None, "often", 0, -1, 1.5, [0.1], {"p": 1}, True, "nan", "inf"):
        searches.probe(searches.filtered(searches.answer(AGO), texts("a")), texts("a"), share=share)


def documents_without_ids(searches: Searches) -> None:
    searches.retrieval(searches.answer(AGO), None)
    searches.probe(searches.filtered(searches.answer(AGO), None), texts("a"))
    searches.probe(searches.filtered(searches.answer(AGO), texts("a")), None)


def texts_not_recorded(searches: Searches) -> None:
    silent, empty = dict.fromkeys(texts("a", "b")), dict.fromkeys(texts("a", "b"), "")
    said = {"query": '{"retrieval.documents.0.document.content": "x"}', "other.document.content": "x"}
    for found in (silent, empty):
        searches.retrieval(searches.answer(AGO), found)
        searches.probe(searches.filtered(searches.answer(AGO), found), found)
    searches.retrieval(searches.answer(AGO), silent, attributes=said)


def nothing_found(searches: Searches) -> None:
    searches.retrieval(searches.answer(AGO), {})
    searches.probe(searches.filtered(searches.answer(AGO), {}), {})


def answer_alone(searches: Searches) -> None:
    searches.answer(AGO)


def probe_alone(searches: Searches) -> None:
    lost = {"trace_id": b"t" * 16, "span_id": b"s" * 8, "started_at": AGO.replace(tzinfo=None)}
    searches.answer(AGO - timedelta(hours=20))  # the job begins with the first answer
    searches.probe(lost, texts("a"))


def retrieval_alone(searches: Searches) -> None:
    lost = {"trace_id": b"t" * 16, "span_id": b"s" * 8, "started_at": AGO.replace(tzinfo=None)}
    searches.answer(AGO - timedelta(hours=20))
    searches.retrieval(lost, texts("a"))


@pytest.mark.parametrize(
    ("arrange", "counted"),
    [
        (filter_not_recorded, {"filter_unknown": 2}),
        (filter_unknown_beside_clauses, {"filter_unknown": 1}),
        (clauses_lost, {"filter_unknown": 6}),
        (never_probed, {"not_probed": 1}),
        (probe_that_failed, {"probe_failed": 1}),
        (probes_that_do_not_tell_their_share, {"probe_share_unknown": 10}),
        (documents_without_ids, {"documents_not_recorded": 1, "probed_documents_not_recorded": 2}),
        (texts_not_recorded, {"texts_not_recorded": 3, "probed_texts_not_recorded": 2}),
        (nothing_found, {"documents_not_found": 1, "probed_documents_not_found": 1}),
        (answer_alone, {"answer_without_retrieval": 1}),
        (probe_alone, {"probe_without_retrieval": 1, "answer_without_retrieval": 1}),
        (retrieval_alone, {"retrieval_without_answer": 1, "answer_without_retrieval": 1}),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_cannot_be_drawn_is_counted_with_its_reason(
    searches: Searches, draw: "Draw", table: "Table", arrange: Arrange, counted: dict[str, int]
) -> None:
    arrange(searches)
    draw(searches.store, unfiltered_share=1.0)
    assert relevance_items(table, searches) == []
    assert rounds(table, searches) == counted
    assert table(
        searches.store,
        "SELECT DISTINCT probability FROM review_rounds WHERE stratum NOT IN "
        "('uniform', 'low_confidence', 'thumbs_down', 'filter_probe', 'unfiltered')",
    ) == [{"probability": 0.0}]


def test_a_stratum_without_a_share_is_counted_as_not_drawn(searches: Searches, draw: "Draw", table: "Table") -> None:
    searches.retrieval(searches.answer(AGO), texts("a"))
    searches.probed(AGO, texts("a"), texts("b"))
    draw(searches.store, unfiltered_share=0.0, probe_share=0.0)
    assert relevance_items(table, searches) == []
    assert rounds(table, searches) == {"unfiltered": 1, "filter_probe": 1}
    strata = "SELECT DISTINCT probability FROM review_rounds WHERE stratum IN ('filter_probe', 'unfiltered')"
    assert table(searches.store, strata) == [{"probability": 0.0}]


def test_an_entitlement_clause_alone_is_no_relevance_filter(searches: Searches, draw: "Draw", table: "Table") -> None:
    searches.filtered(searches.answer(AGO), texts("a"), filter_clauses=json.dumps([ENTITLEMENT, {"role": None}, 5]))
    draw(searches.store, unfiltered_share=1.0)
    assert rounds(table, searches) == {"unfiltered": 1}


def test_one_text_of_either_run_is_enough_to_be_drawn(searches: Searches, draw: "Draw", table: "Table") -> None:
    silent = dict.fromkeys(texts("a", "b"))
    searches.probed(AGO, silent, {**silent, **texts("b")})
    searches.probed(AGO, texts("a"), silent)
    compact = searches.retrieval(searches.answer(AGO), texts("a"))
    compact["attributes"] = json.dumps(json.loads(compact["attributes"]), separators=(",", ":"))
    draw(searches.store, unfiltered_share=1.0)
    assert rounds(table, searches) == {"filter_probe": 2, "unfiltered": 1}


def test_a_filter_that_let_nothing_through_is_reviewed(searches: Searches, draw: "Draw", table: "Table") -> None:
    searches.probed(AGO, {}, texts("a"))
    draw(searches.store)
    assert len(relevance_items(table, searches)) == 1


@pytest.mark.parametrize(("minutes", "drawn"), [(1, True), (58, True), (150, False)])
def test_a_probe_may_come_late_but_not_after_the_decision(
    searches: Searches, draw: "Draw", table: "Table", minutes: int, drawn: bool
) -> None:
    answer = searches.answer(AGO)
    searches.probe(searches.filtered(answer, texts("a")), texts("b"), after_s=minutes * 60)
    draw(searches.store)
    assert len(relevance_items(table, searches)) == drawn
    assert ("not_probed" in rounds(table, searches)) == (not drawn)


def test_of_searches_inside_a_probe_the_outermost_counts(searches: Searches, draw: "Draw", table: "Table") -> None:
    retrieval = searches.filtered(searches.answer(AGO), texts("a"))
    searches.probe(retrieval, texts("c"), parent_span_id=b"parent00", span_id=b"0" * 8, share=None)
    outer = searches.probe(retrieval, texts("b"), span_id=b"9" * 8)
    draw(searches.store)
    (item,) = relevance_items(table, searches)
    assert item["probe_span_id"] == outer["span_id"]


def test_young_retrievals_are_drawn_an_hour_later_and_caught_up_the_same(
    searches: Searches, draw: "Draw", table: "Table", make_searches: Callable[[], Searches]
) -> None:
    def fill(searches: Searches) -> Searches:
        for hours in range(30):
            searches.probed(NOW - timedelta(hours=hours, minutes=20), texts("a"), texts("b"))
        return searches

    def all_rows(searches: Searches) -> list[dict[str, Any]]:
        return table(searches.store, "SELECT * FROM review_rounds ORDER BY ALL") + relevance_items(table, searches)

    at_once, stepwise = fill(searches), fill(make_searches())
    draw(at_once.store)
    for hours in range(36, -1, -7):
        draw(stepwise.store, NOW - timedelta(hours=hours))
    draw(stepwise.store)
    youngest = max(item["started_at"] for item in relevance_items(table, at_once))
    assert timedelta(hours=1) <= NOW.replace(tzinfo=None) - youngest <= timedelta(hours=3)
    assert all_rows(stepwise) == all_rows(at_once)


def test_each_question_reads_only_its_hours(searches: Searches, draw: "Draw", table: "Table") -> None:
    """What lies days before and after is neither counted nor drawn twice."""
    for days in (1, 2, 3):
        searches.probed(NOW - timedelta(days=days), texts("a"), texts("b"))
        never_probed(searches)
    draw(searches.store)
    assert rounds(table, searches) == {"filter_probe": 3, "not_probed": 3}


def test_texts_of_ids_do_not_matter_to_the_draw(searches: Searches, draw: "Draw", table: "Table") -> None:
    odd = {"": "x", '"}]': None, "𝕏\u202e": None, CANARY: None}
    searches.probed(AGO, odd, dict.fromkeys(odd))
    draw(searches.store)
    assert len(relevance_items(table, searches)) == 1


def test_the_weights_give_back_the_number_of_retrievals(searches: Searches, draw: "Draw", table: "Table") -> None:
    """300 filtered retrievals of which a third is probed, half of those drawn: Σ 1/π is near 300 (three errors)."""
    rng = np.random.default_rng(3)
    for number in range(300):
        retrieval = searches.filtered(searches.answer(AGO - timedelta(minutes=number)), texts("a"))
        if rng.random() < 1 / 3:
            searches.probe(retrieval, texts("b"), share=1 / 3)
    draw(searches.store, probe_share=0.5)
    weights = [1 / item["inclusion_probability"] for item in relevance_items(table, searches)]
    assert set(np.round(weights, 9)) == {6.0}
    assert abs(sum(weights) - 300) < 3 * 6 * math.sqrt(300 / 6)
