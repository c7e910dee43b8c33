"""Share of the answers that say they cannot answer, among those that tell."""

from ragvigil_monitor.signals.rate import Rate

REFUSAL_RATE = Rate(name="refusal_rate", section=lambda settings: settings.guardrails.refusal_rate, matures_s=0)
