"""A FastAPI app behind gunicorn: the middleware opens its answers, another route takes feedback.

Recording is configured, and begins, when the module is imported: with `--preload` that is before the workers fork.
"""

import asyncio
import os
from collections.abc import AsyncIterator

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from starlette.middleware.base import RequestResponseEndpoint
from starlette.routing import Route

import ragvigil
from ragvigil.integrations.asgi import AnswerMiddleware, feedback_app, header

ragvigil.configure(service_name="chat", service_version="2.0", secret_key=b"secret of the chat")
app = FastAPI(routes=[Route("/feedback", feedback_app())])
app.add_middleware(AnswerMiddleware, routes={"/ask", "/stream", "/endless"}, session_id=header("x-session"))


@ragvigil.retriever(query="query")
def search(query: str) -> list[str]:
    """Find documents."""
    return [f"{query}-1", f"{query}-2"]


@app.middleware("http")
async def name_the_worker(request: Request, call_next: RequestResponseEndpoint) -> Response:
    """Tell which process answered."""
    response = await call_next(request)
    response.headers["x-pid"] = str(os.getpid())
    return response


@app.get("/ask")
async def ask(question: str) -> dict[str, str]:
    """A plain answer."""
    await asyncio.sleep(0.02)
    text = f"Read {search(question)[0]}"
    ragvigil.current_answer().set(question=question, answer=text)
    return {"answer": text}


@app.get("/stream")
async def stream(question: str) -> StreamingResponse:
    """The same, word by word."""
    return StreamingResponse(_words(question), media_type="text/plain")


@ragvigil.pipeline
async def _words(question: str) -> AsyncIterator[str]:
    with ragvigil.stage("generate"):
        for document in search(question):
            await asyncio.sleep(0.01)
            yield f"{document} "


@app.get("/endless")
async def endless(question: str) -> StreamingResponse:
    """An answer that never ends by itself."""
    return StreamingResponse(_endless(question), media_type="text/plain")


async def _endless(question: str) -> AsyncIterator[str]:
    ragvigil.current_answer().set(question=question)
    while True:
        yield "word "
        await asyncio.sleep(0.01)


with ragvigil.pipeline("warm-up") as warm_up:
    warm_up.set(question="warm-up", answer="ready")
ragvigil.flush()
