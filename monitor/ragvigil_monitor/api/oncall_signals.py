"""Signals over time, their limits, and the releases that lie beside them."""

import math
from collections.abc import Iterable
from datetime import timedelta
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.models import Release, Series, SeriesPoint, SignalInfo
from ragvigil_monitor.api.windows import TimeRange, time_range
from ragvigil_monitor.service import Service
from ragvigil_monitor.store.database import Row

router = APIRouter()

_KNOWN_FOR = timedelta(days=90)
_PointsRange = Annotated[TimeRange, Depends(time_range(timedelta(days=7), timedelta(days=92)))]


@router.get("/signals")
def list_signals(service: ServiceDep) -> list[SignalInfo]:
    """Every signal that was estimated in the last 90 days."""
    return _known_signals(service)


@router.get("/signals/{signal}/points")
def signal_points(
    service: ServiceDep,
    signal: str,
    within: _PointsRange,
    series: str | None = None,
    window_s: Annotated[int | None, Query(ge=1, le=10**9)] = None,
    max_points: Annotated[int, Query(ge=1, le=5000)] = 500,
) -> list[Series]:
    """The looks of a signal, at most `max_points` a series.

    Where there are more, the time range is cut into equal buckets and each keeps the look that a person must see:
    a breach first, then missing evidence, then the largest value.
    """
    _check_known(signal, series, _known_signals(service))
    seconds = (within.end - within.start).total_seconds()
    rows = service.store.rows(
        "signal_points",
        signal=signal,
        series=series,
        window_s=window_s,
        start=within.start,
        end=within.end,
        bucket_s=max(1, math.ceil(seconds / max_points)),
    )
    return [_series(signal, list(points)) for _, points in groupby(rows, key=_line)]


@router.get("/releases")
def list_releases(service: ServiceDep, limit: Annotated[int, Query(ge=1, le=500)] = 100) -> list[Release]:
    """The releases that were first seen most recently."""
    return [Release(**row) for row in service.store.rows("releases_newest", limit=limit)]


def _known_signals(service: Service) -> list[SignalInfo]:
    since = service.clock() - _KNOWN_FOR
    return [SignalInfo(**row) for row in service.store.rows("signals_known", since=since)]


def _check_known(signal: str, series: str | None, known: list[SignalInfo]) -> None:
    by_name = {info.signal: info for info in known}
    if signal not in by_name:
        raise HTTPException(404, f"There is no signal {signal[:80]!r}; there are: {_listed(by_name)}.")
    if series is not None and series not in by_name[signal].series:
        raise HTTPException(404, f"{signal} has no series {series[:80]!r}; it has: {_listed(by_name[signal].series)}.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none yet"


def _line(row: Row) -> tuple[str, int]:
    return (row["series"], row["window_s"])


def _series(signal: str, rows: list[Row]) -> Series:
    first = rows[0]
    points = [SeriesPoint(**{name: row[name] for name in SeriesPoint.model_fields}) for row in rows]
    return Series(signal=signal, series=first["series"], window_s=first["window_s"], unit=first["unit"], points=points)
