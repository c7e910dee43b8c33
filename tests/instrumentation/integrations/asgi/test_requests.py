"""Which requests are answers, and what is read from them."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.asgi import TOKEN_HEADER, AnswerMiddleware, cookie, header
from ragvigil.testing import InMemoryExporter, ManualClock

from .application import application
from .conftest import Ask

Exported = Callable[[], InMemoryExporter]
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE_ID}-b7ad6b7169203331-01"


@pytest.mark.parametrize("path", ["/ask", "/fail?kind=refused", "/missing"])
def test_a_refused_request_is_no_answer(exported: Exported, ask: Ask, path: str) -> None:
    response = ask(path)
    assert 400 <= response.status_code < 500
    assert TOKEN_HEADER not in response.headers
    (span,) = exported().spans
    assert names.ANSWER_ID not in span.attributes
    assert ragvigil.counts().started == ragvigil.counts().exported == 1


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD"])
def test_questions_about_the_route_are_not_recorded(exported: Exported, ask: Ask, method: str) -> None:
    ask("/ask", method=method)
    assert exported().spans == []


def test_other_routes_are_not_recorded(exported: Exported, ask: Ask) -> None:
    assert ask("/ask?question=why", routes={"/as", "/ask/", "/asking"}).json() == "WHY"
    assert exported().spans[0].name == "generate"
    assert len(exported().spans) == 1


def test_routes_have_names_parameters_and_mounts(exported: Exported, ask: Ask, clock: ManualClock) -> None:
    ask("/chats/7/ask", routes={"/chats/{chat}/ask": "chat"})
    outer, inner = FastAPI(), application(clock)
    inner.add_middleware(AnswerMiddleware, routes={"/ask": "mounted"})
    outer.mount("/v1", inner)
    TestClient(outer).get("/v1/ask?question=why")
    assert exported().one("chat").attributes[names.INPUT_VALUE] == "7"
    assert exported().one("mounted").attributes[names.INPUT_VALUE] == "why"


def test_a_function_may_choose(exported: Exported, ask: Ask) -> None:
    ask("/ask?question=why", routes=lambda scope: "chosen" if scope["method"] == "GET" else None)
    assert exported().one("chosen").attributes[names.INPUT_VALUE] == "why"


@pytest.mark.parametrize("routes", ["/ask", {"ask"}, {3}, {"": "x"}])
def test_routes_that_are_none_are_refused_at_once(routes: Any) -> None:
    with pytest.raises(ValueError, match="routes: got"):
        AnswerMiddleware(application(ManualClock()), routes)


def test_session_and_user_are_read_from_the_request(exported: Exported, ask: Ask) -> None:
    headers = [("X-Session", "s-1"), ("X-Session", "s-2"), ("Cookie", "a=b; user=u-7")]
    ask("/ask?question=why", headers=headers, session_id=header("x-session"), user_id=cookie("user"))
    answer = exported().one("ask")
    assert (answer.attributes[names.SESSION_ID], answer.attributes[names.USER_ID]) == ("s-1", "u-7")


def test_path_parameters_are_there_when_the_session_is_read(exported: Exported, ask: Ask) -> None:
    def session(scope: Any) -> str:
        return str(scope["path_params"]["chat"])

    ask("/chats/7/ask", routes={"/chats/{id}/ask"}, session_id=session)
    assert exported().spans[0].attributes[names.SESSION_ID] == "7"


def test_what_the_user_hands_in_may_fail(lenient: None, exported: Exported, ask: Ask) -> None:
    def broken(scope: Any) -> str:
        raise KeyError("nothing here")

    def number(scope: Any) -> Any:
        return 3

    assert ask("/ask?question=why", session_id=broken, user_id=number).json() == "WHY"
    answer = exported().one("ask")
    assert names.SESSION_ID not in answer.attributes
    assert answer.dropped_attributes == 1
    assert ask("/ask?question=why", routes=broken).json() == "WHY"
    assert len(exported().named("ask")) == 1


@pytest.mark.parametrize("hostile", [b"\xff\xfe", b"a=\x00; user", b"=;;=;user=\xe9", b"user=" + b"x" * 5000])
def test_hostile_headers_hurt_nobody(exported: Exported, ask: Ask, hostile: bytes) -> None:
    headers = [(b"cookie", hostile), (b"traceparent", hostile), (b"x-session", hostile)]
    asked = ask("/ask?question=why", headers=headers, session_id=header("X-Session"), user_id=cookie("user"))
    assert asked.json() == "WHY"
    assert exported().one("ask").parent_id == ""


@pytest.mark.parametrize(
    ("headers", "trace_id"),
    [
        ([("traceparent", PARENT)], TRACE_ID),
        ([("traceparent", PARENT), ("traceparent", PARENT)], None),
        ([("traceparent", f"00-{'0' * 32}-b7ad6b7169203331-01")], None),
        ([], None),
    ],
    ids=["one", "two", "zero", "none"],
)
def test_the_answer_continues_the_callers_trace(
    exported: Exported, ask: Ask, headers: list[tuple[str, str]], trace_id: str | None
) -> None:
    ask("/ask?question=why", headers=headers)
    answer = exported().one("ask")
    assert (answer.trace_id == TRACE_ID) == (trace_id is not None)
    assert (answer.parent_id, answer.flags & 1) == (("b7ad6b7169203331", 1) if trace_id else ("", 0))
