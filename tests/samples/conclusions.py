"""What the monitor would have concluded from the sample traffic: estimates, states, alerts, counts."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from tests.samples.traffic import INSTANCE, SERVICE

from ragvigil_monitor.api.models import Candidate, Evidence, SliceShare, Triage, TriageVerdict
from ragvigil_monitor.store import Store
from ragvigil_monitor.telemetry_tables import INGEST_COUNTS, PROCESS_COUNTS, to_arrow

Values = dict[str, Any]
LIMITS = {"answer": 1500.0, "rerank": 400.0, "retrieve": 200.0, "generate": None, "embed": None}
USUAL_MS = {"answer": 1150.0, "rerank": 262.0, "retrieve": 78.0, "generate": 1040.0, "embed": 16.0}
USUAL_USD = {"mean": 0.0019, "p50": 0.00188, "p99": 0.0026}
SLOW_ALERT, COST_ALERT, OLD_ALERT = "a" * 32, "c" * 32, "0" * 32


def insert_estimates(store: Store, now: datetime, slow_from: datetime, *, days: int = 28) -> None:
    """Hourly looks over 1 h and 24 h; half a day without data ten days ago."""
    rows = [*_latency_looks(now, slow_from, days), *_cost_looks(now, days)]
    with store.transaction() as writer:
        writer.execute_with("insert_estimates", pa.Table.from_pylist(rows))


def insert_states(store: Store, now: datetime, slow_from: datetime) -> None:
    """One guardrail in breach, one warming up, one inconclusive, the others fine."""
    rows = [
        _state(
            "latency_p95",
            "answer",
            "inconclusive",
            now,
            3,
            "p95 answer latency over the last 1 h: 1480 ms (95 % interval 1390–1620 ms, n = 48), SLO 1500 ms.",
        ),
        _state(
            "latency_p95",
            "rerank",
            "breach",
            now,
            29,
            "p95 rerank latency over the last 1 h: 1046 ms (95 % interval 880–1270 ms, n = 48), SLO 400 ms.",
        ),
        _state(
            "latency_p95",
            "retrieve",
            "ok",
            now,
            400,
            "p95 retrieve latency over the last 24 h: 78.1 ms (95 % interval 71.4–86.9 ms, n = 1200), SLO 200 ms.",
        ),
        _state(
            "cost_per_query",
            "mean",
            "ok",
            now,
            400,
            "mean cost per answer over the last 24 h: 0.0019 USD (95 % interval 0.00187–0.00193 USD, n = 1200), "
            "budget 0.0025 USD.",
        ),
        _state(
            "cost_per_query",
            "p99",
            "breach",
            now,
            52,
            "p99 cost per answer over the last 24 h: 0.0041 USD (95 % interval 0.0038–0.0045 USD, n = 1200), "
            "budget 0.003 USD.",
        ),
    ]
    with store.transaction() as writer:
        writer.execute_with("replace_guardrail_states", pa.Table.from_pylist(rows))


def insert_alerts(store: Store, now: datetime, slow_from: datetime, trace_ids: list[str]) -> None:
    """One firing, one acknowledged, one resolved nine days ago."""
    with store.transaction() as writer:
        for values in (
            _slow_alert(now, slow_from, trace_ids),
            _cost_alert(now, trace_ids),
            {**_slow_alert(now - timedelta(days=9), slow_from - timedelta(days=9), []), "alert_id": OLD_ALERT},
        ):
            writer.execute("upsert_alert", **values)
        resolved_at = now - timedelta(days=8)
        for alert_id, resolved in ((SLOW_ALERT, None), (COST_ALERT, None), (OLD_ALERT, resolved_at)):
            seen = resolved or now
            writer.execute(
                "settle_alert", alert_id=alert_id, last_breach_at=seen, in_control_since=resolved, resolved_at=resolved
            )
        writer.execute(
            "acknowledge_alert",
            alert_id=COST_ALERT,
            by="Mina",
            note="longer prompts since Friday, rolling back",
            now=now - timedelta(hours=20),
        )


def insert_counts(store: Store, now: datetime, spans: int) -> None:
    """One process that reported, and what the receiver counted."""
    process = [INSTANCE, SERVICE, "1.5.0", now.astimezone(UTC).replace(tzinfo=None), spans + 12, spans, 0, 12]
    outcomes = [
        [SERVICE, "spans_committed", spans],
        [SERVICE, "spans_duplicate", 40],
        [SERVICE, "flawed_bad_vector", 3],
        ["intruder", "rejected_bad_id", 2],
    ]
    with store.transaction() as writer:
        writer.execute_with("add_process_counts", to_arrow(PROCESS_COUNTS, [process]))
        writer.execute_with("add_ingest_counts", to_arrow(INGEST_COUNTS, outcomes), received_at=now)


def insert_releases(store: Store, slow_from: datetime) -> None:
    """The release before, and the one that came with the incident."""
    with store.transaction() as writer:
        for version, first in (("1.4.2", timedelta(days=16)), ("1.5.0", timedelta(minutes=20))):
            seen = slow_from - first
            writer.execute("add_marker", kind="release", service=SERVICE, value=version, first_seen_at=seen)


def _latency_looks(now: datetime, slow_from: datetime, days: int) -> Iterator[Values]:
    rng = np.random.default_rng(11)
    for end in _hours(now, days):
        for window_s in (3600, 86400):
            for series, usual in USUAL_MS.items():
                slow = series in {"rerank", "answer"} and end > slow_from
                value = usual * (4.0 if series == "rerank" and slow else 1.28 if slow else 1.0)
                value *= _season(end) * float(rng.normal(1, 0.035 if window_s == 3600 else 0.01))
                yield _look("latency_p95", series, end, window_s, value, LIMITS[series], "ms", now)


def _cost_looks(now: datetime, days: int) -> Iterator[Values]:
    rng = np.random.default_rng(13)
    for end in _hours(now, days):
        for series, usual in USUAL_USD.items():
            rise = 1.6 if series == "p99" and end > now - timedelta(hours=52) else 1.0
            limit = {"mean": 0.0025, "p99": 0.003}.get(series)
            yield _look(
                "cost_per_query", series, end, 86400, usual * rise * float(rng.normal(1, 0.012)), limit, "usd", now
            )


def _look(
    signal: str, series: str, end: datetime, window_s: int, value: float, limit: float | None, unit: str, now: datetime
) -> Values:
    silent = timedelta(days=10) < now - end < timedelta(days=10.5) and window_s == 3600
    half = 0.09 if window_s == 3600 else 0.025
    known = None if silent else value
    return {
        "signal": signal,
        "series": series,
        "window_end": end.astimezone(UTC).replace(tzinfo=None),
        "window_s": window_s,
        "value": known,
        "lower": None if known is None else value * (1 - half),
        "upper": None if known is None else value * (1 + 1.3 * half),
        "alarm_lower": None if known is None else value * (1 - 1.6 * half),
        "limit_value": limit,
        "unit": unit,
        "n": 0 if silent else window_s // 75,
        "missing": 0,
        "state": _judged(known, value * (1 - half), value * (1 + 1.3 * half), limit),
    }


def _judged(value: float | None, lower: float, upper: float, limit: float | None) -> str:
    if limit is None:
        return "unguarded"
    if value is None:
        return "no_data"
    return "breach" if lower > limit else "ok" if upper <= limit else "inconclusive"


def _hours(now: datetime, days: int) -> Iterator[datetime]:
    newest = now.replace(minute=0, second=0, microsecond=0)
    return (newest - timedelta(hours=hours) for hours in reversed(range(days * 24)))


def _season(moment: datetime) -> float:
    return 1 + 0.06 * math.sin(moment.hour / 24 * 2 * math.pi)


def _state(guardrail: str, series: str, state: str, now: datetime, hours: int, sentence: str) -> Values:
    judged = now.astimezone(UTC).replace(tzinfo=None)
    return {
        "guardrail": guardrail,
        "series": series,
        "state": state,
        "since": judged - timedelta(hours=hours),
        "evaluated_at": judged,
        "sentence": sentence,
    }


def _slow_alert(now: datetime, slow_from: datetime, trace_ids: list[str]) -> Values:
    behind = Evidence(
        window_start=now - timedelta(hours=1),
        window_end=now,
        value=1046.0,
        lower=880.0,
        upper=1270.0,
        alarm_lower=790.0,
        limit=400.0,
        unit="ms",
        n=48,
        missing=0,
        slices=[
            SliceShare(name="service_version", value="1.5.0", n=48, estimate=1046.0, excess=40.1),
            SliceShare(name="intent", value="how_to", n=17, estimate=1121.0, excess=15.2),
            SliceShare(name="team", value="web", n=26, estimate=1009.0, excess=21.4),
        ],
        trace_ids=trace_ids,
        releases=[
            Candidate(
                service=SERVICE,
                value="1.5.0",
                first_seen_at=slow_from - timedelta(minutes=20),
                bayes_factor=212.0,
            )
        ],
        triage=Triage(
            verdict=TriageVerdict.REGRESSION_SUSPECTED,
            sentence="Regression suspected: release shop 1.5.0 lies at the onset.",
            searched_from=slow_from - timedelta(hours=3),
            searched_until=slow_from + timedelta(hours=2),
        ),
    )
    return _alert(
        SLOW_ALERT,
        "latency_p95",
        "rerank",
        behind,
        slow_from + timedelta(hours=1),
        slow_from,
        "p95 rerank latency over the last 1 h: 1046 ms (95 % interval 880–1270 ms, n = 48), SLO 400 ms.",
    )


def _cost_alert(now: datetime, trace_ids: list[str]) -> Values:
    begun = now - timedelta(hours=54)
    behind = Evidence(
        window_start=now - timedelta(hours=24),
        window_end=now,
        value=0.0041,
        lower=0.0038,
        upper=0.0045,
        alarm_lower=0.0036,
        limit=0.003,
        unit="usd",
        n=1200,
        missing=4,
        slices=[],
        trace_ids=trace_ids[:2],
        releases=[],
        also_in_breach=[],
        triage=Triage(
            verdict=TriageVerdict.DRIFT_SUSPECTED,
            sentence="Drift suspected: nothing was seen for the first time in five hours.",
            searched_from=begun - timedelta(hours=3),
            searched_until=begun + timedelta(hours=2),
        ),
    )
    return _alert(
        COST_ALERT,
        "cost_per_query",
        "p99",
        behind,
        begun + timedelta(hours=2),
        begun,
        "p99 cost per answer over the last 24 h: 0.0041 USD (95 % interval 0.0038–0.0045 USD, n = 1200), "
        "budget 0.003 USD.",
    )


def _alert(
    alert_id: str, guardrail: str, series: str, behind: Evidence, opened_at: datetime, onset: datetime, sentence: str
) -> Values:
    return {
        "alert_id": alert_id,
        "guardrail": guardrail,
        "series": series,
        "opened_at": opened_at,
        "last_breach_at": opened_at,
        "onset_at": onset,
        "onset_earliest": onset - timedelta(hours=1),
        "onset_latest": onset + timedelta(hours=1),
        "sentence": sentence,
        "evidence": behind.model_dump_json(),
    }
