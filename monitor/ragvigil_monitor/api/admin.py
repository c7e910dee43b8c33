"""What only the owner of the service may do."""

from fastapi import APIRouter, Depends, HTTPException
from pydantic import AwareDatetime

from ragvigil_monitor.api.auth import ServiceDep, require
from ragvigil_monitor.api.models import ApiModel, Ran
from ragvigil_monitor.keys import Role
from ragvigil_monitor.schedule import run_due

router = APIRouter(prefix="/api/v1/admin", dependencies=[Depends(require(Role.ADMIN))], tags=["admin"])


class RunDue(ApiModel):
    """Body of run-due: up to when; None is the present."""

    now: AwareDatetime | None = None


@router.post("/run-due")
def run_due_jobs(body: RunDue, service: ServiceDep) -> Ran:
    """Run what is due at `now` and answer how many looks each job took; a `now` in the future is refused."""
    present = service.clock()
    now = body.now or present
    if now > present:
        raise HTTPException(422, f"now={now.isoformat()} is in the future; it is {present.isoformat()} here.")
    if service.settings.schedule.tick_s == 0:
        service.replay.at = body.now
    return Ran(now=now, jobs=run_due(service, now))
