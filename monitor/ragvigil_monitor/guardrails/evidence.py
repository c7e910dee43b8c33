"""What stands behind an alert: which slices, which traces, which releases, and what that says of its origin."""

from dataclasses import asdict
from typing import Any

from ragvigil_monitor.guardrails.finding import Attribution, Beyond, Finding
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.hours_beyond import worst_traces
from ragvigil_monitor.guardrails.models import ChangeSplit, Evidence, SliceShare
from ragvigil_monitor.guardrails.onset_dating import OnsetTimes
from ragvigil_monitor.guardrails.triage import triaged
from ragvigil_monitor.guardrails.verdict import Verdict
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

MOST_TRACES = 10
MOST_SLICES = 10
_QUANTILES = (0.5, 0.95, 0.99)


def evidence(
    store: Store,
    guardrail: Guardrail[Any],
    verdict: Verdict,
    since: OnsetTimes,
    attribution: Attribution | None = None,
) -> Evidence:
    """Everything that a person wants to see beside the sentence."""
    finding = verdict.finding
    near, suspicion = triaged(store, guardrail.name, finding.window, since.dated)
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
        releases=near,
        triage=suspicion,
        split=_split(finding),
        slices_among=None if finding.beyond is None else finding.beyond.among,
        also_in_breach=list(verdict.also_in_breach),
        **_parts(store, guardrail, finding, attribution),
    )


def _split(finding: Finding) -> ChangeSplit | None:
    found = None if finding.split is None else finding.split()
    return None if found is None else ChangeSplit(name="intent", **asdict(found))


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
    worst = worst_traces(store, observed, beyond, most=MOST_TRACES)
    return {"slices": _slices(store, beyond, observed), "trace_ids": worst}


def _slices(store: Store, beyond: Beyond, observed: dict[str, Any]) -> list[SliceShare]:
    asked = {**observed, "tolerated": beyond.tolerated, "most": MOST_SLICES}
    if beyond.history_start is None:
        rows = store.rows("slices_over_limit", **asked)
    else:
        del asked["limit"]  # what was counted either happened or not
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
