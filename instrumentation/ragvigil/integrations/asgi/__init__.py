"""For FastAPI, Starlette and every other ASGI application: answers by route, and an endpoint for feedback."""

from ragvigil.integrations.asgi.feedback import FeedbackApp, feedback_app
from ragvigil.integrations.asgi.headers import cookie, header
from ragvigil.integrations.asgi.middleware import TOKEN_HEADER, AnswerMiddleware

__all__ = ["TOKEN_HEADER", "AnswerMiddleware", "FeedbackApp", "cookie", "feedback_app", "header"]
