"""What the guardrail of false exclusion says, in sentences with numbers."""

from collections.abc import Mapping
from typing import Final

from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.sentence import NO_ANSWER_YET, figures_text, limit_text
from ragvigil_monitor.review.false_exclusion import ALL, NOT_LABELLED, ExclusionRate
from ragvigil_monitor.review.outcomes import Unknown
from ragvigil_monitor.review.strata import FILTER_PROBE, UNFILTERED
from ragvigil_monitor.settings import FalseExclusion
from ragvigil_monitor.signals.signal import Look
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.review_size import more_reviews

LEAST_EVENTS: Final = 3
"""An alarm needs exclusions in so many answers: one or two may be slips of a reviewer."""
_REASONS: Final[Mapping[str, str]] = {
    NOT_LABELLED: "skipped or in review",
    Unknown.NO_METADATA: "no metadata",
    Unknown.INDEX_CHANGED: "the index changed between the two searches",
    Unknown.SPANS_MISSING: "spans missing",
    Unknown.NOT_ALL_SHOWN: "documents that a reviewer could not see",
}
_UNREPRESENTED: Final[Mapping[str, str]] = {
    FILTER_PROBE: "Too few filtered retrievals were probed, drawn and judged to stand for all of them",
    UNFILTERED: "Too few retrievals without relevance clauses were drawn and judged to stand for all of them",
}


def waiting_sentence(section: FalseExclusion, series: str) -> str:
    """Until the first answer."""
    return f"{NO_ANSWER_YET}; false exclusion, {_among(series)}, has the {_limit(section, series)}."


def exclusion_sentence(
    section: FalseExclusion, series: str, look: Look, rate: ExclusionRate, estimate: IntervalEstimate, state: State
) -> str:
    """For example: "False exclusion over the last 168 h, all retrievals with evidence, at depth 20: 4.1 % (…), …"."""
    if state is State.WARMING_UP:
        return waiting_sentence(section, series)
    window = f"over the last {look.window.length_s // 3600} h"
    against = _limit(section, series)
    unknown = _unknown(rate) + _outside(rate)
    if rate.unrepresented is not None:
        return f"{_UNREPRESENTED[rate.unrepresented]} {window}: missing evidence; {against}.{unknown}"
    if state is State.NO_DATA:
        return f"No reviewed retrieval with evidence {window} ({_reviews(rate)}): missing evidence; {against}.{unknown}"
    events = f"excluded in {rate.rate.events} answer{'' if rate.rate.events == 1 else 's'}"
    figures = figures_text("ratio", estimate)
    return (
        f"False exclusion {window}, {_among(series)}, {_depth(rate)}: {figures}, {events}, {against}."
        f"{unknown}{_needed(rate, section, series, look.alpha, state)}"
    )


def _among(series: str) -> str:
    return "all retrievals with evidence" if series == ALL else "filtered retrievals with evidence"


def _limit(section: FalseExclusion, series: str) -> str:
    return limit_text("limit", section.limit_of[series], "ratio", is_starting_value=section.is_starting_value("limits"))


def _depth(rate: ExclusionRate) -> str:
    filtered, others = rate.depths, rate.unfiltered_depths
    if filtered is None and others is None:
        return "at unknown depth"
    if others is None:
        return f"at depth {_span(filtered)}"
    if filtered is None:
        return f"unfiltered at depth {_span(others)}"
    return f"filtered at depth {_span(filtered)}, unfiltered at {_span(others)}"


def _span(depths: tuple[int, int] | None) -> str:
    least, most = depths or ("?", "?")
    return f"{least}" if least == most else f"{least} to {most}"


def _reviews(rate: ExclusionRate) -> str:
    return f"{rate.drawn} drawn for review, {rate.waiting} of them wait" if rate.drawn else "none was drawn for review"


def _unknown(rate: ExclusionRate) -> str:
    if not rate.unknown:
        return ""
    reasons = ", ".join(f"{n} {_REASONS.get(reason, reason)}" for reason, n in sorted(rate.unknown.items()))
    return f" {sum(rate.unknown.values())} could not be judged: {reasons}."


def _outside(rate: ExclusionRate) -> str:
    n = rate.not_drawn.get("filter_unknown", 0)
    return f" Not in it: {n} {'retrieval' if n == 1 else 'retrievals'} whose filter is unknown." if n else ""


def _needed(rate: ExclusionRate, section: FalseExclusion, series: str, alpha: float, state: State) -> str:
    if state not in {State.INCONCLUSIVE, State.NO_POWER}:
        return ""
    limit = section.limit_of[series]
    if rate.held_up_by_unknown(limit, alarm=True):
        return " What could not be judged keeps a verdict away, not the number of reviews."
    more = more_reviews(rate.rate, limit, alarm=alpha)
    if more is None:
        return " The rate is too close to the limit for a verdict by any number of reviews that is a plan."
    if more == 0:
        return f" An alarm needs exclusions in {LEAST_EVENTS} answers."
    return f" A verdict needs about {more} more reviewed answers with evidence."
