"""Share of the answers that were asked for again within 30 minutes.

By a regenerate event, by a later answer that says so, or by the same question again in the same session: each answer
counts once.
"""

from ragvigil_monitor.signals.rate import Rate

REGENERATION_RATE = Rate(
    name="regeneration_rate", section=lambda settings: settings.guardrails.regeneration_rate, matures_s=30 * 60
)
