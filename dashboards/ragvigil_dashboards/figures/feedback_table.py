"""What users said of answers, and how much of it found its answer."""

from collections.abc import Sequence

from ragvigil_dashboards import formats
from ragvigil_dashboards.feedback_models import FeedbackTotal
from ragvigil_dashboards.figures.states import Look, pill
from ragvigil_dashboards.markup import Markup, foreign, table, tag

_HEAD = ["State", "Kind", "Service", "Given", "Joined", "Waiting", "Without an answer", "Remarks"]
_FINE = Look("✓", "Joined", "good", 3)
_WAITING = Look("…", "Waiting", "calm", 2)
_UNKNOWN = Look("!", "Unknown kind", "warn", 1)
_LOST = Look("▲", "Unmatched", "warn", 0)


def feedback_table(totals: Sequence[FeedbackTotal]) -> Markup:
    """One row a kind, what went wrong first; a sentence where nobody said anything."""
    if not totals:
        return tag("p", "No feedback has arrived. See “Feedback” in the instrumentation guide.", class_="rv-aside")
    ordered = sorted(totals, key=lambda total: (verdict_of(total).rank, -total.given))
    return table(_HEAD, (_row(total) for total in ordered), right=range(3, 7))


def verdict_of(total: FeedbackTotal) -> Look:
    """Whether the feedback of a kind is of use."""
    if total.unmatched:
        return _LOST
    if not total.known:
        return _UNKNOWN
    return _WAITING if total.parked else _FINE


def remarks(total: FeedbackTotal) -> str:
    """What a reader must know about the times and the kind."""
    said = [] if total.known else ["kept, never used: nobody knows this kind"]
    if total.future_dated:
        said.append(f"{formats.count(total.future_dated)} dated in the future")
    if total.before_its_answer:
        said.append(f"{formats.count(total.before_its_answer)} dated before the answer")
    return "; ".join(said)


def _row(total: FeedbackTotal) -> list[str]:
    return [
        pill(verdict_of(total)),
        foreign(total.kind, longest=60),
        foreign(total.service, longest=60),
        formats.count(total.given),
        formats.count(total.joined),
        formats.count(total.parked),
        formats.count(total.unmatched),
        remarks(total),
    ]
