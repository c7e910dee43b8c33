"""How a key is presented, and what an unsuitable one is told."""

import httpx
import pytest

from ragvigil_monitor.api.app import create_app
from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import Service

PROTOBUF = {"Content-Type": "application/x-protobuf"}


def bearer(service: Service, role: Role, scheme: str = "Bearer") -> dict[str, str]:
    return {"Authorization": f"{scheme} {service.keys.by_role[role]}"}


@pytest.mark.parametrize("role", Role)
def test_whoami_names_the_role_of_the_key(client: httpx.Client, service: Service, role: Role) -> None:
    assert client.get("/api/v1/whoami", headers=bearer(service, role)).json() == {"role": role.value}


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer "])
def test_the_scheme_may_be_spelled_freely(client: httpx.Client, service: Service, scheme: str) -> None:
    assert client.get("/api/v1/whoami", headers=bearer(service, Role.ONCALL, scheme)).status_code == 200


@pytest.mark.parametrize(
    "authorization",
    ["Bearer", "Basic dXNlcjpwYXNz", "Bearer wrong", "wrong", b"Bearer \xff\xfe", "Bearer " + "x" * 5000],
    ids=["no key", "basic", "wrong", "no scheme", "not ascii", "long"],
)
def test_anything_else_is_unknown(client: httpx.Client, authorization: str | bytes) -> None:
    answer = client.get("/api/v1/whoami", headers={b"Authorization": _bytes(authorization)})
    assert answer.status_code == 401
    assert "Authorization: Bearer <key>" in answer.json()["detail"]


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


@pytest.mark.parametrize(
    ("role", "path", "detail"),
    [
        (Role.REVIEWER, "/api/v1/status", "A reviewer key may not do this; it needs the key of oncall or admin."),
        (Role.INGEST, "/api/v1/status", "An ingest key may not do this; it needs the key of oncall or admin."),
        (Role.ONCALL, "/api/v1/admin/schema", "An oncall key may not do this; it needs the key of admin."),
    ],
)
def test_a_refusal_says_whose_key_is_needed(
    client: httpx.Client, service: Service, role: Role, path: str, detail: str
) -> None:
    answer = client.get(path, headers=bearer(service, role))
    assert answer.status_code == 403
    assert answer.json() == {"error": "Forbidden", "detail": detail}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("127.8.8.8", 200),
        ("::1", 200),
        ("10.0.0.9", 401),
        ("fe80::1", 401),
        ("2001:db8::1", 401),
        ("example.org", 401),
    ],
)
async def test_telemetry_needs_no_key_from_this_machine_only(service: Service, host: str, status: int) -> None:
    transport = httpx.ASGITransport(create_app(service), client=(host, 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://ragvigil") as client:
        answer = await client.post("/v1/traces", content=b"", headers=PROTOBUF)
    assert answer.status_code == status


@pytest.mark.parametrize(("role", "status"), [(Role.INGEST, 200), (Role.ADMIN, 200), (Role.ONCALL, 403)])
async def test_telemetry_from_elsewhere_needs_the_ingest_key(service: Service, role: Role, status: int) -> None:
    transport = httpx.ASGITransport(create_app(service), client=("10.0.0.9", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://ragvigil") as client:
        answer = await client.post("/v1/traces", content=b"", headers={**PROTOBUF, **bearer(service, role)})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("host", "detail"),
    [
        ("127.0.0.1", "This is the oncall key; send the ingest key, or none from this machine."),
        ("10.0.0.9", "This is the oncall key; send the ingest key."),
    ],
)
async def test_telemetry_with_the_key_of_another_role_is_told_which_is_right(
    service: Service, host: str, detail: str
) -> None:
    transport = httpx.ASGITransport(create_app(service), client=(host, 50_000))
    headers = {**PROTOBUF, **bearer(service, Role.ONCALL)}
    async with httpx.AsyncClient(transport=transport, base_url="http://ragvigil") as client:
        answer = await client.post("/v1/traces", content=b"", headers={**headers, "Accept": "application/json"})
    assert answer.status_code == 403
    assert detail in answer.text


def test_a_wrong_key_is_refused_even_where_none_is_needed(client: httpx.Client) -> None:
    answer = client.post("/v1/traces", content=b"", headers={**PROTOBUF, "Authorization": "Bearer wrong"})
    assert answer.status_code == 401
