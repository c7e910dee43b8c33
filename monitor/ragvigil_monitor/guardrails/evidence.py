"""What stands behind an alert: since when, which slices, which traces, which releases."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.incident import Incident
from ragvigil_monitor.guardrails.models import Candidate, Evidence, SliceShare
from ragvigil_monitor.guardrails.verdict import Verdict
from ragvigil_monitor.statistics.onset import onset
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

SEARCHED_BEFORE = timedelta(hours=120)
"""How far before the alert its onset is looked for."""
SHARPENED_FOR = timedelta(hours=24)
"""How long after the opening later data may still move the onset."""
RELEASE_BEFORE = timedelta(hours=2)
RELEASE_AFTER = timedelta(hours=1)
"""A release is a candidate if it was first seen at most this long before or after the onset interval."""
MOST_TRACES = 10
MOST_SLICES = 10
_HOUR = timedelta(hours=1)
_QUANTILES = (0.5, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class OnsetTimes:
    """The first full hour of the rise, and an interval of at least 80 % for its beginning; all None when undecided.

    The hour before may have been half in it, so the interval begins an hour before the earliest first full hour.
    """

    at: datetime | None = None
    earliest: datetime | None = None
    latest: datetime | None = None


def onset_times(store: Store, guardrail: Guardrail, incident: Incident, limit: float) -> OnsetTimes:
    """Since when more observations lie above the limit, from hourly counts around the opening of the alert."""
    start = incident.opened_at - SEARCHED_BEFORE
    end = min(incident.last_breach_at, incident.opened_at + SHARPENED_FOR)
    counted = store.columns(
        "over_limit_by_hour",
        signal=guardrail.signal.name,
        series=incident.series,
        window_start=start,
        window_end=end,
        limit=limit,
    )
    hours = int((end - start) / _HOUR)
    over, totals = np.zeros(hours + 1), np.zeros(hours + 1)
    over[counted["hour"]], totals[counted["hour"]] = counted["over_limit"], counted["n"]
    found = onset(over, totals)
    if found is None:
        return OnsetTimes()
    return OnsetTimes(
        start + found.at * _HOUR, start + (found.earliest - 1) * _HOUR, start + (found.latest + 1) * _HOUR
    )


def evidence(store: Store, guardrail: Guardrail, verdict: Verdict, since: OnsetTimes) -> Evidence:
    """Everything that a person wants to see beside the sentence."""
    observed: dict[str, Any] = {
        "signal": guardrail.signal.name,
        "series": verdict.series,
        "window_start": verdict.window.start,
        "window_end": verdict.window.end,
        "limit": verdict.limit,
    }
    return Evidence(
        window_start=verdict.window.start,
        window_end=verdict.window.end,
        value=verdict.estimate.value,
        lower=verdict.estimate.lower,
        upper=verdict.estimate.upper,
        alarm_lower=verdict.estimate.alarm_lower,
        limit=verdict.limit,
        unit=guardrail.signal.unit,
        n=verdict.estimate.n,
        missing=verdict.estimate.missing,
        slices=_slices(store, guardrail.signal.quantile_of(verdict.series), observed),
        trace_ids=[row["trace_id"] for row in store.rows("worst_over_limit", most=MOST_TRACES, **observed)],
        releases=_releases(store, verdict, since),
        also_in_breach=list(verdict.also_in_breach),
    )


def _slices(store: Store, quantile: float | None, observed: dict[str, Any]) -> list[SliceShare]:
    tolerated = None if quantile is None else 1 - quantile
    rows = store.rows("slices_over_limit", tolerated=tolerated, most=MOST_SLICES, **observed)
    return [
        SliceShare(
            name=row["name"],
            value=row["slice"],
            n=row["n"],
            estimate=_slice_estimate(row, quantile),
            excess=row["excess"],
        )
        for row in rows
    ]


def _slice_estimate(row: Row, quantile: float | None) -> float:
    return float(row["mean"] if quantile is None else row["quantiles"][_QUANTILES.index(quantile)])


def _releases(store: Store, verdict: Verdict, since: OnsetTimes) -> list[Candidate]:
    earliest = (since.earliest or verdict.window.start) - RELEASE_BEFORE
    latest = min((since.latest or verdict.window.end) + RELEASE_AFTER, verdict.window.end)
    return [Candidate(**row) for row in store.rows("releases_between", earliest=earliest, latest=latest)]
