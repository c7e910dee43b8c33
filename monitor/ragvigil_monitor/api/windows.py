"""The time range of a question, checked and bounded."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import HTTPException
from pydantic import AwareDatetime, Field

from ragvigil_monitor.api.auth import ServiceDep

Moment = Annotated[AwareDatetime, Field(ge=datetime(1970, 1, 2, tzinfo=UTC), le=datetime(2200, 1, 1, tzinfo=UTC))]
"""A time with its zone, inside the years that a store can hold."""


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` up to, but without, `end`; both aware."""

    start: datetime
    end: datetime


def time_range(usual: timedelta, longest: timedelta) -> Callable[..., TimeRange]:
    """A dependency that reads `start` and `end`: the last `usual` by default, 422 over `longest` or backwards."""

    def read(service: ServiceDep, start: Moment | None = None, end: Moment | None = None) -> TimeRange:
        upto = end or (service.clock() if start is None else min(start + longest, service.clock()))
        since = start or upto - usual
        if since >= upto:
            raise HTTPException(422, f"start must lie before end; got {since.isoformat()} and {upto.isoformat()}.")
        if upto - since > longest:
            raise HTTPException(422, f"start and end may lie at most {longest.days} days apart.")
        return TimeRange(since, upto)

    return read
