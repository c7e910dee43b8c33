"""The rule of a configured limit: a series may not lie above it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragvigil_monitor.guardrails.finding import NOTHING, Beyond, Finding, Limits
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.rule import judge
from ragvigil_monitor.guardrails.sentence import Words, sentence
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Look
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate


@dataclass(frozen=True, slots=True)
class AboveLimit:
    """Guards the series that have a limit; the others are shown.

    limits: by series. quantile_of: which quantile a series is, None for a mean; 1 - q of the observations may lie
    above its limit. is_starting_value: whether the limits are the shipped ones, which nobody has set.
    """

    limits: Callable[[Settings], Mapping[str, float]]
    quantile_of: Callable[[str], float | None]
    words: Words
    is_starting_value: Callable[[Settings], bool] = lambda _settings: False

    def chances(self, settings: Settings) -> int:
        """One for each limit: only the upper side counts."""
        return len(self.limits(settings))

    def waiting(self, settings: Settings) -> Mapping[str, str]:
        """Every limit, although nothing has arrived."""
        return {
            series: self._sentence(settings, series, 0, NOTHING, limit, State.WARMING_UP)
            for series, limit in self.limits(settings).items()
        }

    def findings(self, look: Look, found: Mapping[str, IntervalEstimate], *, answered_before: bool) -> list[Finding]:
        """Judge every series, those without a limit as unguarded."""
        return list(self._findings(look, found, answered_before))

    def _findings(self, look: Look, found: Mapping[str, IntervalEstimate], answered_before: bool) -> Iterator[Finding]:
        limits = self.limits(look.settings)
        for series in sorted({*found, *limits}):
            estimate = found.get(series, NOTHING)
            if series not in limits:
                yield Finding(series, look.window, estimate, State.UNGUARDED)
                continue
            limit = limits[series]
            state = judge(estimate, limit, answered_before=answered_before)
            text = self._sentence(look.settings, series, look.window.length_s, estimate, limit, state)
            yield Finding(series, look.window, estimate, state, text, Limits(upper=limit), self._beyond(series, limit))

    def _sentence(self, settings: Settings, *said: Any) -> str:
        return sentence(self.words, *said, is_starting_value=self.is_starting_value(settings))

    def _beyond(self, series: str, limit: float) -> Beyond:
        quantile = self.quantile_of(series)
        return Beyond(limit, tolerated=None if quantile is None else 1 - quantile, quantile=quantile)
