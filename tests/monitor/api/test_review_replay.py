"""In a replay, where jobs run on request only, reviews happen in the time that is replayed."""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from tests.samples.reviews import draw_reviews, reviewed_store
from tests.samples.servers import running_api, running_service

from ragvigil_monitor.keys import Keys, Role

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
REPLAYED = NOW - timedelta(hours=1)


def labelled_at(tick_s: float, replayed: datetime | None) -> Iterator[datetime]:
    """When a label was stored after the jobs were run for a time, in a service that looks for due jobs every tick."""
    keys = Keys.generate()
    store = reviewed_store(NOW, answers=40, days=1.0)
    settings = {"review": {"salt": "x" * 16}, "schedule": {"tick_s": tick_s, "catch_up_days": 1}}
    with running_service(store, keys, lambda: NOW, **settings) as service:
        draw_reviews(service)
        with running_api(service) as url, httpx.Client(base_url=url, timeout=120) as http:
            body = {"now": replayed and replayed.isoformat()}
            http.post("/api/v1/admin/run-due", json=body, headers=key(keys, Role.ADMIN)).raise_for_status()
            yield label_one(http, key(keys, Role.REVIEWER))


def key(keys: Keys, role: Role) -> dict[str, str]:
    return {"Authorization": f"Bearer {keys.by_role[role]}"}


def label_one(http: httpx.Client, headers: dict[str, str]) -> datetime:
    served = http.post("/api/v1/review/next", json={"reviewer": "ada", "kind": "answer"}, headers=headers)
    item = served.raise_for_status().json()["item"]
    body = {"label_id": str(uuid.uuid4()), "lease_id": item["lease_id"], "reviewer": "ada", "label": "supported"}
    said = http.post(f"/api/v1/review/items/{item['item_id']}/label", json=body, headers=headers)
    return datetime.fromisoformat(said.raise_for_status().json()["labelled_at"])


@pytest.mark.parametrize(
    ("tick_s", "replayed", "expected"),
    [(0, REPLAYED, REPLAYED), (0, None, NOW), (15, REPLAYED, NOW)],
    ids=["a replay", "no time asked for", "a service that runs by itself"],
)
def test_a_label_bears_the_time_of_the_replay_and_else_the_present(
    tick_s: float, replayed: datetime | None, expected: datetime
) -> None:
    assert next(labelled_at(tick_s, replayed)) == expected
