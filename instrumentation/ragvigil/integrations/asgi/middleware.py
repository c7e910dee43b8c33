"""Middleware that opens the answer of a request, from its first byte in to its last byte out."""

from typing import Final

from opentelemetry.context import Context, get_current
from opentelemetry.trace import get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from ragvigil import current
from ragvigil.answers import Answer
from ragvigil.guard import GUARD
from ragvigil.integrations.asgi.exchange import Exchange
from ragvigil.integrations.asgi.headers import FromRequest, values_of
from ragvigil.integrations.asgi.protocol import App, Receive, Scope, Send
from ragvigil.integrations.asgi.routes import Routes, named

TOKEN_HEADER: Final = "ragvigil-answer-token"  # noqa: S105 - the name of a header
"""The response header that carries the answer token."""
_PROPAGATOR: Final = TraceContextTextMapPropagator()


class AnswerMiddleware:
    """Makes every request to one of `routes` an answer, which `ragvigil.current_answer()` gives inside.

    It begins below the current span, such as the server span of other instrumentation; where there is none, below the
    W3C `traceparent` of the request. It ends with the last byte of the body. What runs after that (background tasks)
    belongs to the answer, and not to its duration. The first `@pipeline` directly below is the same answer.

    A request that was refused (status 300 to 499) before a question was recorded is no answer. `token_header` is the
    response header for the answer token, None for none. `session_id` and `user_id` read these from the ASGI scope when
    the response starts, unless the application has set them. Websockets and lifespan events pass untouched.

    Raises ValueError for routes that are not valid.
    """

    def __init__(
        self,
        app: App,
        routes: Routes,
        *,
        token_header: str | None = TOKEN_HEADER,
        session_id: FromRequest | None = None,
        user_id: FromRequest | None = None,
    ) -> None:
        self._app = app
        self._name_of = named(routes)
        self._token_header = None if token_header is None else token_header.lower().encode("ascii")
        self._readers = {"session_id": session_id, "user_id": user_id}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        name = self._answer_name(scope)
        if name is None:
            await self._app(scope, receive, send)
            return
        answer = Answer(name or None)
        answer.is_adoptable = True
        exchange = Exchange(answer, scope, receive, send, self._token_header, self._readers)
        with GUARD:
            answer.start(_context_of(scope))
        with answer:
            try:
                await self._app(scope, exchange.receive, exchange.send)
            except BaseException as failure:
                exchange.finish(failure)
                raise
            exchange.finish(None)

    def _answer_name(self, scope: Scope) -> str | None:
        if scope["type"] != "http" or current.recorder is None:
            return None
        with GUARD:
            name = self._name_of(scope)
            return name if isinstance(name, str) else None
        return None


def _context_of(scope: Scope) -> Context:
    """What the answer begins in: the current context, or else what the request's `traceparent` says."""
    here = get_current()
    with GUARD:
        if not get_current_span(here).get_span_context().is_valid:
            return _PROPAGATOR.extract(_carrier(scope), here)
    return here


def _carrier(scope: Scope) -> dict[str, str]:
    """The headers of W3C trace context; a `traceparent` that comes twice counts for nothing, as the standard says."""
    parents = values_of(scope, "traceparent")
    if len(parents) != 1:
        return {}
    return {"traceparent": parents[0], "tracestate": ",".join(values_of(scope, "tracestate"))}
