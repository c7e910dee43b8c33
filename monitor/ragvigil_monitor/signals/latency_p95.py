"""p95 latency: series `answer`, and one a stage whether or not it has an SLO. Probes are not traffic.

A window over a day is read from hourly counts in buckets: the p95 is within 1 %, bounds err to the safe side.
"""

from datetime import timedelta
from typing import Final

from ragvigil_monitor.hour_sums import segments
from ragvigil_monitor.signals.signal import Look, Signal
from ragvigil_monitor.statistics.bucket_quantile import bucket_quantile_interval
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.quantile_interval import quantile_interval
from ragvigil_monitor.store.database import Row

QUANTILE = 0.95
ANSWER = "answer"
READ_WHOLE: Final = timedelta(days=1)
"""Up to this length a window is read value by value."""


def estimate(look: Look) -> dict[str, IntervalEstimate]:
    """The p95 of every series with data in the window."""
    return _from_values(look) if look.window.end - look.window.start <= READ_WHOLE else _from_buckets(look)


def _from_values(look: Look) -> dict[str, IntervalEstimate]:
    window = {"window_start": look.window.start, "window_end": look.window.end}
    answers = look.store.columns("latencies_of_answers", **window)["value"]
    stages = look.store.columns("latencies_of_stages", **window)
    samples = {**dict(zip(stages["stage"], stages["durations_ms"], strict=True)), ANSWER: answers}
    return {
        series: quantile_interval(sample, QUANTILE, alpha=look.alpha)
        for series, sample in samples.items()
        if len(sample)
    }


def _from_buckets(look: Look) -> dict[str, IntervalEstimate]:
    by_series: dict[str, list[Row]] = {}
    for part in segments(look.store, look.window.start, look.window.end):
        question = "latency_buckets_summed" if part.is_summed else "latency_buckets_raw"
        for row in look.store.rows(question, window_start=part.start, window_end=part.end):
            by_series.setdefault(row["series"] or ANSWER, []).append(row)
    return {series: _quantile(rows, look.alpha) for series, rows in by_series.items()}


def _quantile(rows: list[Row], alpha: float) -> IntervalEstimate:
    known = [row for row in rows if row["bucket"] is not None]
    missing = sum(row["n"] for row in rows if row["bucket"] is None)
    buckets, counts = ([row[name] for row in known] for name in ("bucket", "n"))
    return bucket_quantile_interval(buckets, counts, QUANTILE, missing=missing, alpha=alpha)


LATENCY_P95 = Signal(name="latency_p95", unit="ms", estimate=estimate)
