"""The rule of a band: a rate may neither rise above nor fall below what its own history leads to expect.

What people do with an answer is not what the answer is worth: a breach says that behaviour changed, in which direction,
and nothing about quality.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from ragvigil_monitor.guardrails.band_sentence import EventWords, band_sentence
from ragvigil_monitor.guardrails.finding import Beyond, Finding, Limits
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.sentence import NO_ANSWER_YET
from ragvigil_monitor.rate_history import is_alike
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.rate import ALL, LOOKED_BACK, Rate, series_of_intent
from ragvigil_monitor.signals.rate_change import split_by_intent
from ragvigil_monitor.signals.signal import Look
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.rate_band import BandState, RateBand

_STATES: Mapping[BandState, State] = {
    "inside": State.OK,
    "above": State.BREACH,
    "below": State.BREACH,
    "warming_up": State.WARMING_UP,
    "no_data": State.NO_DATA,
    "no_power": State.NO_POWER,
    "insufficient_baseline": State.INSUFFICIENT_BASELINE,
}
_SIDES = 2
_LOOKS_AT_ONCE = 12
"""Fewer than the 18 hours after which an alarm reaches the history, so that a replay excludes what a live run did."""


@dataclass(frozen=True, slots=True)
class Band:
    """Guards all answers and each intent that is watched, on both sides."""

    rate: Rate
    words: EventWords

    def chances(self, settings: Settings) -> int:
        """As many series as there may be, so that the budget holds whichever intents have most traffic."""
        section = self.rate.section(settings)
        return _SIDES * (1 + (len(section.intents) or section.most_intents))

    def waiting(self, settings: Settings) -> Mapping[str, str]:
        """All answers and the listed intents; others are not known before they have traffic."""
        listed = [ALL, *(series_of_intent(intent) for intent in self.rate.section(settings).intents)]
        return dict.fromkeys(listed, f"{NO_ANSWER_YET}; {self.words.many} are counted.")

    def findings(self, look: Look, found: Mapping[str, RateBand], *, answered_before: bool) -> list[Finding]:
        """The bands as they are: they know themselves what they lack."""
        del answered_before
        return [self._finding(look, series, band) for series, band in found.items()]

    def _finding(self, look: Look, series: str, band: RateBand) -> Finding:
        return Finding(
            series=series,
            window=look.window,
            estimate=IntervalEstimate(band.rate, band.lower, band.upper, None, band.n, missing=0, needed=0),
            state=_STATES[band.state],
            sentence=band_sentence(self.words, series, look.window.length_s, band),
            limits=_limits(band),
            beyond=_beyond(band, look.window.end - LOOKED_BACK),
            split=partial(split_by_intent, self.rate, look) if series == ALL else None,
        )


def band_guardrail(rate: Rate, words: EventWords) -> Guardrail[RateBand]:
    """The guardrail of a rate: judged every hour, when what may happen to an answer has happened."""
    return Guardrail(
        signal=rate.signal,
        section=rate.section,
        rule=Band(rate, words),
        matures_s=lambda _settings: rate.matures_s,
        most_ends=_LOOKS_AT_ONCE,
        is_ready=partial(is_alike, rate.name),
    )


def _limits(band: RateBand) -> Limits:
    usual = band.usual
    if usual is None or not band.n:
        return Limits()
    lower, upper = (None if count is None else count / band.n for count in (usual.least, usual.most))
    return Limits(lower, upper, usual.rate)


def _beyond(band: RateBand, history_start: datetime) -> Beyond | None:
    """The answers with the event speak for a rise, those without it for a fall."""
    if band.usual is None or band.usual.rate is None:
        return None
    below = band.state == "below"
    tolerated = 1 - band.usual.rate if below else band.usual.rate
    return Beyond(limit=0.5, tolerated=tolerated, below=below, history_start=history_start)
