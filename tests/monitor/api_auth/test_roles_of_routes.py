"""Every route with every kind of caller. Routes are read from the application: a new one without a role fails here."""

import httpx
from fastapi import FastAPI

from ragvigil_monitor.api.app import create_app
from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import Service

NOBODY, STRANGER = "no key", "wrong key"
CALLERS = [NOBODY, STRANGER, *Role]
ALLOWED: dict[str, set[str]] = {
    "/healthz": {NOBODY, STRANGER, *Role},
    "/readyz": {NOBODY, STRANGER, *Role},
    "/metrics": {Role.ONCALL, Role.ADMIN},
    "/v1/": {NOBODY, Role.INGEST, Role.ADMIN},
    "/api/v1/whoami": {*Role},
    "/api/v1/admin/": {Role.ADMIN},
    "/api/v1/review/": {Role.REVIEWER, Role.ADMIN},
    "/api/v1/review/estimates": {Role.ONCALL, Role.ADMIN},
    "/api/v1/review/false-exclusion": {Role.ONCALL, Role.ADMIN},
    "/api/v1/review/losses": {Role.ONCALL, Role.ADMIN},
    "/api/v1/": {Role.ONCALL, Role.ADMIN},
}
"""Who may call what, by the beginning of the path; the longest that fits counts."""
OPEN_PAGES = {"/docs", "/docs/oauth2-redirect", "/redoc", "/openapi.json"}
"""What describes the API, which is public."""


def operations(app: FastAPI) -> list[tuple[str, str]]:
    """Method and path of every route."""
    return [(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods]


def allowed(path: str) -> set[str]:
    return ALLOWED[max((prefix for prefix in ALLOWED if path.startswith(prefix)), key=len)]


def headers(caller: str, service: Service) -> dict[str, str]:
    if caller == NOBODY:
        return {}
    key = "wrong" if caller == STRANGER else service.keys.by_role[Role(caller)]
    return {"Authorization": f"Bearer {key}"}


def expected_refusal(path: str, caller: str) -> int | None:
    if caller in allowed(path):
        return None
    return 401 if caller in {NOBODY, STRANGER} else 403


def test_every_route_lets_in_whom_it_should_and_nobody_else(client: httpx.Client, service: Service) -> None:
    wrong = []
    for method, path in operations(create_app(service)):
        for caller in CALLERS:
            answer = client.request(method, path.replace("{", "").replace("}", ""), headers=headers(caller, service))
            refusal = answer.status_code if answer.status_code in {401, 403} else None
            if refusal != expected_refusal(path, caller):
                wrong.append((method, path, caller, answer.status_code))
    assert not wrong


def test_the_routes_that_were_promised_are_there(service: Service) -> None:
    assert {
        ("POST", "/v1/traces"),
        ("POST", "/v1/logs"),
        ("POST", "/v1/metrics"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/api/v1/whoami"),
        ("GET", "/api/v1/status"),
        ("POST", "/api/v1/admin/run-due"),
    } <= set(operations(create_app(service)))


def test_nothing_is_served_that_the_description_does_not_list(service: Service) -> None:
    app = create_app(service)
    plain = {getattr(route, "path", None) for route in app.routes} - {None}
    assert plain <= OPEN_PAGES | {path for _, path in operations(app)}
