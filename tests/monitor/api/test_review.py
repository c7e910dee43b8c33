"""The review over HTTP: what is answered, and what each misuse is told."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.samples.fresh_stores import fresh_store
from tests.samples.reviews import draw_reviews, reviewed_store
from tests.samples.searches import relevance_store
from tests.samples.servers import running_api, running_service

from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.store import Store

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NEXT, ESTIMATES = "/api/v1/review/next", "/api/v1/review/estimates"


@dataclass(slots=True)
class Review:
    """A client with the reviewer's key, one with the on-call key, and a clock that can be moved."""

    reviewer: httpx.Client
    oncall: httpx.Client
    moments: list[datetime] = field(default_factory=lambda: [NOW])

    def wait(self, **duration: float) -> None:
        self.moments[0] += timedelta(**duration)

    def take(self, name: str = "ada", **asked: str) -> Any:
        return self.reviewer.post(NEXT, json={"reviewer": name, **asked}).raise_for_status().json()["item"]

    def mark(self, item: Any, **other: Any) -> httpx.Response:
        body = {"label_id": str(uuid.uuid4()), "lease_id": item["lease_id"], "reviewer": "ada", "relevant": []}
        return self.reviewer.post(f"/api/v1/review/items/{item['item_id']}/relevance", json={**body, **other})

    def label(self, item: Any, **other: Any) -> httpx.Response:
        body = {"label_id": str(uuid.uuid4()), "lease_id": item["lease_id"], "reviewer": "ada", "label": "supported"}
        return self.reviewer.post(f"/api/v1/review/items/{item['item_id']}/label", json={**body, **other})

    def skip(self, item: Any, **other: Any) -> httpx.Response:
        body = {"lease_id": item["lease_id"], "reviewer": "ada"}
        return self.reviewer.post(f"/api/v1/review/items/{item['item_id']}/skip", json={**body, **other})

    def estimates(self, **parameters: Any) -> Any:
        return self.oncall.get(ESTIMATES, params=parameters).raise_for_status().json()


def running_review(store: Store) -> Iterator[Review]:
    moments, keys = [NOW], Keys.generate()
    with running_service(store, keys, lambda: moments[0], review={"salt": "x" * 16}) as service:
        draw_reviews(service)
        with (
            running_api(service) as url,
            client_of(url, keys, Role.REVIEWER) as reviewer,
            client_of(url, keys, Role.ONCALL) as oncall,
        ):
            yield Review(reviewer, oncall, moments)


def client_of(url: str, keys: Keys, role: Role) -> httpx.Client:
    return httpx.Client(base_url=url, headers={"Authorization": f"Bearer {keys.by_role[role]}"}, timeout=30)


@pytest.fixture
def review() -> Iterator[Review]:
    yield from running_review(reviewed_store(NOW, answers=40, days=1.0))


@pytest.fixture
def nothing_drawn() -> Iterator[Review]:
    yield from running_review(fresh_store())


def detail(response: httpx.Response, status: int) -> str:
    assert (response.status_code, set(response.json())) == (status, {"error", "detail"})
    return str(response.json()["detail"])


def test_a_reviewer_takes_an_item_with_its_evidence_and_labels_it(review: Review) -> None:
    served = review.reviewer.post(NEXT, json={"reviewer": " ada "}).json()
    item = served["item"]
    assert item["question"]
    assert datetime.fromisoformat(item["expires_at"]) == NOW + timedelta(minutes=30)
    assert review.label(item).json()["labelled_at"] == "2026-11-30T12:00:00Z"
    progress = review.reviewer.get("/api/v1/review/progress", params={"reviewer": "ada"}).json()
    assert progress == {
        "labelled": 1,
        "labelled_today": 1,
        "skipped_today": 0,
        "waiting": served["progress"]["waiting"],
    }


def test_an_empty_queue_is_an_answer_and_no_error(nothing_drawn: Review) -> None:
    assert nothing_drawn.reviewer.post(NEXT, json={"reviewer": "ada"}).json() == {
        "item": None,
        "progress": {"labelled": 0, "labelled_today": 0, "skipped_today": 0, "waiting": 0},
    }


def test_a_label_that_is_sent_again_is_answered_like_the_first_time(review: Review) -> None:
    item, label_id = review.take(), str(uuid.uuid4())
    first = review.label(item, label_id=label_id)
    review.wait(hours=2)
    assert review.label(item, label_id=label_id).json() == first.json()


def test_a_second_label_of_the_same_item_is_a_conflict(review: Review) -> None:
    item = review.take()
    assert review.label(item).is_success
    assert "already" in detail(review.label(item), 409)
    assert "already" in detail(review.skip(item), 409)


def test_a_label_after_the_lease_is_gone(review: Review) -> None:
    item = review.take()
    review.wait(minutes=31)
    assert "The lease ended at 2026-11-30T12:30" in detail(review.label(item), 410)
    assert "The lease ended" in detail(review.skip(item), 410)


def test_a_label_for_an_item_of_another_is_a_conflict(review: Review) -> None:
    item = review.take("bob")
    assert "not leased to you" in detail(review.label(item), 409)


def test_an_unknown_item_is_not_found(review: Review) -> None:
    item = {**review.take(), "item_id": "nothing"}
    assert detail(review.label(item), 404) == "There is no item 'nothing'."


def test_a_skip_is_final_and_may_be_sent_twice(review: Review) -> None:
    item = review.take()
    assert [review.skip(item).status_code for _ in range(2)] == [204, 204]
    assert "already" in detail(review.label(item), 409)


@pytest.fixture
def marking() -> Iterator[Review]:
    yield from running_review(relevance_store(NOW, items=6))


def test_relevant_documents_are_marked_once(marking: Review) -> None:
    item = marking.take(kind="relevance")
    assert (item["kind"], item["answer"], len(item["evidence"])) == ("relevance", None, 11)
    relevant, label_id = [each["id"] for each in item["evidence"][:2]], str(uuid.uuid4())
    first = marking.mark(item, relevant=relevant, label_id=label_id)
    assert first.json() == {"label_id": label_id, "labelled_at": "2026-11-30T12:00:00Z"}
    assert marking.mark(item, relevant=[*reversed(relevant), relevant[0]], label_id=label_id).json() == first.json()
    assert "already" in detail(marking.mark(item, relevant=[]), 409)


def test_marks_that_cannot_be_are_refused_and_named(marking: Review) -> None:
    item = marking.take(kind="relevance")
    assert "shows no document 'elsewhere'" in detail(marking.mark(item, relevant=["elsewhere"]), 422)
    assert "…/relevance" in detail(marking.label(item), 409)
    assert marking.take(kind="answer") is None
    assert marking.mark(item).is_success


@pytest.mark.parametrize(
    "relevant", [None, "all", [None], [1], [""], ["x" * 81], ["x"] * 101, {"x": True}], ids=lambda value: str(value)[:9]
)
def test_marks_of_another_form_name_the_field(marking: Review, relevant: Any) -> None:
    assert "body.relevant" in detail(marking.mark(marking.take(), relevant=relevant), 422)


def test_a_kind_that_does_not_exist_is_refused(marking: Review) -> None:
    assert "body.kind" in detail(marking.reviewer.post(NEXT, json={"reviewer": "ada", "kind": "all"}), 422)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"label": "fine"}, "body.label"),
        ({"label": None}, "body.label"),
        ({"label_id": "1"}, "body.label_id"),
        ({"reviewer": "  "}, "body.reviewer"),
        ({"reviewer": "x" * 81}, "body.reviewer"),
        ({"lease_id": ""}, "body.lease_id"),
        ({"stratum": "uniform"}, "body.stratum"),
    ],
    ids=["label", "no label", "id", "blank name", "long name", "lease", "unknown field"],
)
def test_a_body_that_is_not_valid_names_the_field(review: Review, wrong: dict[str, Any], named: str) -> None:
    item = review.take()
    assert named in detail(review.label(item, **wrong), 422)
    assert review.label(item).is_success


def test_estimates_say_how_sure_they_are(review: Review) -> None:
    for number in range(12):
        item = review.take()
        assert review.label(item, label="partly" if number % 3 == 0 else "supported").is_success
    assert review.skip(review.take()).status_code == 204
    found = review.estimates()
    rate, worst = found["rates"]
    assert (found["labelled"], found["skipped"], found["skipped_share"]) == (12, 1, pytest.approx(1 / 13))
    assert (rate["rate"], rate["n"], rate["events"], rate["state"]) == ("not_fully_supported", 12, 4, "estimated")
    assert rate["lower"] < rate["value"] < rate["upper"]
    assert rate["verdict"] == "inconclusive"
    assert rate["more_reviews"] > 0
    assert rate["uniform"]["n"] <= rate["n"]
    assert (worst["rate"], worst["value"]) == ("unsupported", 0.0)
    assert found["agreement"] == {"pairs": 0, "positives": 0, "kappa": None, "positive": None}


def test_estimates_without_labels_have_no_value(nothing_drawn: Review) -> None:
    found = nothing_drawn.estimates()
    assert found["skipped_share"] is None
    for rate in found["rates"]:
        assert (rate["value"], rate["lower"], rate["upper"]) == (None, None, None)
        assert (rate["state"], rate["verdict"]) == ("missing_evidence", "missing_evidence")
        assert rate["more_reviews"] > 50


@pytest.mark.parametrize(
    ("label", "limit", "verdict"),
    [("unsupported", 0.15, "breach"), ("supported", 0.9, "ok"), ("supported", 0.01, "inconclusive")],
)
def test_a_verdict_tells_on_which_side_of_the_limit_the_interval_lies(
    review: Review, label: str, limit: float, verdict: str
) -> None:
    while (item := review.take()) is not None:
        assert review.label(item, label=label).is_success
    rate = review.estimates(limit=limit)["rates"][0]
    assert rate["verdict"] == verdict
    assert (rate["more_reviews"] == 0) == (verdict != "inconclusive")


@pytest.mark.parametrize("parameters", [{"days": 0}, {"days": 91}, {"limit": 0}, {"limit": 1}, {"days": "x"}])
def test_parameters_that_mean_nothing_are_refused(review: Review, parameters: dict[str, Any]) -> None:
    assert next(iter(parameters)) in detail(review.oncall.get(ESTIMATES, params=parameters), 422)
