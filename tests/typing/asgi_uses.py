"""Typical uses of the ASGI integration and the diagnosis, read by the type checker only."""

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount, Route

import ragvigil
from ragvigil.integrations.asgi import AnswerMiddleware, cookie, feedback_app, header


def fastapi() -> FastAPI:
    app = FastAPI(routes=[Route("/feedback", feedback_app())])
    app.add_middleware(AnswerMiddleware, routes={"/ask"}, session_id=header("x-session-id"), user_id=cookie("user"))
    app.add_middleware(AnswerMiddleware, routes={"/ask": "ask", "/chats/{id}/ask": "chat"}, token_header=None)
    app.add_middleware(AnswerMiddleware, routes=lambda scope: "ask" if scope["path"] == "/ask" else None)
    app.mount("/reactions", feedback_app(max_body_bytes=4096))
    return app


def starlette() -> Starlette:
    return Starlette(
        routes=[Mount("/reactions", feedback_app())], middleware=[Middleware(AnswerMiddleware, routes=["/ask"])]
    )


def wrapped() -> AnswerMiddleware:
    return AnswerMiddleware(starlette(), {"/ask"}, session_id=lambda scope: scope["path_params"]["id"])


def unhealthy() -> list[str]:
    return [f"{found.check}: {found.advice}" for found in ragvigil.diagnosis() if found.verdict == "problem"]
