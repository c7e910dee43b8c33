"""How complete the telemetry is, and what became of everything received."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from ragvigil.attributes import DOCTOR_SERVICE
from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.models import Completeness, CompletenessHour, IngestCount, PhoenixAnnotations, PhoenixState
from ragvigil_monitor.hour_sums import HOUR, summed_until
from ragvigil_monitor.phoenix.annotating import annotation_counts
from ragvigil_monitor.phoenix.counting import total_counts
from ragvigil_monitor.retention import oldest_spans, removes_spans_within
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

router = APIRouter()

_LOOKED_BACK = timedelta(days=90)
_MOST_PROCESSES = 200
_MOST_HOURS = 14 * 24
_MOST_HOUR_ROWS = 2000
_REPORTS_LOOKED_BACK = timedelta(days=7)
_LONGEST_SILENCE = timedelta(hours=2)
"""After a longer silence a process's counters tell of many hours together, and of none alone."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@router.get("/completeness")
def completeness(service: ServiceDep) -> list[Completeness]:
    """Every process that was heard of in the last 90 days, the latest first, at most 200."""
    since = service.clock() - _LOOKED_BACK
    rows = processes(
        service.store, since=since, spans_since=_spans_since(service), doctor=DOCTOR_SERVICE, limit=_MOST_PROCESSES
    )
    return [Completeness(**row) for row in rows]


@router.get("/completeness/hours")
def completeness_hours(
    service: ServiceDep, hours: Annotated[int, Query(ge=1, le=_MOST_HOURS)] = 24
) -> list[CompletenessHour]:
    """Every service by hour, the latest first, at most 2,000; only hours of which no spans were removed for age."""
    now = service.clock()
    since = max(now - timedelta(hours=hours - 1), oldest_spans(service, now) or _EPOCH)
    this_hour = since.replace(minute=0, second=0, microsecond=0)
    asked = {"doctor": DOCTOR_SERVICE, "longest_silence": _LONGEST_SILENCE, "limit": _MOST_HOUR_ROWS}
    reports_since = this_hour - _REPORTS_LOOKED_BACK
    rows = service.store.rows("completeness_by_hour", since=this_hour, reports_since=reports_since, **asked)
    return [CompletenessHour(**row) for row in rows]


def processes(store: Store, *, since: datetime, spans_since: datetime, doctor: str, limit: int) -> list[Row]:
    """What each process reported since a time, and what is stored of it; spans of the service `doctor` do not count."""
    asked = {"since": since, "spans_since": spans_since, "doctor": doctor, "limit": limit}
    return store.rows("completeness_by_process", **_read_again(store, spans_since), **asked)


def _read_again(store: Store, spans_since: datetime) -> dict[str, object]:
    """What is to be read span by span: everything since hours were last passed, and single hours before.

    Asked in this order: an hour that is passed in between is read as one of those since.
    """
    until = summed_until(store)
    hours = [row["hour"] for row in store.rows("arrivals_to_read", spans_since=spans_since)]
    return {
        "summed_until": until,
        "read_again": [hour.replace(tzinfo=None) for hour in hours],
        "read_from": min(hours, default=_EPOCH),
        "read_to": max(hours, default=_EPOCH - HOUR) + HOUR,
    }


def _spans_since(service: Service) -> datetime:
    """Back to where spans are looked for: to the first, unless older ones are counted as removed."""
    return service.clock() - _LOOKED_BACK if removes_spans_within(service, _LOOKED_BACK) else _EPOCH


@router.get("/ingest")
def ingest(service: ServiceDep) -> list[IngestCount]:
    """What became of received items since the store was made."""
    return [IngestCount(**row) for row in service.store.rows("ingest_totals")]


@router.get("/phoenix")
def phoenix(service: ServiceDep) -> PhoenixState | None:
    """What became of the spans and annotations for Phoenix; null where no Phoenix is configured."""
    forwarder, settings = service.forwarder, service.settings.phoenix
    if forwarder is None or settings.url is None:
        return None
    trouble = forwarder.trouble()
    return PhoenixState(
        url=settings.public_url or settings.url,
        share=settings.share,
        **asdict(total_counts(service.store, forwarder)),
        failing_since=trouble.since if trouble else None,
        error=trouble.reason if trouble else None,
        annotations=PhoenixAnnotations(**asdict(annotation_counts(service.store, service.clock()))),
    )
