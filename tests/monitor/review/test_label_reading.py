"""Labels in the store become outcomes, once each."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.samples.relevance_reviews import RelevanceReviews, assembled, cited, reranked

from ragvigil_monitor.review.label_reading import READ_LABELS
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
YESTERDAY = NOW - timedelta(days=1)
FOUND, PROBED = ["a", "b"], ["a", "c", "b", "d"]


@pytest.fixture
def reviews() -> RelevanceReviews:
    return RelevanceReviews()


@pytest.fixture
def service(make_service: Any) -> Service:
    made: Service = make_service(NOW)
    return made


def read(service: Service, now: datetime = NOW) -> dict[str, dict[str, Any]]:
    """Run the job; the outcomes by item."""
    run_due(service, now, listed=lambda _settings: [READ_LABELS])
    assert service.store.rows("job_problems_now") == []
    window = {"start": NOW - timedelta(days=90), "end": NOW, "now": now}
    return {row["item_id"]: row for row in service.store.rows("relevance_outcomes_between", **window)}


def decided(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["has_evidence"], row["is_excluded"], row["lost_at"], row["unknown_because"]


@pytest.mark.parametrize(
    ("relevant", "passes", "expected"),
    [
        (["c", "d"], [True, False, True, False], (True, True, "filter", None)),
        (["c", "d"], [True, True, True, False], (True, False, "retrieve", None)),
        (["c"], [True, None, True, False], (True, None, None, "no_metadata")),
        (["c"], None, (True, None, None, "no_metadata")),
        (["c"], [True, False], (True, None, None, "no_metadata")),
        (["c"], '["half', (True, None, None, "no_metadata")),
        (["c"], {"c": False}, (True, None, None, "no_metadata")),
        (["c"], [True, 0, True, False], (True, None, None, "no_metadata")),
        ([], [True, False, True, False], (False, False, None, None)),
    ],
    ids=["excluded", "missed", "null", "absent", "too short", "cut off", "no list", "no boolean", "no evidence"],
)
def test_a_label_is_read_with_what_the_probe_says_of_each_document(
    service: Service, reviews: RelevanceReviews, relevant: list[str], passes: Any, expected: tuple[Any, ...]
) -> None:
    item = reviews.add(YESTERDAY, FOUND, PROBED, passes=passes, relevant=relevant)
    reviews.insert(service.store)
    found = read(service)[item]
    assert decided(found) == expected
    assert (found["is_filtered"], found["depth"]) == (True, 20)


def test_evidence_is_followed_through_the_stages_of_its_answer(service: Service, reviews: RelevanceReviews) -> None:
    def add(*stages: dict[str, Any], citations: str | None = None) -> str:
        return reviews.add(YESTERDAY, FOUND, relevant=["a"], stages=stages, citations=citations)

    items = [
        add(),
        add(reranked("b")),
        add(reranked("a"), assembled("b")),
        add(reranked("a"), assembled("a"), citations=cited("b")),
        add(reranked("a"), assembled("a"), citations=cited("a")),
        add(citations="[]"),
        add(citations="null"),
        add(citations='{"doc_id": "a"}'),
    ]
    reviews.insert(service.store)
    found = read(service)
    assert [found[item]["lost_at"] for item in items] == [
        *("kept", "rerank", "context", "citation", "kept", "citation", "kept", "kept")
    ]
    assert {found[item]["is_excluded"] for item in items} == {False}


def test_what_came_before_the_retrieval_is_not_on_its_path(service: Service, reviews: RelevanceReviews) -> None:
    earlier = (YESTERDAY - timedelta(seconds=1)).replace(tzinfo=None)
    item = reviews.add(YESTERDAY, FOUND, relevant=["a"], stages=[{**reranked("b"), "started_at": earlier}])
    reviews.insert(service.store)
    assert read(service)[item]["lost_at"] == "kept"


def test_two_builds_of_the_index_are_not_compared(service: Service, reviews: RelevanceReviews) -> None:
    passes = [True, False, True, False]
    item = reviews.add(YESTERDAY, FOUND, PROBED, passes=passes, relevant=["c"], versions=("7", "8"))
    reviews.insert(service.store)
    assert decided(read(service)[item]) == (True, None, None, "index_changed")


def test_a_probe_that_is_not_stored_leaves_it_unknown(service: Service, reviews: RelevanceReviews) -> None:
    item = reviews.add(YESTERDAY, FOUND, PROBED, relevant=["c"])
    reviews.sent.spans[:] = [span for span in reviews.sent.spans if "probe_id" not in span]
    reviews.insert(service.store)
    assert decided(read(service)[item]) == (True, None, None, "spans_missing")


def test_each_label_is_read_once_and_the_first_one_counts(service: Service, reviews: RelevanceReviews) -> None:
    passes = [True, False, True, False]
    item = reviews.add(YESTERDAY, FOUND, PROBED, passes=passes, relevant=["c"])
    reviews.label(item, PROBED, ["a"], YESTERDAY + timedelta(hours=1))
    reviews.insert(service.store)
    first = read(service)
    reviews.label(item, PROBED, [], YESTERDAY)
    reviews.insert(service.store)
    assert read(service) == first
    assert decided(first[item]) == (True, False, "kept", None)


def test_labels_of_later_are_read_later(service: Service, reviews: RelevanceReviews) -> None:
    item = reviews.add(YESTERDAY, FOUND, relevant=["a"], labelled_after=timedelta(hours=20))
    unlabelled = reviews.add(YESTERDAY, FOUND, relevant=None)
    reviews.insert(service.store)
    assert read(service, NOW - timedelta(hours=12)) == {}
    assert set(read(service)) == {item}
    assert unlabelled not in read(service)


def test_many_labels_of_many_days_are_read_at_once(service: Service, reviews: RelevanceReviews) -> None:
    passes = [True, False, True, False]
    for number in range(520):
        started_at = NOW - timedelta(hours=1 + number)
        reviews.add(started_at, FOUND, PROBED, passes=passes, relevant=[["c"], ["a"]][number % 2])
    reviews.insert(service.store)
    found = read(service, NOW + timedelta(hours=2))
    assert sum(row["is_excluded"] for row in found.values()) == 260
    assert len(found) == 520


def test_an_answer_item_is_none_of_its_business(service: Service, reviews: RelevanceReviews) -> None:
    reviews.add(YESTERDAY, FOUND, relevant=["a"])
    reviews.items[0]["kind"] = "answer"
    reviews.insert(service.store)
    assert read(service) == {}


def test_without_labels_nothing_is_written(memory_store: Store, service: Service) -> None:
    assert read(service) == {}
    assert memory_store.rows("watermark_of_job", job="relevance_outcomes") == []
