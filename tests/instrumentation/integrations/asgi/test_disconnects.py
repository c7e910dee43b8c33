"""Requests that do not come to their end, over a real server, and beside a real server span."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.samples.servers import running_app

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.asgi import AnswerMiddleware
from ragvigil.testing import InMemoryExporter, SpanSnapshot

Exported = Callable[[], InMemoryExporter]
WaitFor = Callable[[Callable[[], object]], None]


def application() -> FastAPI:
    app = FastAPI()
    app.add_middleware(AnswerMiddleware, routes={"/endless", "/polling", "/ask"})

    @app.get("/endless")
    async def endless() -> StreamingResponse:
        return StreamingResponse(_endless())

    @app.get("/polling")
    async def polling(request: Request) -> StreamingResponse:
        return StreamingResponse(_until_disconnected(request))

    @app.get("/ask")
    async def ask() -> str:
        ragvigil.current_answer().set(question="why")
        return "because"

    return app


async def _endless() -> AsyncIterator[str]:
    ragvigil.current_answer().set(question="how long")
    with ragvigil.stage("generate"):
        while True:
            yield "word "
            await asyncio.sleep(0.01)


async def _until_disconnected(request: Request) -> AsyncIterator[str]:
    ragvigil.current_answer().set(question="still there")
    yield "word "
    while not await request.is_disconnected():  # noqa: ASYNC110 - as applications do it
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("path", ["/endless", "/polling"])
def test_a_client_that_leaves_is_a_cancellation_and_no_error(exported: Exported, wait_for: WaitFor, path: str) -> None:
    with running_app(application()) as address:
        with httpx.stream("GET", address + path) as response:
            assert next(response.iter_text()).startswith("word")
        wait_for(lambda: exported().named(path[1:]))
    answer = exported().one(path[1:])
    assert answer.status == "unset"
    assert cancellations(answer) == ["the client disconnected"]
    assert names.ANSWER_ID in answer.attributes


def cancellations(answer: SpanSnapshot) -> list[str]:
    return [
        event.attributes[names.EXCEPTION_MESSAGE]
        for event in answer.events
        if event.attributes[names.EXCEPTION_TYPE] == "CancelledError"
    ]


@pytest.mark.parametrize(
    ("failure", "said"),
    [(OSError("gone"), "the client disconnected"), (asyncio.CancelledError(), "the response was not completed")],
    ids=["send fails", "task is cancelled"],
)
def test_what_the_server_raises_passes_and_is_a_cancellation(
    exported: Exported, failure: BaseException, said: str
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"word", "more_body": True})

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            raise failure

    with pytest.raises(type(failure)) as raised:
        asyncio.run(AnswerMiddleware(app, {"/ask"})(request(), nothing, send))
    assert raised.value is failure
    answer = exported().one("ask")
    assert (answer.status, cancellations(answer)) == ("unset", [said])


def test_an_application_that_answers_nothing_is_noticed(exported: Exported) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        """Return without a response."""

    asyncio.run(AnswerMiddleware(app, {"/ask"})(request(), nothing, nothing))
    assert cancellations(exported().one("ask")) == ["the response was not completed"]


def request() -> dict[str, Any]:
    return {"type": "http", "method": "GET", "path": "/ask", "headers": []}


async def nothing(*_: Any) -> Any:
    """Receive or send nothing."""


def test_the_answer_lies_below_the_server_span_of_other_instrumentation(exported: Exported) -> None:
    spans, provider, app = InMemorySpanExporter(), TracerProvider(), application()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    FastAPIInstrumentor.instrument_app(app, tracer_provider=provider)
    try:
        with running_app(app) as address:
            httpx.get(f"{address}/ask", headers={"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}).raise_for_status()
    finally:
        FastAPIInstrumentor.uninstrument_app(app)  # it has patched Starlette for the whole process
        provider.shutdown()
    answer = exported().one("ask")
    server = next(span for span in spans.get_finished_spans() if span.kind.name == "SERVER")
    assert server.context is not None
    assert answer.trace_id == "a" * 32 == f"{server.context.trace_id:032x}"
    assert answer.parent_id == f"{server.context.span_id:016x}"


def test_requests_of_many_threads_are_whole(exported: Exported) -> None:
    with running_app(application()) as address:
        threads = [threading.Thread(target=httpx.get, args=[f"{address}/ask"]) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(exported().named("ask")) == 20
    assert ragvigil.counts().started == 20
