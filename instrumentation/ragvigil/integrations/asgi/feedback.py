"""The endpoint that takes users' feedback from a browser or another client."""

import json
from typing import Any, Final, NamedTuple

from ragvigil import current
from ragvigil.feedback_event import FeedbackError, NoSecretKeyError, TokenError
from ragvigil.guard import GUARD
from ragvigil.integrations.asgi.feedback_body import BodyError, MediaTypeError, TooLargeError, read_feedback
from ragvigil.integrations.asgi.protocol import Receive, Scope, Send
from ragvigil.reactions import record_feedback

MAX_BODY_BYTES: Final = 8192
"""A token has about 250 characters, a feedback id at most 200."""


class Reply(NamedTuple):
    """Status and JSON of a response; `allow` names the methods that are allowed."""

    status: int
    said: dict[str, object]
    allow: str | None = None


class FeedbackApp:
    """An ASGI application that takes feedback by POST at every path below where it is mounted."""

    def __init__(self, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; websockets are refused."""
        if scope["type"] == "lifespan":
            await _idle(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        else:
            await _respond(send, await self._reply(scope, receive))

    async def _reply(self, scope: Scope, receive: Receive) -> Reply:
        if scope["method"] != "POST":
            return Reply(405, {"error": "send feedback by POST"}, allow="POST")
        try:
            given = await read_feedback(scope, receive, self._max_body_bytes)
        except TooLargeError as problem:
            return Reply(413, {"error": str(problem)})
        except MediaTypeError as problem:
            return Reply(415, {"error": str(problem)})
        except BodyError as problem:
            return Reply(400, {"error": str(problem)})
        with GUARD:
            return _recorded(given)
        return Reply(500, {"error": "feedback could not be recorded"})


def feedback_app(max_body_bytes: int = MAX_BODY_BYTES) -> FeedbackApp:
    """An ASGI application for a route such as `/feedback`.

    It takes a JSON object with `token` and `kind`, and `reason`, `value`, `feedback_id` and `at` (ISO 8601 with a time
    zone) where they apply, as `ragvigil.feedback` does; `navigator.sendBeacon` may send it as text. It answers 202 with
    `{"recorded": true}` (false where recording is switched off), or JSON with an `error`: 400 for a body that is not
    valid, 403 for a token that is not this application's, 405, 413, 415, and 503 where the application has no
    `secret_key`. CORS, and limits on how often a client may call, are left to your middleware.
    """
    return FeedbackApp(max_body_bytes)


def _recorded(given: dict[str, Any]) -> Reply:
    recorder = current.recorder
    if recorder is None:
        return Reply(202, {"recorded": False})
    try:
        return Reply(202, {"recorded": record_feedback(recorder, **given)})
    except TokenError as problem:
        return Reply(403, {"error": str(problem)})
    except NoSecretKeyError as problem:
        return Reply(503, {"error": str(problem)})
    except FeedbackError as problem:
        return Reply(400, {"error": str(problem)})


async def _respond(send: Send, reply: Reply) -> None:
    body = json.dumps(reply.said).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if reply.allow is not None:
        headers.append((b"allow", reply.allow.encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _idle(receive: Receive, send: Send) -> None:
    """Serve the lifespan of a server that runs nothing but this."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
