"""A FastAPI application whose answers take time by a manual clock."""

from collections.abc import Iterator

from fastapi import BackgroundTasks, FastAPI, HTTPException, WebSocket
from fastapi.responses import StreamingResponse

import ragvigil
from ragvigil.testing import ManualClock


def application(clock: ManualClock) -> FastAPI:  # noqa: C901 - a list of routes
    app = FastAPI()

    @app.get("/ask")
    def ask(question: str, tasks: BackgroundTasks, later: bool = False) -> str:
        clock.advance(1.0)
        ragvigil.current_answer().set(question=question)
        with ragvigil.stage("generate"):
            pass
        if later:
            tasks.add_task(_summarize, clock)
        return question.upper()

    @app.get("/decorated")
    @ragvigil.pipeline("mine", intent="how_to")
    async def decorated(question: str) -> str:
        ragvigil.current_answer().slice("team", "data")
        return question.upper()

    @app.get("/stream")
    def stream(question: str) -> StreamingResponse:
        return StreamingResponse(words(question, clock))

    @app.get("/decorated-stream")
    @ragvigil.pipeline
    def decorated_stream(question: str) -> StreamingResponse:
        return StreamingResponse(words(question, clock))

    @app.get("/fail")
    def fail(kind: str) -> str:
        if kind == "http":
            raise HTTPException(503, "no model")
        if kind == "refused":
            raise HTTPException(403)
        raise ZeroDivisionError("the application's own")

    @app.get("/chats/{chat}/ask")
    def chat(chat: str) -> str:
        ragvigil.current_answer().set(question=chat)
        return chat

    @app.get("/twice")
    def twice() -> list[str]:
        return [shout("one"), shout("two")]

    @app.websocket("/ask")
    async def socket(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(ragvigil.current_answer().id)
        await socket.close()

    return app


@ragvigil.pipeline
def shout(question: str) -> str:
    return question.upper()


def words(question: str, clock: ManualClock) -> Iterator[str]:
    for word in (question, "yes", "no"):
        clock.advance(2.0)
        with ragvigil.stage("generate"):
            yield word
    ragvigil.current_answer().set(question=question, answer="yes no")


def _summarize(clock: ManualClock) -> None:
    clock.advance(60.0)
    with ragvigil.stage("summarize"):
        ragvigil.current_answer().set(answer="too late")
