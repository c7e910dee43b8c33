"""False exclusion against a limit: how often relevance clauses keep out all the evidence there is."""

from collections.abc import Iterator, Mapping
from typing import Final

from ragvigil_monitor.guardrails.exclusion_words import LEAST_EVENTS, exclusion_sentence, waiting_sentence
from ragvigil_monitor.guardrails.finding import Beyond, Finding, Limits
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.rule import judge
from ragvigil_monitor.review.false_exclusion import FILTERED, NOTHING_DRAWN, ExclusionRate
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.false_exclusion import FALSE_EXCLUSION
from ragvigil_monitor.signals.signal import Look
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate

_EXCLUDED: Final = 0.5
"""Observations are 1 where evidence was excluded, else 0."""
_OBSERVED: Final = "filtered retrievals, unweighted"


class AboveShare:
    """Guards the series that have a limit, upwards only; the other one is shown."""

    def chances(self, settings: Settings) -> int:
        """One for each limit."""
        return len(settings.guardrails.false_exclusion.limit_of)

    def waiting(self, settings: Settings) -> Mapping[str, str]:
        """Every limit, although nothing has arrived."""
        section = settings.guardrails.false_exclusion
        return {series: waiting_sentence(section, series) for series in section.limit_of}

    def findings(self, look: Look, found: Mapping[str, ExclusionRate], *, answered_before: bool) -> list[Finding]:
        """Judge every series, those without a limit as unguarded."""
        return list(self._findings(look, found, answered_before))

    def _findings(self, look: Look, found: Mapping[str, ExclusionRate], answered_before: bool) -> Iterator[Finding]:
        section = look.settings.guardrails.false_exclusion
        limits = section.limit_of
        for series in sorted({*found, *limits}):
            rate = found.get(series, NOTHING_DRAWN)
            estimate = _interval(rate)
            if series not in limits:
                yield Finding(series, look.window, estimate, State.UNGUARDED)
                continue
            limit = limits[series]
            state = _state(rate, estimate, limit, answered_before=answered_before)
            text = exclusion_sentence(section, series, look, rate, estimate, state)
            beyond = Beyond(_EXCLUDED, tolerated=_tolerated(found, series, limit), among=_OBSERVED)
            yield Finding(series, look.window, estimate, state, text, Limits(upper=limit), beyond)


def _tolerated(found: Mapping[str, ExclusionRate], series: str, limit: float) -> float:
    """The share of the filtered ones that may be excluded: they have all exclusions of `all` among them."""
    own, filtered = (found.get(name, NOTHING_DRAWN).rate.value for name in (series, FILTERED))
    return min(1.0, limit * filtered / own) if own and filtered else limit


def _interval(rate: ExclusionRate) -> IntervalEstimate:
    found = rate.rate
    return IntervalEstimate(
        found.value, found.lower, found.upper, found.alarm_lower, found.n, found.missing, LEAST_EVENTS
    )


def _state(rate: ExclusionRate, estimate: IntervalEstimate, limit: float, *, answered_before: bool) -> State:
    state = judge(estimate, limit, answered_before=answered_before)
    if state is State.BREACH and rate.rate.events < LEAST_EVENTS:
        return State.INCONCLUSIVE
    return State.NO_POWER if 0 < estimate.n < LEAST_EVENTS else state


FALSE_EXCLUSION_GUARDRAIL = Guardrail(
    signal=FALSE_EXCLUSION,
    section=lambda settings: settings.guardrails.false_exclusion,
    rule=AboveShare(),
    matures_s=lambda settings: settings.guardrails.false_exclusion.review_delay_h * 3600.0,
)
