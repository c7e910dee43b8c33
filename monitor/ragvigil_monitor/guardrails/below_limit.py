"""The rule of a configured lower limit: the mean of a series may not lie below it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragvigil_monitor.guardrails.finding import NOTHING, Beyond, Finding, Limits
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.rule import judge_below
from ragvigil_monitor.guardrails.sentence import Words, sentence
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Look
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate


@dataclass(frozen=True, slots=True)
class BelowLimit:
    """Guards the series that have a limit; the others are shown.

    limits: by series. words: what is known of the measurement at the time of a look; of none before the first answer.
    is_starting_value: whether the limits are the shipped ones, which nobody has set. doubt: a sentence why a value does
    not speak for its window, empty where it does; a series in doubt is not found ok, but a breach is never withheld.
    """

    limits: Callable[[Settings], Mapping[str, float]]
    words: Callable[[Settings, Look | None], Words]
    is_starting_value: Callable[[Settings], bool] = lambda _settings: False
    doubt: Callable[[Look, IntervalEstimate], str] = lambda _look, _estimate: ""

    def chances(self, settings: Settings) -> int:
        """One for each limit: only the lower side counts."""
        return len(self.limits(settings))

    def waiting(self, settings: Settings) -> Mapping[str, str]:
        """Every limit, although nothing has arrived."""
        words = self.words(settings, None)
        return {
            series: self._sentence(settings, words, series, 0, NOTHING, limit, State.WARMING_UP)
            for series, limit in self.limits(settings).items()
        }

    def findings(self, look: Look, found: Mapping[str, IntervalEstimate], *, answered_before: bool) -> list[Finding]:
        """Judge every series, those without a limit as unguarded."""
        words, limits = self.words(look.settings, look), self.limits(look.settings)
        unguarded = [Finding(name, look.window, found[name], State.UNGUARDED) for name in sorted(found.keys() - limits)]
        return unguarded + [
            self._finding(look, words, series, found.get(series, NOTHING), limit, answered_before)
            for series, limit in sorted(limits.items())
        ]

    def _finding(
        self, look: Look, words: Words, series: str, estimate: IntervalEstimate, limit: float, answered_before: bool
    ) -> Finding:
        state = judge_below(estimate, limit, answered_before=answered_before)
        doubt = self.doubt(look, estimate) if estimate.n else ""
        if doubt and state is State.OK:
            state = State.INCONCLUSIVE
        text = self._sentence(look.settings, words, series, look.window.length_s, estimate, limit, state) + doubt
        beyond = Beyond(limit, tolerated=None, below=True)
        return Finding(series, look.window, estimate, state, text, Limits(lower=limit), beyond)

    def _sentence(self, settings: Settings, *said: Any) -> str:
        return sentence(*said, is_starting_value=self.is_starting_value(settings))
