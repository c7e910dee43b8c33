"""Answers that the middleware opens, in a real FastAPI application."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi.responses import FileResponse
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.testclient import TestClient

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.asgi import TOKEN_HEADER, AnswerMiddleware
from ragvigil.testing import InMemoryExporter, ManualClock

from .application import application
from .conftest import Ask

Exported = Callable[[], InMemoryExporter]


def test_the_endpoint_finds_its_answer(exported: Exported, ask: Ask) -> None:
    assert ask("/ask?question=why").json() == "WHY"
    answer = exported().one("ask")
    assert answer.attributes[names.INPUT_VALUE] == "why"
    assert answer.attributes[names.ANSWER_ID] == f"{answer.trace_id}-{answer.span_id}"
    assert answer.attributes[names.HTTP_STATUS_CODE] == 200
    assert (answer.duration_s, answer.status) == (1.0, "unset")
    stage = exported().one("generate")
    assert (stage.parent_id, stage.attributes[names.ANSWER_SPAN_ID]) == (answer.span_id, answer.span_id)
    assert names.TIME_TO_FIRST_CHUNK not in answer.attributes


def test_the_client_gets_a_token_that_names_the_answer(exported: Exported, ask: Ask) -> None:
    token = ask("/ask?question=why").headers[TOKEN_HEADER]
    assert ragvigil.feedback("thumbs_up", token=token)
    answer = exported().one("ask")
    assert exported().logs[0].span_id == answer.span_id


def test_the_token_goes_where_it_is_wanted(exported: Exported, ask: Ask) -> None:
    assert TOKEN_HEADER not in ask("/ask?question=why", token_header=None).headers
    assert ask("/ask?question=why", token_header="X-Token").headers["x-token"].startswith("rv1.")


def test_without_a_key_there_is_no_token_and_that_is_counted(lenient: None, ask: Ask) -> None:
    ragvigil.configure(exporter=InMemoryExporter())
    assert TOKEN_HEADER not in ask("/ask?question=why").headers
    assert ragvigil.counts().feedback.tokens_without_key == 1


def test_a_streamed_answer_ends_with_its_last_byte(exported: Exported, ask: Ask) -> None:
    assert ask("/stream?question=why").text == "whyyesno"
    answer = exported().one("stream")
    assert answer.duration_s == 6.0
    assert answer.attributes[names.TIME_TO_FIRST_CHUNK] == 2.0
    assert answer.attributes[names.OUTPUT_VALUE] == "yes no"
    assert {stage.attributes[names.ANSWER_SPAN_ID] for stage in exported().named("generate")} == {answer.span_id}


def test_background_tasks_belong_to_the_answer_but_not_to_its_duration(exported: Exported, ask: Ask) -> None:
    ask("/ask?question=why&later=true")
    answer, later = exported().one("ask"), exported().one("summarize")
    assert answer.duration_s == 1.0
    assert names.OUTPUT_VALUE not in answer.attributes
    assert (later.trace_id, later.parent_id) == (answer.trace_id, answer.span_id)
    assert later.attributes[names.ANSWER_SPAN_ID] == answer.span_id
    assert later.start_ns >= answer.end_ns + 60_000_000_000


def test_a_decorated_endpoint_is_the_same_answer(exported: Exported, ask: Ask) -> None:
    token = ask("/decorated?question=why").headers[TOKEN_HEADER]
    (answer,) = exported().spans
    assert answer.name == "decorated"
    assert (answer.attributes[names.INPUT_VALUE], answer.attributes[names.OUTPUT_VALUE]) == ("why", "WHY")
    assert answer.attributes[names.INTENT] == "how_to"
    assert answer.attributes[names.SLICE_PREFIX + "team"] == "data"
    assert ragvigil.feedback("thumbs_up", token=token)
    assert ragvigil.counts().started == 1


def test_a_decorated_endpoint_may_return_a_stream(exported: Exported, ask: Ask) -> None:
    """The decorator alone would end the answer before its first word."""
    assert ask("/decorated-stream?question=why").text == "whyyesno"
    answer = exported().one("decorated-stream")
    assert (answer.duration_s, answer.attributes[names.OUTPUT_VALUE]) == (6.0, "yes no")
    assert answer.attributes[names.INPUT_VALUE] == "why"
    assert {stage.attributes[names.ANSWER_SPAN_ID] for stage in exported().named("generate")} == {answer.span_id}
    assert len([span for span in exported().spans if names.ANSWER_ID in span.attributes]) == 1


def test_only_the_first_pipeline_is_the_same_answer(exported: Exported, ask: Ask) -> None:
    ask("/twice")
    outer, inner = exported().one("twice"), exported().one("shout")
    assert (outer.attributes[names.INPUT_VALUE], inner.attributes[names.INPUT_VALUE]) == ("one", "two")
    assert inner.parent_id == outer.span_id
    assert inner.attributes[names.ANSWER_ID] != outer.attributes[names.ANSWER_ID]


@pytest.mark.parametrize(
    ("kind", "status", "message"),
    [("http", 503, "HTTP 503"), ("own", 500, "ZeroDivisionError: the application's own")],
)
def test_a_failure_is_recorded_and_stays_what_it_is(
    exported: Exported, ask: Ask, kind: str, status: int, message: str
) -> None:
    assert ask(f"/fail?kind={kind}").status_code == status
    answer = exported().one("fail")
    assert (answer.status, answer.status_message) == ("error", message)
    assert names.ANSWER_ID in answer.attributes


def test_an_exception_passes_untouched(exported: Exported, clock: ManualClock) -> None:
    app = application(clock)
    app.add_middleware(AnswerMiddleware, routes={"/fail"})
    with pytest.raises(ZeroDivisionError, match="own"):
        TestClient(app).get("/fail?kind=own")
    assert [event.name for event in exported().one("fail").events] == ["exception"]


def test_other_middleware_may_lie_around_and_below(exported: Exported, clock: ManualClock) -> None:
    app = application(clock)

    async def passing(request: Any, call_next: Any) -> Any:
        return await call_next(request)

    app.add_middleware(BaseHTTPMiddleware, dispatch=passing)
    app.add_middleware(AnswerMiddleware, routes={"/stream"})
    app.add_middleware(BaseHTTPMiddleware, dispatch=passing)
    assert TestClient(app).get("/stream?question=why").text == "whyyesno"
    assert exported().one("stream").duration_s == 6.0


def test_twice_the_middleware_is_once_the_answer(exported: Exported, clock: ManualClock) -> None:
    app = application(clock)
    app.add_middleware(AnswerMiddleware, routes={"/decorated": "inner"})
    app.add_middleware(AnswerMiddleware, routes={"/decorated": "outer"})
    response = TestClient(app).get("/decorated?question=why")
    assert len(response.headers.get_list(TOKEN_HEADER)) == 1
    (answer,) = exported().spans
    assert (answer.name, answer.attributes[names.INPUT_VALUE]) == ("outer", "why")


def test_websockets_and_lifespan_pass(exported: Exported, clock: ManualClock) -> None:
    app = application(clock)
    app.add_middleware(AnswerMiddleware, routes={"/ask"})
    with TestClient(app) as client, client.websocket_connect("/ask") as socket:
        assert socket.receive_text() == ""
    assert exported().spans == []


def test_a_file_sent_by_the_server_ends_the_answer(exported: Exported, tmp_path: Any) -> None:
    """With the `pathsend` extension there is no body message."""
    (tmp_path / "a.txt").write_text("body")
    sent: list[str] = []

    async def run() -> None:
        async def send(message: Any) -> None:
            sent.append(message["type"])

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/file",
            "headers": [],
            "extensions": {"http.response.pathsend": {}},
        }
        await AnswerMiddleware(FileResponse(tmp_path / "a.txt"), {"/file"})(scope, receive, send)

    asyncio.run(run())
    assert sent == ["http.response.start", "http.response.pathsend"]
    assert exported().one("file").events == []


def test_without_configure_nothing_is_touched(ask: Ask) -> None:
    assert ask("/decorated?question=why").json() == "WHY"
    assert TOKEN_HEADER not in ask("/decorated?question=why").headers


async def test_concurrent_requests_keep_apart(exported: Exported, clock: ManualClock) -> None:
    app = application(clock)
    app.add_middleware(AnswerMiddleware, routes={"/decorated", "/stream"})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://app") as client:
        paths = [f"/{('decorated', 'stream')[n % 2]}?question=q{n}" for n in range(20)]
        await asyncio.gather(*[client.get(path) for path in paths])
    answers = exported().named("decorated") + exported().named("stream")
    assert sorted(a.attributes[names.INPUT_VALUE] for a in answers) == sorted(f"q{n}" for n in range(20))
    assert len({answer.trace_id for answer in answers}) == 20
