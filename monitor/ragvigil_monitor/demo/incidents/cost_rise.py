"""Every answer costs 40 % more."""

from dataclasses import replace

from ragvigil_monitor.demo.incidents.incident import Incident
from ragvigil_monitor.demo.parts import Parts

FACTOR = 1.4


def _change(parts: Parts) -> Parts:
    return replace(parts, prices=parts.prices.raised(FACTOR))


cost_rise = Incident(
    kind="cost_rise",
    guardrail="cost_per_query",
    sentence=f"an answer costs {FACTOR - 1:.0%} more",
    change=_change,
)
