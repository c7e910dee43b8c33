"""Whatever a reviewer's key reaches, it tells nothing that could bias a label. Routes are read from the application."""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi import FastAPI
from tests.samples.reviews import CANARY, draw_reviews, reviewed_store
from tests.samples.searches import Searches, relevance_store, texts
from tests.samples.servers import running_api, running_service

from ragvigil_monitor.api.app import create_app
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.service import Service

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
TOLD_FIELDS = {
    *("item", "progress", "kind", "item_id", "lease_id", "expires_at", "question", "answer", "evidence", "id", "text"),
    *("labelled", "labelled_today", "skipped_today", "waiting", "label_id", "labelled_at"),
    *("status", "role", "error", "detail", "message"),
}
"""Every field that a reviewer may be told. Add one only if it tells nothing of why an item was chosen or what is
known of it: no stratum, score, feedback, model, release, order, nor what others said."""
LABELS = {"supported", "partly", "unsupported", "no_claim"}
WORDS_THAT_TELL = {CANARY, "relaxed_filter", "dropped_clauses", "filter_probe", "unfiltered", "sampling", "passes"}
"""Values of the sample, and words for what differs between a search and its probe."""
PUBLIC = {"/openapi.json", "/docs", "/docs/oauth2-redirect", "/redoc"}
MAY_NOT_BE_READ = ("/estimates", "/false-exclusion", "/losses")
MUST_NOT_LABEL = [Role.INGEST, Role.ONCALL]


@dataclass(frozen=True, slots=True)
class Reviewing:
    """A service with drawn answers, some of which Bob has labelled."""

    service: Service
    url: str

    def client(self, role: Role) -> httpx.Client:
        """A client with the key of a role."""
        key = self.service.keys.by_role[role]
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {key}"}, timeout=30)


@pytest.fixture(scope="module")
def reviewing() -> Iterator[Reviewing]:
    store = relevance_store(NOW, items=200, store=reviewed_store(NOW, answers=400, days=1.0))
    searches = Searches(store, np.random.default_rng(99))
    for number in range(100):
        searches.retrieval(searches.answer(NOW - timedelta(hours=4, minutes=number)), texts("x", "y"))
    assert searches.store is store
    with running_service(
        store,
        Keys.generate(),
        lambda: NOW,
        review={"second_label_share": 1.0, "uniform_share": 1.0, "unfiltered_share": 1.0},
    ) as service:
        draw_reviews(service)
        with running_api(service) as url:
            made = Reviewing(service, url)
            with made.client(Role.REVIEWER) as bob:
                for label in sorted(LABELS):
                    item = take(bob, "bob", kind="answer")
                    label_it(bob, item, "bob", label).raise_for_status()
            yield made
    store.close()


@pytest.fixture
def reviewer(reviewing: Reviewing) -> Iterator[httpx.Client]:
    with reviewing.client(Role.REVIEWER) as client:
        yield client


def take(client: httpx.Client, name: str, **asked: str) -> dict[str, Any]:
    served = client.post("/api/v1/review/next", json={"reviewer": name, **asked}).raise_for_status().json()
    item: dict[str, Any] = served["item"]
    return item


def label_it(client: httpx.Client, item: dict[str, Any], name: str, label: str) -> httpx.Response:
    body = {"label_id": str(uuid.uuid4()), "lease_id": item["lease_id"], "reviewer": name, "label": label}
    return client.post(f"/api/v1/review/items/{item['item_id']}/label", json=body)


def fields(value: Any) -> Iterator[str]:
    """Every key of a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from fields(inner)
    if isinstance(value, list):
        for inner in value:
            yield from fields(inner)


def operations(app: FastAPI) -> list[tuple[str, str]]:
    return [(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods]


def bodies(item: dict[str, Any], service: Service) -> list[dict[str, Any]]:
    """Bodies that suit one route or another, and one that suits none."""
    answer = {"reviewer": "ada", "lease_id": item["lease_id"]}
    return [
        {},
        {"reviewer": "ada", "resume": True},
        {"reviewer": "ada", "kind": item["kind"]},
        {**answer, "label_id": str(uuid.uuid4()), "label": "partly"},
        {**answer, "label_id": str(uuid.uuid4()), "relevant": [each["id"] for each in item["evidence"][:1]]},
        {**answer, "label_id": str(uuid.uuid4()), "relevant": ["no such document"]},
        answer,
        {"now": service.clock().isoformat()},
        {"by": "ada", "until": "2030-01-01T00:00:00Z"},
    ]


def everything_reached(reviewing: Reviewing, client: httpx.Client) -> Iterator[tuple[str, httpx.Response]]:
    """Every route with every body, with the ids that a reviewer can know."""
    for method, path in operations(create_app(reviewing.service)):
        of_each_kind = [take(client, "ada", kind=kind) for kind in ("answer", "relevance")]
        for item, body in [(each, body) for each in of_each_kind for body in bodies(each, reviewing.service)]:
            address = re.sub(r"\{\w+\}", item["item_id"], path)
            answer = client.request(method, address, json=body, params={"reviewer": "ada"})
            yield f"{method} {path}", answer


def test_no_route_tells_a_reviewer_what_would_bias_a_label(reviewing: Reviewing, reviewer: httpx.Client) -> None:
    told, successes = [], set()
    for route, answer in everything_reached(reviewing, reviewer):
        if answer.is_success:
            successes.add(route)
        if answer.headers.get("content-type", "").startswith("application/json"):
            unexpected = set(fields(answer.json())) - TOLD_FIELDS
            told += [(route, name) for name in unexpected]
        told += [(route, word) for word in WORDS_THAT_TELL if word.encode() in answer.content]
    assert not told
    assert successes >= {
        "POST /api/v1/review/next",
        "POST /api/v1/review/items/{item_id}/label",
        "POST /api/v1/review/items/{item_id}/relevance",
        "POST /api/v1/review/items/{item_id}/skip",
        "GET /api/v1/review/progress",
    }


def test_the_models_of_the_reviewers_routes_hold_no_other_field(reviewing: Reviewing) -> None:
    description = create_app(reviewing.service).openapi()
    named = set()
    for path, methods in description["paths"].items():
        if path.startswith("/api/v1/review/") and not path.endswith(MAY_NOT_BE_READ):
            for operation in methods.values():
                named |= set(properties(operation["responses"], description))
    assert named <= TOLD_FIELDS
    assert {"kind", "question", "evidence", "waiting"} <= named


def properties(schema: Any, description: dict[str, Any]) -> Iterator[str]:
    """Names of all properties that a schema can have, references followed."""
    if isinstance(schema, list):
        for each in schema:
            yield from properties(each, description)
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        if "$ref" in schema:
            yield from properties(description["components"]["schemas"][schema["$ref"].rpartition("/")[2]], description)
        for each in schema.values():
            yield from properties(each, description)


def test_an_item_that_another_labelled_looks_like_one_that_nobody_did(reviewer: httpx.Client) -> None:
    items = [take(reviewer, "eve") for _ in range(12)]
    assert {frozenset(item) for item in items} == {
        frozenset({"kind", "item_id", "lease_id", "expires_at", "question", "answer", "evidence"})
    }
    assert {frozenset(passage) for item in items for passage in item["evidence"]} == {frozenset({"id", "text"})}


def test_a_probed_search_looks_like_one_that_had_no_filter(reviewing: Reviewing, reviewer: httpx.Client) -> None:
    """By its fields: which of the two an item is, which run found a document and at what rank, nothing tells."""
    items = [take(reviewer, "ivy", kind="relevance") for _ in range(12)]
    stored = [reviewing.service.store.rows("review_item_by_id", item_id=item["item_id"])[0] for item in items]
    assert {row["probe_span_id"] is None for row in stored} == {True, False}
    assert {frozenset(item) for item in items} == {
        frozenset({"kind", "item_id", "lease_id", "expires_at", "question", "answer", "evidence"})
    }
    assert {item["answer"] for item in items} == {None}
    for item, row in zip(items, stored, strict=True):
        ids = [passage["id"] for passage in item["evidence"]]
        assert ids == sorted(ids)
        assert all(re.fullmatch("[0-9a-f]{16}", id_) for id_ in ids)
        secrets = (row[name] for name in ("trace_id", "retrieval_span_id", "probe_trace_id", "probe_span_id", "seed"))
        assert not [secret for secret in secrets if secret is not None and secret.hex() in str(item)]


def test_names_of_an_item_are_not_those_of_its_answer(reviewing: Reviewing, reviewer: httpx.Client) -> None:
    item = take(reviewer, "fay")
    stored = reviewing.service.store.rows("review_item_by_id", item_id=item["item_id"])[0]
    assert re.fullmatch("[0-9a-f]{32}", item["item_id"])
    for secret in (stored["trace_id"].hex(), stored["span_id"].hex(), stored["seed"].hex()):
        assert secret not in str(item)


@pytest.mark.parametrize("role", MUST_NOT_LABEL)
def test_no_other_role_may_take_or_label(reviewing: Reviewing, reviewer: httpx.Client, role: Role) -> None:
    item = take(reviewer, "gil")
    with reviewing.client(role) as other:
        assert other.post("/api/v1/review/next", json={"reviewer": "gil"}).status_code == 403
        assert other.get("/api/v1/review/progress", params={"reviewer": "gil"}).status_code == 403
        assert label_it(other, item, "gil", "partly").status_code == 403
        address = f"/api/v1/review/items/{item['item_id']}/skip"
        assert other.post(address, json={"lease_id": item["lease_id"], "reviewer": "gil"}).status_code == 403
    assert label_it(reviewer, item, "gil", "partly").status_code == 200


@pytest.mark.parametrize("conclusion", MAY_NOT_BE_READ)
def test_a_reviewer_may_not_read_what_the_labels_come_to(reviewer: httpx.Client, conclusion: str) -> None:
    assert reviewer.get(f"/api/v1/review{conclusion}").status_code == 403


def test_the_description_of_the_api_is_public_and_holds_no_data(reviewer: httpx.Client) -> None:
    for path in PUBLIC:
        assert CANARY.encode() not in reviewer.get(path).content
