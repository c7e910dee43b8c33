"""Errors are Problems, whatever raises them."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from ragvigil.attributes import SERVER_HEADER
from ragvigil_monitor.api.problems import answer_errors_as_problems
from ragvigil_monitor.errors import BadTelemetry, Overloaded, StoreUnavailable
from ragvigil_monitor.keys import Role
from ragvigil_monitor.own_metrics import OwnMetrics
from ragvigil_monitor.service import Service


@pytest.fixture
def admin(service: Service) -> dict[str, str]:
    return {"Authorization": f"Bearer {service.keys.by_role[Role.ADMIN]}"}


def problem(answer: httpx.Response, status: int) -> dict[str, str]:
    assert answer.status_code == status
    body: dict[str, str] = answer.json()
    assert set(body) == {"error", "detail"}
    return body


def test_a_path_that_does_not_exist(client: httpx.Client) -> None:
    assert problem(client.get("/nowhere"), 404)["error"] == "Not Found"


def test_a_method_that_is_not_offered(client: httpx.Client) -> None:
    answer = client.delete("/healthz")
    assert problem(answer, 405)["error"] == "Method Not Allowed"
    assert answer.headers["allow"] == "GET"


@pytest.mark.parametrize(
    ("body", "named"),
    [({"now": "yesterday"}, "body.now"), ({"now": "2026-06-01T00:00:00"}, "body.now"), ({"then": None}, "body.then")],
    ids=["no time", "no zone", "unknown field"],
)
def test_a_body_that_is_not_valid_names_the_field(
    client: httpx.Client, admin: dict[str, str], body: dict[str, Any], named: str
) -> None:
    assert named in problem(client.post("/api/v1/admin/run-due", json=body, headers=admin), 422)["detail"]


def test_a_body_that_is_no_json(client: httpx.Client, admin: dict[str, str]) -> None:
    headers = {**admin, "Content-Type": "application/json"}
    problem(client.post("/api/v1/admin/run-due", content=b"{", headers=headers), 422)


def test_jobs_are_not_run_for_the_future(client: httpx.Client, service: Service, admin: dict[str, str]) -> None:
    later = service.clock() + timedelta(seconds=1)
    answer = client.post("/api/v1/admin/run-due", json={"now": later.isoformat()}, headers=admin)
    assert "in the future" in problem(answer, 422)["detail"]


def test_jobs_run_for_the_present_when_no_time_is_given(
    client: httpx.Client, service: Service, admin: dict[str, str]
) -> None:
    answer = client.post("/api/v1/admin/run-due", json={}, headers=admin)
    assert answer.status_code == 200
    assert answer.json()["now"] == service.clock().isoformat().replace("+00:00", "Z")
    assert "link_stages" in answer.json()["jobs"]


@pytest.mark.parametrize(
    ("failure", "status", "retry_after"),
    [
        (BadTelemetry("too long", 413), 413, None),
        (Overloaded("busy"), 503, "1"),
        (StoreUnavailable("disk full"), 503, "4"),
        (ZeroDivisionError("secret"), 500, None),
    ],
    ids=["bad telemetry", "overloaded", "store", "bug"],
)
async def test_what_a_route_raises_is_answered(failure: Exception, status: int, retry_after: str | None) -> None:
    app = FastAPI()
    app.state.service = SimpleNamespace(metrics=OwnMetrics())
    answer_errors_as_problems(app)

    @app.get("/")
    async def fail() -> None:
        raise failure

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://ragvigil") as client:
        answer = await client.get("/")
    assert "secret" not in problem(answer, status)["detail"]
    assert answer.headers.get("retry-after") == retry_after


def test_the_service_says_that_it_runs_and_is_ready(client: httpx.Client) -> None:
    healthy = client.get("/healthz")
    assert (healthy.json(), healthy.headers[SERVER_HEADER]) == ({"status": "ok"}, "monitor")
    assert client.get("/readyz").json() == {"status": "ready"}


def test_a_service_without_its_store_runs_but_is_not_ready(client: httpx.Client, service: Service) -> None:
    service.store.close()
    assert client.get("/healthz").status_code == 200
    problem(client.get("/readyz"), 503)
