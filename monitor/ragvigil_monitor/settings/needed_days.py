"""How long data must stay for what the other settings ask for."""

from typing import NamedTuple

from ragvigil_monitor.settings.guardrails import Guardrails
from ragvigil_monitor.settings.review import Review

HISTORY_DAYS = 60
"""What bands and references learn from, twice."""
_MARGIN_DAYS = 1


class Needed(NamedTuple):
    """So many days a setting of `retention` must be at least, and what for."""

    setting: str
    days: int
    reason: str


def needed_days(guardrails: Guardrails, review: Review, spans_days: int) -> list[Needed]:
    """The least of each setting; what answers need depends on how long spans stay."""
    longest_h = max(_longest_h(getattr(guardrails, name)) for name in type(guardrails).model_fields)
    waiting_days = review.open_days + _days(max(review.matures_h, review.relevance_matures_h))
    return [
        Needed("spans_days", _days(longest_h) + _MARGIN_DAYS, "a guardrail judges a window that long"),
        Needed("spans_days", waiting_days + _MARGIN_DAYS, "reviewers are given items that old (review.open_days)"),
        Needed(
            "vectors_days",
            7 * guardrails.query_drift.reference_weeks + _MARGIN_DAYS,
            "references are learnt from so many (guardrails.query_drift.reference_weeks)",
        ),
        Needed("answers_days", max(HISTORY_DAYS, spans_days), "bands learn from history, and spans belong to answers"),
    ]


def _longest_h(guardrail: object) -> int:
    """The longest window of a guardrail, and what it waits for before it judges."""
    windows_h: list[int] = getattr(guardrail, "windows_h", [])
    return max(windows_h, default=0) + int(getattr(guardrail, "review_delay_h", 0))


def _days(hours: int) -> int:
    return -(-hours // 24)
