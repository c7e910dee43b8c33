"""p95 latency: series `answer`, and one a stage whether or not it has an SLO. Probes are not traffic."""

from ragvigil_monitor.signals.signal import Look, Signal
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.quantile_interval import quantile_interval

QUANTILE = 0.95
ANSWER = "answer"


def estimate(look: Look) -> dict[str, IntervalEstimate]:
    """The p95 of every series with data in the window."""
    window = {"window_start": look.window.start, "window_end": look.window.end}
    answers = look.store.columns("latencies_of_answers", **window)["value"]
    stages = look.store.columns("latencies_of_stages", **window)
    samples = {**dict(zip(stages["stage"], stages["durations_ms"], strict=True)), ANSWER: answers}
    return {
        series: quantile_interval(sample, QUANTILE, alpha=look.alpha)
        for series, sample in samples.items()
        if len(sample)
    }


LATENCY_P95 = Signal(name="latency_p95", unit="ms", estimate=estimate)
