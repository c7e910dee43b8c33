"""Share of the answers that got a thumbs-down within 24 hours."""

from ragvigil_monitor.signals.rate import Rate

THUMBS_DOWN_RATE = Rate(
    name="thumbs_down_rate", section=lambda settings: settings.guardrails.thumbs_down_rate, matures_s=24 * 3600
)
