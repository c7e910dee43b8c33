"""Signals and series in words."""

from collections.abc import Iterable

_SIGNALS = {
    "latency_p95": "p95 latency",
    "cost_per_query": "Cost per query",
    "false_exclusion": "False exclusion",
    "faithfulness": "Faithfulness",
    "query_drift": "Query drift",
    "regeneration_rate": "Regeneration rate",
    "thumbs_down_rate": "Thumbs-down rate",
    "refusal_rate": "Refusal rate",
}
_SERIES = {
    "answer": "whole answer",
    "mean": "mean",
    "p50": "median",
    "p99": "99th percentile",
    "all": "all traffic",
    "filtered": "filtered retrievals",
    "mix": "mix of topics",
    "novelty": "novelty",
}


def signal_title(signal: str) -> str:
    """A signal's name for people: `p95 latency`."""
    return _SIGNALS.get(signal, signal.replace("_", " "))


def first_known(signals: Iterable[str]) -> list[str]:
    """Signals in the order in which they are shown: those named here first, then the others by name."""
    order = {signal: place for place, signal in enumerate(_SIGNALS)}
    return sorted(signals, key=lambda signal: (order.get(signal, len(order)), signal))


def series_title(series: str) -> str:
    """A series' name for people: `whole answer`, `median`, or the stage as it is called."""
    return _SERIES.get(series, series)
