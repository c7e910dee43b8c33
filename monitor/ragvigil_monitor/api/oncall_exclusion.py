"""What the relevance review says: how often filters keep the evidence out, and at which stage evidence is lost."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.exclusion_models import (
    ExclusionSeries,
    FalseExclusionRates,
    Losses,
    SliceLosses,
    StageLoss,
)
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.review.evidence_path import OUTCOMES
from ragvigil_monitor.review.false_exclusion import ALL, NOTHING_DRAWN, SERIES, ExclusionRate, exclusion_rates
from ragvigil_monitor.settings import FalseExclusion
from ragvigil_monitor.statistics.hajek import RateEstimate
from ragvigil_monitor.statistics.review_size import more_reviews
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

router = APIRouter(prefix="/review")

Days = Annotated[int, Query(ge=1, le=90, description="Length of the window, in days; it ends now.")]
_MOST_SLICES = 30


@router.get("/false-exclusion")
def false_exclusion(
    service: ServiceDep,
    days: Days = 28,
    level: Annotated[float, Query(ge=0.5, le=0.9999, description="Of the two-sided interval.")] = 0.95,
) -> FalseExclusionRates:
    """Both rates, each with its interval, its limit, and what could not be judged."""
    now = service.clock()
    start = now - timedelta(days=days)
    found = exclusion_rates(service.store, start, now, now=now, level=level)
    section = service.settings.guardrails.false_exclusion
    every = found.get(ALL, NOTHING_DRAWN)
    depths, others = every.depths or (None, None), every.unfiltered_depths or (None, None)
    return FalseExclusionRates(
        start=start,
        end=now,
        level=level,
        rates=[_series(section, series, found.get(series, NOTHING_DRAWN)) for series in SERIES],
        unknown=dict(every.unknown),
        not_drawn=_not_drawn(service.store, start, now),
        depth=depths[0],
        deepest=depths[1],
        unfiltered_depth=others[0],
        unfiltered_deepest=others[1],
    )


@router.get("/losses")
def losses(service: ServiceDep, days: Days = 28) -> Losses:
    """How many reviewed retrievals lost their evidence at which stage, in all and in the slices that lost most."""
    now = service.clock()
    window = {"start": now - timedelta(days=days), "end": now}
    rows = service.store.rows("losses_by_stage", **window)
    sliced = service.store.rows("losses_by_slice", **window, most=_MOST_SLICES)
    return Losses(
        **window,
        **_counted(rows),
        slices=[
            SliceLosses(name=name, value=value, **_counted(list(own)))
            for (name, value), own in groupby(sliced, key=lambda row: (row["name"], row["value"]))
        ],
    )


def _not_drawn(store: Store, start: datetime, end: datetime) -> dict[str, int]:
    rows = store.rows("retrievals_by_standing", start=start, end=end)
    return {row["standing"]: row["n"] for row in rows if row["n"] and not row["is_stratum"]}


def _series(section: FalseExclusion, series: str, rate: ExclusionRate) -> ExclusionSeries:
    limit = section.limit_of.get(series)
    held_up = limit is not None and rate.held_up_by_unknown(limit, alarm=False)
    return ExclusionSeries(
        series=series,
        **asdict(rate.rate),
        drawn=rate.drawn,
        waiting=rate.waiting,
        unknown=dict(rate.unknown),
        unrepresented=rate.unrepresented,
        limit=limit,
        limit_is_starting_value=limit is not None and section.is_starting_value("limits"),
        verdict=_verdict(rate.rate, limit),
        more_reviews=None if limit is None or held_up else more_reviews(rate.rate, limit),
        held_up_by_unknown=held_up,
    )


def _verdict(estimate: RateEstimate, limit: float | None) -> State:
    """On which side of the limit the interval lies."""
    if estimate.lower is None or estimate.upper is None:
        return State.NO_DATA
    if limit is None:
        return State.UNGUARDED
    if estimate.lower > limit:
        return State.BREACH
    return State.OK if estimate.upper <= limit else State.INCONCLUSIVE


def _counted(rows: Iterable[Row]) -> dict[str, object]:
    """Counts by stage, those that lost nothing too, in the order of the stages."""
    counts = {row["stage"]: row["n"] for row in rows}
    return {
        "n": sum(counts.values()),
        "unknown": counts.get(None, 0),
        "stages": [StageLoss(stage=stage, n=counts.get(stage, 0)) for stage in OUTCOMES],
    }
