"""How sure: the interval of an estimate drawn beside its limit."""

from dataclasses import dataclass

from ragvigil_dashboards import formats
from ragvigil_dashboards.markup import Markup, tag
from ragvigil_dashboards.models import Evidence

_MARGIN = 0.12


@dataclass(frozen=True, slots=True)
class Gauge:
    """Positions in percent of the width; None where the estimate has no such number."""

    lower: float | None
    value: float | None
    upper: float | None
    limit: float | None


def gauge(evidence: Evidence) -> Gauge:
    """Place limit, estimate and interval on one line with some air at both ends."""
    numbers = [n for n in (evidence.lower, evidence.value, evidence.upper, evidence.limit) if n is not None]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    air = (high - low or abs(high) or 1.0) * _MARGIN

    def place(number: float | None) -> float | None:
        return None if number is None else round(100 * (number - low + air) / (high - low + 2 * air), 2)

    return Gauge(place(evidence.lower), place(evidence.value), place(evidence.upper), place(evidence.limit))


def draw(evidence: Evidence) -> Markup:
    """The gauge, with its numbers in words for those who do not see it."""
    at = gauge(evidence)
    return tag(
        "div",
        _band(at),
        _mark("value", at.value),
        _mark("limit", at.limit, tag("i", f"limit {formats.quantity(evidence.limit, evidence.unit)}")),
        class_="rv-gauge",
        role="img",
        aria_label=interval(evidence),
        title=interval(evidence),
    )


def interval(evidence: Evidence) -> str:
    """The interval and the limit: `95 % interval 1610 ms to 2080 ms, limit 1200 ms`."""
    limit = formats.quantity(evidence.limit, evidence.unit)
    if evidence.lower is None and evidence.upper is None:
        return f"no interval, limit {limit}"
    low, high = (formats.quantity(bound, evidence.unit) for bound in (evidence.lower, evidence.upper))
    return f"95 % interval {low} to {high}, limit {limit}"


def certainty(evidence: Evidence) -> str:
    """What can be said at the level that the false-alarm budget leaves: `at least 790 ms, 1.98 × the limit`."""
    side, bound = ("at least", evidence.alarm_lower)
    if evidence.alarm_upper is not None:
        side, bound = ("at most", evidence.alarm_upper)
    if bound is None:
        return "no bound at the alarm level yet"
    times = f", {bound / evidence.limit:.3g} × the limit" if evidence.limit else ""
    return f"at the alarm level {side} {formats.quantity(bound, evidence.unit)}{times}"


def _band(at: Gauge) -> Markup | None:
    if at.lower is None or at.upper is None:
        return None
    return tag("span", class_="band", style=f"left:{at.lower}%;width:{round(at.upper - at.lower, 2)}%")


def _mark(name: str, position: float | None, *children: Markup) -> Markup | None:
    return None if position is None else tag("span", *children, class_=name, style=f"left:{position}%")
