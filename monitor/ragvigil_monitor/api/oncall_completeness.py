"""How complete the telemetry is, and what became of everything received."""

from datetime import timedelta

from fastapi import APIRouter

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.models import Completeness, IngestCount

router = APIRouter()

_LOOKED_BACK = timedelta(days=90)
_MOST_PROCESSES = 200


@router.get("/completeness")
def completeness(service: ServiceDep) -> list[Completeness]:
    """Every process that was heard of in the last 90 days, the latest first, at most 200."""
    since = service.clock() - _LOOKED_BACK
    rows = service.store.rows("completeness_by_process", since=since, limit=_MOST_PROCESSES)
    return [Completeness(**row) for row in rows]


@router.get("/ingest")
def ingest(service: ServiceDep) -> list[IngestCount]:
    """What became of received items since the store was made."""
    return [IngestCount(**row) for row in service.store.rows("ingest_totals")]
