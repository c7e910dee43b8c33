"""Routes for whoever watches the watcher, and for whoever asks what a key may do."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from ragvigil.attributes import SERVER_HEADER
from ragvigil_monitor.api.auth import ServiceDep, require
from ragvigil_monitor.api.models import WhoAmI
from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.keys import Role
from ragvigil_monitor.store.disk import UNWRITABLE

router = APIRouter(tags=["service"])


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz")
async def healthz(response: Response) -> dict[str, str]:
    """The process runs; a header says that it is Ragvigil's, since other servers know this path too."""
    response.headers[SERVER_HEADER] = "monitor"
    return {"status": "ok"}


@router.head("/readyz", include_in_schema=False)
@router.get("/readyz")
def readyz(request: Request, service: ServiceDep) -> dict[str, str]:
    """Telemetry is taken; 503, with the reason, when the store takes no writes or too many requests wait."""
    if request.app.state.intake.is_full:
        raise StoreUnavailable("As many requests wait to be stored as may; senders are asked to come again.")
    for trouble in service.store.disk.troubles(service.clock()):
        if trouble.part == UNWRITABLE:
            raise StoreUnavailable(trouble.detail)
    with service.store.transaction() as writer:
        writer.execute("is_writable")
    return {"status": "ready"}


@router.get("/api/v1/whoami")
def whoami(role: Annotated[Role, Depends(require(*Role))]) -> WhoAmI:
    """The role of the presented key."""
    return WhoAmI(role=role)
