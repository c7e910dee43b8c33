"""A snapshot of the store, for `ragvigil backup`."""

from typing import IO, Any

from fastapi import APIRouter, Depends
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from ragvigil_monitor.api.auth import ServiceDep, require
from ragvigil_monitor.api.models import Problem
from ragvigil_monitor.backup.serving import chunks, open_snapshot, size_of
from ragvigil_monitor.keys import Role

router = APIRouter(prefix="/api/v1/admin", dependencies=[Depends(require(Role.ADMIN))], tags=["admin"])

_REFUSALS: dict[int | str, dict[str, Any]] = {status: {"model": Problem} for status in (401, 403, 409, 507)}


class SnapshotResponse(StreamingResponse):
    """Sends a snapshot and closes it, whether all of it was wanted or not."""

    def __init__(self, snapshot: IO[bytes]) -> None:
        headers = {"Content-Length": str(size_of(snapshot))}
        super().__init__(chunks(snapshot), media_type="application/octet-stream", headers=headers)
        self._snapshot = snapshot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        with self._snapshot:
            await super().__call__(scope, receive, send)


@router.post("/backup", status_code=200, response_class=SnapshotResponse, responses=_REFUSALS)
def backup(service: ServiceDep) -> SnapshotResponse:
    """Everything that is committed now as one DuckDB file; telemetry is received meanwhile.

    409 while another one is made, 507 where there is no room for the copy.
    """
    return SnapshotResponse(open_snapshot(service))
