"""The feedback endpoint: what it takes, what it refuses, and that nothing hurts it."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from tests.samples.servers import running_app

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.asgi import feedback_app
from ragvigil.testing import InMemoryExporter

Exported = Callable[[], InMemoryExporter]


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(FastAPI(routes=[Route("/feedback", feedback_app())])) as made:
        yield made


@pytest.fixture
def token(exported: Exported) -> str:
    with ragvigil.pipeline("ask") as answer:
        made = answer.token()
    assert made is not None
    return made


def post(client: TestClient, content: Any, content_type: str | None = "application/json") -> tuple[int, Any]:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    headers = {} if content_type is None else {"Content-Type": content_type}
    response = client.post("/feedback", content=body, headers=headers)
    assert response.headers["content-type"] == "application/json"
    return response.status_code, response.json()


def test_feedback_is_recorded_as_it_was_said(exported: Exported, client: TestClient, token: str) -> None:
    said = {"token": token, "kind": "thumbs_down", "reason": "wrong", "feedback_id": "f-1"}
    assert post(client, {**said, "at": "2026-11-30T10:00:00.250Z"}) == (202, {"recorded": True})
    (log,) = [log for log in exported().logs if log.event_name == names.EVENT_FEEDBACK]
    assert log.span_id == exported().one("ask").span_id
    assert log.time_ns == 1_796_032_800_250_000_000
    assert log.attributes[names.FEEDBACK_ID] == "f-1"
    assert (log.attributes[names.FEEDBACK_KIND], log.attributes[names.FEEDBACK_REASON]) == ("thumbs_down", "wrong")


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-8", "text/plain;charset=UTF-8", "Text/Plain", None],
)
def test_what_a_beacon_sends_is_taken(exported: Exported, client: TestClient, token: str, content_type: str) -> None:
    dwell = {"token": token, "kind": "dwell", "value": 3.5, "reason": None}
    assert post(client, dwell, content_type) == (202, {"recorded": True})
    assert exported().logs[0].attributes[names.FEEDBACK_VALUE] == 3.5


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"kind": "applause"}, "kind: expected one of"),
        ({"kind": None}, "kind: is missing"),
        ({"kind": 3}, "kind: expected text"),
        ({"token": None}, "token: is missing"),
        ({"token": ["x"]}, "token: expected text"),
        ({"reason": "bored"}, "reason: expected one of"),
        ({"value": 3}, "value: only dwell"),
        ({"kind": "dwell"}, "value: dwell needs"),
        ({"kind": "dwell", "value": -1}, "value: dwell needs"),
        ({"kind": "dwell", "value": True}, "value: expected a number"),
        ({"kind": "dwell", "value": "3"}, "value: expected a number"),
        ({"kind": "dwell", "value": 10**400}, "value: dwell needs"),
        ({"feedback_id": ""}, "feedback_id: expected text of"),
        ({"feedback_id": "x" * 201}, "feedback_id: expected text of"),
        ({"feedback_id": 7}, "feedback_id: expected text"),
        ({"at": "yesterday"}, "at: expected a time"),
        ({"at": "2026-11-30T10:00:00"}, "at: expected a datetime with a time zone"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "at: expected a time between"),
        ({"at": 1796032800}, "at: expected text"),
        ({"user": "anne", "<script>": 1}, "2 unknown keys; expected only token"),
    ],
    ids=str,
)
def test_wrong_feedback_is_named(client: TestClient, token: str, change: dict[str, Any], problem: str) -> None:
    status, said = post(client, {"token": token, "kind": "thumbs_up", **change})
    assert (status, list(said)) == (400, ["error"])
    assert said["error"].startswith(problem)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"token"',
        b"{",
        b"\xff\xfe{}",
        b'{"token": "\xe9"}',
        b'{"token": NaN}',
        b'{"value": Infinity}',
        b"[" * 8000,
        b'{"value": ' + b"9" * 5000 + b"}",
        b'{"a":' * 1500,
        "{}".encode("utf-16"),
    ],
    ids=lambda body: repr(body[:12]),
)
def test_a_hostile_body_is_a_bad_request(client: TestClient, token: str, body: bytes) -> None:
    status, said = post(client, body)
    assert (status, list(said)) == (400, ["error"])


def test_lone_surrogates_are_refused_or_carried(exported: Exported, client: TestClient, token: str) -> None:
    body = b'{"token": "%s", "kind": "copy", "feedback_id": "\\ud800"}' % token.encode()
    status, _ = post(client, body)
    assert status == 202
    assert ragvigil.flush()


@pytest.mark.parametrize("forged", ["", "x", "rv1.e30." + "A" * 22, "rv1." + "A" * 2000, "\ud800", "x" * 5000])
def test_a_token_of_others_is_forbidden(client: TestClient, token: str, forged: str) -> None:
    status, said = post(client, {"token": forged, "kind": "thumbs_up"})
    assert (status, said["error"][:6]) == (403, "token:")
    assert ragvigil.counts().feedback.refused == 1


def test_a_changed_token_is_forbidden(client: TestClient, token: str) -> None:
    changed = token[:-1] + ("A" if token[-1] != "A" else "B")
    assert post(client, {"token": changed, "kind": "thumbs_up"})[0] == 403


@pytest.mark.parametrize(
    "content_type", ["application/xml", "application/json; charset=latin-1", "multipart/form-data", "", "é"]
)
def test_other_media_types_are_not_read(client: TestClient, content_type: str) -> None:
    headers = {b"content-type": content_type.encode("latin-1")}
    response = client.post("/feedback", content=b"{}", headers=list(headers.items()))
    assert response.status_code == 415
    assert client.post("/feedback", content=b"{}", headers={"Content-Encoding": "gzip"}).status_code == 415


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"])
def test_only_post_is_answered(client: TestClient, method: str) -> None:
    response = client.request(method, "/feedback")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_a_large_body_is_refused_before_and_while_it_is_read(client: TestClient) -> None:
    assert post(client, b"x" * 8193)[0] == 413
    announced = client.post("/feedback", content=b"{}", headers={"Content-Length": "9" * 4000})
    assert announced.status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 1000

    assert client.post("/feedback", content=endless()).status_code == 413


def test_over_a_real_connection_a_large_body_is_refused(exported: Exported, token: str) -> None:
    with running_app(feedback_app(max_body_bytes=500)) as address, httpx.Client(base_url=address) as client:
        assert client.post("/", content=b"x" * 100_000).status_code == 413
        assert client.post("/any/path", json={"token": token, "kind": "copy"}).json() == {"recorded": True}
    assert len(exported().logs) >= 1


def test_a_client_that_leaves_midway_is_not_feedback(client: TestClient, token: str) -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(feedback_app()({"type": "http", "method": "POST", "headers": []}, receive, send))
    assert sent[0]["status"] == 400
    assert ragvigil.counts().feedback.given == 0


def test_where_recording_is_off_the_client_notices_nothing_bad(client: TestClient) -> None:
    assert post(client, {"token": "rv1", "kind": "thumbs_up"}) == (202, {"recorded": False})


def test_a_missing_key_is_the_applications_fault(lenient: None, client: TestClient) -> None:
    ragvigil.configure(exporter=InMemoryExporter())
    status, said = post(client, {"token": "rv1.e30." + "A" * 22, "kind": "thumbs_up"})
    assert status == 503
    assert "secret_key" in said["error"]


def test_it_can_be_mounted_and_keeps_websockets_out(exported: Exported, token: str) -> None:
    app = FastAPI()
    app.mount("/reactions", feedback_app())
    with TestClient(app) as client:
        assert client.post("/reactions", json={"token": token, "kind": "copy"}).json() == {"recorded": True}
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/reactions/x"):
            pass
