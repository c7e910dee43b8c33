"""The HTTP application: telemetry in, answers out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from ragvigil_monitor.api import admin, backup, health, metrics, oncall, review, transfer
from ragvigil_monitor.api.problems import answer_errors_as_problems
from ragvigil_monitor.receiver import routes as telemetry
from ragvigil_monitor.receiver.intake import Intake
from ragvigil_monitor.service import Service


def create_app(service: Service) -> FastAPI:
    """The application of a service, with every route."""
    app = FastAPI(title="Ragvigil", version=version("ragvigil"), lifespan=_lifespan)
    app.state.service = service
    server = service.settings.server
    intake = app.state.intake = Intake(server.max_waiting_requests, server.max_waiting_bytes)
    service.metrics.requests_inside.set_function(lambda: intake.requests_inside)
    service.metrics.bytes_inside.set_function(lambda: intake.bytes_inside)
    answer_errors_as_problems(app)
    for part in (telemetry, health, metrics, oncall, review, admin, transfer, backup):
        app.include_router(part.router)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    try:
        yield
    finally:
        app.state.intake.close()
