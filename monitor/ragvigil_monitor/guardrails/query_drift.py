"""Query drift against what quiet days of the past looked like."""

from collections.abc import Mapping
from dataclasses import dataclass

from ragvigil_monitor.guardrails.drift_investigation import DriftInvestigation
from ragvigil_monitor.guardrails.drift_words import (
    drift_sentence,
    uncalibrated_sentence,
    waiting_sentence,
)
from ragvigil_monitor.guardrails.finding import NOTHING, Finding, Limits
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.query_drift import QUERY_DRIFT, SERIES, Drift
from ragvigil_monitor.signals.signal import Look
from ragvigil_monitor.statistics.drift_replay import MINIMUM, WINDOW_H
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate

DAY_S = 86400


@dataclass(frozen=True, slots=True)
class AboveQuietDays:
    """A series may not rise above what its largest value of a day exceeds once in a budgeted while.

    The looks of a day share one maximum, so the chance of a false alarm that the budget leaves to each look adds up to
    that of a day.
    """

    def chances(self, settings: Settings) -> int:
        """Both series, upwards only."""
        del settings
        return len(SERIES)

    def waiting(self, settings: Settings) -> Mapping[str, str]:
        """Both series, although nothing has arrived."""
        weeks = settings.guardrails.query_drift.reference_weeks
        return {series: waiting_sentence(series, weeks, answered_before=False) for series in SERIES}

    def findings(self, look: Look, found: Mapping[str, Drift], *, answered_before: bool) -> list[Finding]:
        """Judge both series."""
        weeks = look.settings.guardrails.query_drift.reference_weeks
        return [
            _judged(look, series, found[series])
            if series in found
            else _waiting(look, series, waiting_sentence(series, weeks, answered_before=answered_before))
            for series in SERIES
        ]


def _waiting(look: Look, series: str, sentence: str) -> Finding:
    return Finding(series, look.window, NOTHING, State.WARMING_UP, sentence, Limits())


def _judged(look: Look, series: str, drift: Drift) -> Finding:
    estimate = IntervalEstimate(drift.value, None, None, None, drift.n, drift.missing, MINIMUM)
    weeks = look.settings.guardrails.query_drift.reference_weeks
    if drift.encoder is None or drift.quiet is None:
        state = State.NO_DATA if drift.encoder is None else State.WARMING_UP
        sentence = uncalibrated_sentence(series, drift, look.window, weeks)
        return Finding(series, look.window, estimate, state, sentence, Limits())
    per_day = look.alpha * DAY_S / look.settings.guardrails.query_drift.every_s
    limit = drift.quiet.at(per_day)
    state = _state(drift, limit)
    sentence = drift_sentence(series, drift, state, limit=limit, per_week=7 * per_day)
    investigation = DriftInvestigation(drift.encoder, look.window, weeks)
    return Finding(series, look.window, estimate, state, sentence, Limits(upper=limit), investigation=investigation)


def _state(drift: Drift, limit: float) -> State:
    if drift.value is None or drift.n < MINIMUM:
        return State.NO_POWER
    return State.BREACH if drift.value > limit else State.OK


DRIFT_GUARDRAIL = Guardrail(
    signal=QUERY_DRIFT,
    section=lambda settings: settings.guardrails.query_drift,
    rule=AboveQuietDays(),
    least_rearm_h=WINDOW_H,
)
