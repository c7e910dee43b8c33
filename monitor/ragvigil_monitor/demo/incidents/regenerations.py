"""Users of one intent ask again twice as often."""

from dataclasses import replace

from ragvigil_monitor.demo.incidents.incident import Incident
from ragvigil_monitor.demo.parts import Parts

INTENT = "how_to"
FACTOR = 2.0


def _change(parts: Parts) -> Parts:
    return replace(parts, habits=parts.habits.impatient(INTENT, FACTOR))


regenerations = Incident(
    kind="regenerations",
    guardrail="regeneration_rate",
    sentence=f"users regenerate answers of the intent {INTENT} {FACTOR:g} times as often",
    change=_change,
)
