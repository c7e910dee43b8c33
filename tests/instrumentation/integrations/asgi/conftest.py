"""The application with the middleware."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from ragvigil.integrations.asgi import AnswerMiddleware
from ragvigil.testing import ManualClock

from .application import application

Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(clock: ManualClock) -> Iterator[Ask]:
    """Ask the application that has the middleware with the options given."""
    clients: list[TestClient] = []

    def asked(path: str, *, headers: Any = None, routes: Any = None, method: str = "GET", **options: Any) -> Any:
        app = application(clock)
        app.add_middleware(AnswerMiddleware, routes=routes or {path.partition("?")[0]}, **options)
        clients.append(TestClient(app, raise_server_exceptions=False))
        return clients[-1].request(method, path, headers=headers)

    yield asked
    for client in clients:
        client.close()
