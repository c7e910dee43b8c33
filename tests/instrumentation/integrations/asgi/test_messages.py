"""The application's messages stay its own: what one client gets is in nothing that another is sent."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

import ragvigil
from ragvigil.integrations.asgi import TOKEN_HEADER, AnswerMiddleware
from ragvigil.testing import InMemoryExporter

Exported = Callable[[], InMemoryExporter]
Headers = list[tuple[bytes, bytes]]
TOKEN = TOKEN_HEADER.lower().encode()
PLAIN = (b"content-type", b"text/plain")
BODY = {"type": "http.response.body", "body": b"hi"}


def started(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": 200, "headers": headers}


def sending(*messages: dict[str, Any]) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)

    return app


def replaying(app: Any) -> Any:
    """A middleware that answers with what the first request was answered with."""
    kept: list[dict[str, Any]] = []

    async def call(scope: Any, receive: Any, send: Any) -> None:
        async def keep(message: dict[str, Any]) -> None:
            kept.append(message)
            await send(message)

        await (sending(*kept) if kept else app)(scope, receive, send if kept else keep)

    return call


def headers_of(app: Any) -> Headers:
    """What the server is given."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": "/ask", "headers": []}
    asyncio.run(AnswerMiddleware(app, {"/ask"})(scope, receive, send))
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    return list(sent[0]["headers"])


@pytest.mark.parametrize("replays", [False, True], ids=["constant", "cached"])
def test_every_client_gets_a_token_of_its_own(exported: Exported, replays: bool) -> None:
    headers: Headers = [PLAIN]
    start = started(headers)
    app = replaying(sending(start, BODY)) if replays else sending(start, BODY)
    tokens = [[value for key, value in headers_of(app) if key == TOKEN] for _ in range(3)]
    assert [len(of_one) for of_one in tokens] == [1, 1, 1]
    assert len({of_one[0] for of_one in tokens}) == 3
    assert start == started([PLAIN])
    assert start["headers"] is headers


class Lasting:
    """Headers that can be gone through again and again, and are no list."""

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        yield PLAIN


@pytest.mark.parametrize("make", [lambda: iter([PLAIN]), lambda: (h for h in [PLAIN]), Lasting, lambda: (PLAIN,)])
def test_headers_of_any_kind_arrive_with_a_token(exported: Exported, make: Callable[[], Any]) -> None:
    first, (key, _) = headers_of(sending(started(make()), BODY))
    assert (first, key) == (PLAIN, TOKEN)


@pytest.mark.parametrize("make", [lambda: iter([PLAIN]), lambda: (h for h in [PLAIN]), Lasting, lambda: (PLAIN,)])
def test_headers_of_any_kind_arrive_without_one(lenient: None, make: Callable[[], Any]) -> None:
    ragvigil.configure(exporter=InMemoryExporter())
    assert headers_of(sending(started(make()), BODY)) == [PLAIN]


def test_headers_that_nobody_can_read_arrive_as_they_are(lenient: None, exported: Exported) -> None:
    odd: Any = [(b"a", b"b", b"c")]
    assert headers_of(sending(started(iter(odd)), BODY)) == odd


def test_what_reading_headers_raises_passes_untouched(lenient: None, exported: Exported) -> None:
    def failing() -> Iterator[tuple[bytes, bytes]]:
        yield PLAIN
        raise ZeroDivisionError("the application's own")

    with pytest.raises(ZeroDivisionError, match="own"):
        headers_of(sending(started(failing()), BODY))
    assert exported().one("ask").status == "error"
