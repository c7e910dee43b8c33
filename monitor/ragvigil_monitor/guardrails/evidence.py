"""What stands behind an alert: since when, which slices, which traces, which releases."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from ragvigil_monitor.guardrails.finding import Attribution, Beyond, Finding, HoursBeyond
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.incident import Incident
from ragvigil_monitor.guardrails.models import Candidate, Evidence, SliceShare
from ragvigil_monitor.guardrails.verdict import Verdict
from ragvigil_monitor.signals.signal import Window
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
    """The first full hour of the change, and an interval of at least 80 % for its beginning; all None when undecided.

    The hour before may have been half in it, so the interval begins an hour before the earliest first full hour.
    """

    at: datetime | None = None
    earliest: datetime | None = None
    latest: datetime | None = None


def onset_times(store: Store, guardrail: Guardrail[Any], incident: Incident, finding: Finding) -> OnsetTimes:
    """Since when more observations lie beyond the limit, from hourly counts around the opening of the alert."""
    start = incident.opened_at - SEARCHED_BEFORE
    end = min(incident.last_breach_at, incident.opened_at + SHARPENED_FOR)
    counts = _by_hour(store, guardrail, finding, start, end)
    found = None if counts is None else onset(counts.beyond, counts.totals)
    if found is None:
        return OnsetTimes()
    return OnsetTimes(
        start + found.at * _HOUR, start + (found.earliest - 1) * _HOUR, start + (found.latest + 1) * _HOUR
    )


def _by_hour(
    store: Store, guardrail: Guardrail[Any], finding: Finding, start: datetime, end: datetime
) -> HoursBeyond | None:
    if finding.investigation is not None:
        return finding.investigation.by_hour(store, start, end)
    beyond = finding.beyond
    if beyond is None:
        return None
    counted = store.columns(
        "over_limit_by_hour",
        signal=guardrail.signal.name,
        series=finding.series,
        window_start=start,
        window_end=end,
        limit=beyond.limit,
        below=beyond.below,
    )
    hours = int((end - start) / _HOUR)
    over, totals = np.zeros(hours + 1), np.zeros(hours + 1)
    over[counted["hour"]], totals[counted["hour"]] = counted["over_limit"], counted["n"]
    return HoursBeyond(over, totals)


def evidence(
    store: Store,
    guardrail: Guardrail[Any],
    verdict: Verdict,
    since: OnsetTimes,
    attribution: Attribution | None = None,
) -> Evidence:
    """Everything that a person wants to see beside the sentence."""
    finding = verdict.finding
    return Evidence(
        window_start=finding.window.start,
        window_end=finding.window.end,
        value=finding.estimate.value,
        lower=finding.estimate.lower,
        upper=finding.estimate.upper,
        alarm_lower=finding.estimate.alarm_lower,
        alarm_upper=finding.estimate.alarm_upper,
        limit=finding.crossed,
        expected=None if finding.limits is None else finding.limits.expected,
        unit=guardrail.signal.unit,
        n=finding.estimate.n,
        missing=finding.estimate.missing,
        releases=_releases(store, finding.window, since),
        also_in_breach=list(verdict.also_in_breach),
        **_parts(store, guardrail, finding, attribution),
    )


def _parts(
    store: Store, guardrail: Guardrail[Any], finding: Finding, attribution: Attribution | None
) -> dict[str, Any]:
    if attribution is not None:
        return {"slices": attribution.slices, "trace_ids": attribution.trace_ids}
    return _observations(store, guardrail, finding)


def _observations(store: Store, guardrail: Guardrail[Any], finding: Finding) -> dict[str, Any]:
    beyond = finding.beyond
    if beyond is None:
        return {"slices": [], "trace_ids": []}
    observed: dict[str, Any] = {
        "signal": guardrail.signal.name,
        "series": finding.series,
        "window_start": finding.window.start,
        "window_end": finding.window.end,
        "limit": beyond.limit,
        "below": beyond.below,
    }
    worst = store.rows("worst_over_limit", most=MOST_TRACES, **observed)
    return {"slices": _slices(store, beyond, observed), "trace_ids": [row["trace_id"] for row in worst]}


def _slices(store: Store, beyond: Beyond, observed: dict[str, Any]) -> list[SliceShare]:
    asked = {**observed, "tolerated": beyond.tolerated, "most": MOST_SLICES}
    if beyond.history_start is None:
        rows = store.rows("slices_over_limit", **asked)
    else:
        rows = store.rows("slices_unlike_history", history_start=beyond.history_start, **asked)
    return [
        SliceShare(
            name=row["name"],
            value=row["slice"],
            n=row["n"],
            estimate=_slice_estimate(row, beyond.quantile),
            excess=row["excess"],
        )
        for row in rows
    ]


def _slice_estimate(row: Row, quantile: float | None) -> float:
    return float(row["mean"] if quantile is None else row["quantiles"][_QUANTILES.index(quantile)])


def _releases(store: Store, window: Window, since: OnsetTimes) -> list[Candidate]:
    earliest = (since.earliest or window.start) - RELEASE_BEFORE
    latest = min((since.latest or window.end) + RELEASE_AFTER, window.end)
    return [Candidate(**row) for row in store.rows("releases_between", earliest=earliest, latest=latest)]
