"""What a guardrail says, in one sentence with numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate


@dataclass(frozen=True, slots=True)
class Words:
    """subject: what a series is called in a sentence. limit: what a limit is called. counted: what n counts."""

    unit: str
    subject: Callable[[str], str]
    limit: str
    counted: Callable[[str], str]


NO_ANSWER_YET: Final = "No answer has arrived yet"
"""How every sentence begins that waits for the first answer."""


def sentence(
    words: Words,
    series: str,
    window_s: int,
    estimate: IntervalEstimate,
    limit: float,
    state: State,
    *,
    is_starting_value: bool = False,
) -> str:
    """For example: "p95 rerank latency over the last 6 h: 612 ms (95 % interval 580–655 ms, n = 354), SLO 300 ms."."""
    over = f"over the last {window_s // 3600} h"
    against = limit_text(words.limit, limit, words.unit, is_starting_value=is_starting_value)
    counted = words.counted(series)
    if state is State.WARMING_UP:
        return f"{NO_ANSWER_YET}; {words.subject(series)} has the {against}."
    if state is State.NO_DATA:
        return f"{_nothing(estimate, counted)} {over}, although answers came before: missing evidence; {against}."
    figures = figures_text(words.unit, estimate)
    return (
        f"{words.subject(series)} {over}: {figures}{_missing(estimate)}, {against}.{_needed(estimate, counted, state)}"
    )


def amount(value: float, unit: str) -> str:
    """A value with its unit, to three digits or so: `612 ms`, `0.00213 USD`, `4.17 %`."""
    return f"{_number(value, unit)} {_UNITS[unit]}"


def limit_text(name: str, limit: float, unit: str, *, is_starting_value: bool) -> str:
    """For example `SLO 300 ms`; a limit that its owner never set is called a starting value."""
    return f"{name} {amount(limit, unit)}{' (starting value)' if is_starting_value else ''}"


_UNITS = {"ms": "ms", "usd": "USD", "ratio": "%"}


def _number(value: float, unit: str) -> str:
    if unit == "ratio":
        return f"{100 * value:.3g}"
    return f"{value:.0f}" if unit == "ms" and value >= 100 else f"{value:.3g}"


def figures_text(unit: str, estimate: IntervalEstimate) -> str:
    """For example `612 ms (95 % interval 580–655 ms, n = 354)`."""
    value = "unknown" if estimate.value is None else amount(estimate.value, unit)
    if estimate.upper is None:
        return f"{value} (no interval yet, n = {estimate.n})"
    lower = "0" if estimate.lower is None else _number(estimate.lower, unit)
    return f"{value} (95 % interval {lower}–{amount(estimate.upper, unit)}, n = {estimate.n})"


def _nothing(estimate: IntervalEstimate, counted: str) -> str:
    if estimate.missing:
        return f"None of {estimate.missing} has a usable value ({counted})"
    return f"No {counted}"


def _missing(estimate: IntervalEstimate) -> str:
    return f", {estimate.missing} more without a usable value" if estimate.missing else ""


def _needed(estimate: IntervalEstimate, counted: str, state: State) -> str:
    if state is not State.NO_POWER:
        return ""
    return f" A verdict needs {estimate.needed - estimate.n} more {counted}."
