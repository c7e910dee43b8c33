"""How often the relevance clauses of a retrieval keep out all the evidence there is: series `all` and `filtered`.

From reviewed retrievals, so a window is complete when reviewers had `review_delay_h` for it.
"""

from collections.abc import Mapping
from datetime import timedelta

from ragvigil_monitor.review.false_exclusion import ExclusionRate, exclusion_rates
from ragvigil_monitor.signals.signal import Look, Signal


def estimate(look: Look) -> Mapping[str, ExclusionRate]:
    """Both series; nothing where no retrieval of the window was drawn for review."""
    reviewed_until = look.window.end + timedelta(hours=look.settings.guardrails.false_exclusion.review_delay_h)
    return exclusion_rates(look.store, look.window.start, look.window.end, now=reviewed_until, alpha=look.alpha)


FALSE_EXCLUSION = Signal(name="false_exclusion", unit="ratio", estimate=estimate)
