"""What the pages, `ragvigil doctor` and a scraper ask of a service."""

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import httpx

from ragvigil_monitor.keys import Keys, Role

Route = tuple[str, dict[str, Any]]
DAYS = (1, 7, 28)


def ask_pages(url: str, keys: Keys, end: datetime, *, timeout_s: float = 120) -> None:
    """Load everything once, as somebody does who opens every page with every choice."""
    headers = {"Authorization": f"Bearer {keys.by_role[Role.ONCALL]}"}
    with httpx.Client(base_url=url, headers=headers, timeout=timeout_s, trust_env=False) as client:
        for path, parameters in _routes(end):
            client.get(path, params=parameters).raise_for_status()
        newest = client.get("/api/v1/answers", params={"end": end.isoformat(), "limit": 1}).json()
        for answer in newest:
            client.get(f"/api/v1/answers/{answer['trace_id']}").raise_for_status()
            client.get(f"/api/v1/answers/{answer['trace_id']}/evidence").raise_for_status()
            client.get(f"/api/v1/arrivals/{answer['trace_id']}").raise_for_status()
        client.get(f"/api/v1/answers/{uuid.uuid4().hex}")  # the longest search is for what is not there


def review(url: str, keys: Keys) -> None:
    """Take an item of each kind, and label it or pass it over."""
    headers = {"Authorization": f"Bearer {keys.by_role[Role.REVIEWER]}"}
    with httpx.Client(base_url=f"{url}/api/v1/review", headers=headers, timeout=120, trust_env=False) as client:
        for kind in ("answer", "relevance"):
            asked = {"reviewer": "bea", "kind": kind}
            item = client.post("/next", json=asked).raise_for_status().json()["item"]
            client.get("/progress", params=asked).raise_for_status()
            if item is None:
                continue  # a small store may have nothing that waits
            lease = {"lease_id": item["lease_id"], "reviewer": "bea"}
            said = {"label_id": str(uuid.uuid4()), "label": "supported"} if kind == "answer" else {}
            path = "label" if kind == "answer" else "skip"  # without the texts of documents nobody can label them
            client.post(f"/items/{item['item_id']}/{path}", json={**lease, **said}).raise_for_status()


def _routes(end: datetime) -> Iterator[Route]:
    yield "/metrics", {}
    plain = ("status", "completeness", "ingest", "phoenix", "signals", "releases", "alerts", "instrumentation")
    yield from ((f"/api/v1/{path}", {}) for path in plain)
    yield "/api/v1/alerts", {"state": "resolved"}
    yield "/api/v1/instrumentation", {"hours": 24 * 31}
    yield "/api/v1/guardrails/regeneration_rate/history", {}
    for days in (7, 28):
        for path in ("review/false-exclusion", "review/losses", "review/estimates", "judges", "feedback"):
            yield f"/api/v1/{path}", {"days": days}
    yield from _answers(end)
    for signal, days in product(("latency_p95", "cost_per_query", "regeneration_rate", "faithfulness"), DAYS):
        yield f"/api/v1/signals/{signal}/points", _last(end, timedelta(days=days))


def _answers(end: datetime) -> Iterator[Route]:
    windows = (timedelta(hours=1), *(timedelta(days=days) for days in DAYS))
    choices = product(windows, ("newest", "slowest", "costliest"), (None, "retrieve"), (None, "billing"))
    for window, order, stage, intent in choices:
        chosen = {"order": order, "stage": stage, "intent": intent, "limit": 100}
        yield "/api/v1/answers", {**{name: value for name, value in chosen.items() if value}, **_last(end, window)}


def _last(end: datetime, window: timedelta) -> dict[str, str]:
    return {"start": (end - window).isoformat(), "end": end.isoformat()}
