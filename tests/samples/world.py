"""A running service with a client that holds the on-call key, and short ways to fill and ask it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx
from tests.samples.servers import running_api, running_service
from tests.samples.traffic import Traffic

from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.store import Store


@dataclass(frozen=True, slots=True)
class World:
    """A running service: its store, its clock's time, and a client with the on-call key."""

    store: Store
    now: datetime
    keys: Keys
    client: httpx.Client

    def get(self, path: str, **parameters: Any) -> Any:
        """The JSON of a successful GET."""
        return self.client.get(path, params=parameters).raise_for_status().json()

    def refusal(self, path: str, **parameters: Any) -> tuple[int, str]:
        """Status and detail of a GET that must fail with a Problem."""
        response = self.client.get(path, params=parameters)
        assert set(response.json()) == {"error", "detail"}
        return response.status_code, response.json()["detail"]

    def put(self, *, answers: list[dict[str, Any]] | None = None, spans: list[dict[str, Any]] | None = None) -> None:
        """Insert answers and spans; columns that are left out get plain values."""
        sent = Traffic(slow_from=self.now)
        sent.answers += [{**self._answer(), **values} for values in answers or []]
        sent.spans += [{**self._span(), **values} for values in spans or []]
        sent.insert(self.store)

    def ago(self, **duration: float) -> datetime:
        """A naive UTC time before now, as the tables hold it."""
        return (self.now - timedelta(**duration)).replace(tzinfo=None)

    def _answer(self) -> dict[str, Any]:
        return {**self._span(), "answer_id": "a-1", "sampling_probability": 1.0}

    def _span(self) -> dict[str, Any]:
        return {
            "trace_id": bytes(15) + b"\x01",
            "span_id": bytes(7) + b"\x01",
            "started_at": self.ago(minutes=5),
            "duration_ms": 100.0,
            "service": "shop",
            "name": "ask",
            "status": "ok",
            "dropped_attributes": 0,
        }


@contextmanager
def running_world(store: Store, now: datetime) -> Iterator[World]:
    """Serve a store whose clock stands at `now`."""
    keys = Keys.generate()
    with (
        running_service(store, keys, lambda: now) as service,
        running_api(service) as address,
        httpx.Client(
            base_url=f"{address}/api/v1", headers={"Authorization": f"Bearer {keys.by_role[Role.ONCALL]}"}
        ) as client,
    ):
        yield World(store, now, keys, client)
