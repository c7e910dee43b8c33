"""What a guardrail is: a signal, a rule that judges it, how often and over which windows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from ragvigil_monitor.guardrails.finding import Finding
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Look, Signal
from ragvigil_monitor.store import Store

Found = TypeVar("Found")
Judged = TypeVar("Judged", contravariant=True)


class Section(Protocol):
    """What the settings of every guardrail say."""

    @property
    def enabled(self) -> bool:
        """Whether it raises alerts; a disabled one is computed and shown."""

    @property
    def windows_h(self) -> Sequence[int]:
        """Lengths of the trailing windows."""

    @property
    def every_s(self) -> int:
        """Seconds between two looks."""


class Rule(Protocol[Judged]):
    """Judges what a signal found of its series, and says it in words."""

    def chances(self, settings: Settings) -> int:
        """How many chances of a false alarm one look over one window has: guarded series times sides."""

    def waiting(self, settings: Settings) -> Mapping[str, str]:
        """For each series that is guarded from the beginning: the sentence until the first answer."""

    def findings(self, look: Look, found: Mapping[str, Judged], *, answered_before: bool) -> list[Finding]:
        """One finding a series; a guarded series that the signal knows nothing of is found with n = 0."""


@dataclass(frozen=True, slots=True)
class Guardrail(Generic[Found]):
    """Watches a signal.

    matures_s: how long after its end a window is complete, because what happens to an answer may come later.
    most_ends: how many looks may be taken in one go, not knowing which alerts the others open. least_rearm_h: hours in
    control until an alert is resolved, if `alarms.rearm_h` is less. is_ready: whether a look that ends at a time can be
    taken now; until then nothing is judged, and the looks are taken later.
    """

    signal: Signal[Found]
    section: Callable[[Settings], Section]
    rule: Rule[Found]
    matures_s: Callable[[Settings], float] = lambda _settings: 0.0
    most_ends: int = 48
    least_rearm_h: int = 0
    is_ready: Callable[[Store, datetime], bool] = lambda _store, _end: True

    @property
    def name(self) -> str:
        """The guardrail bears the name of its signal."""
        return self.signal.name

    def chances(self, settings: Settings) -> int:
        """Chances of a false alarm in one look over one window; none when the guardrail is disabled."""
        return self.rule.chances(settings) if self.section(settings).enabled else 0

    def waiting(self, settings: Settings) -> Mapping[str, str]:
        """What is said of each guarded series until the first answer."""
        return self.rule.waiting(settings) if self.section(settings).enabled else {}

    def findings(self, look: Look, *, answered_before: bool) -> list[Finding]:
        """Every series over the window of `look`; of a disabled guardrail those with data, unguarded."""
        found = self.rule.findings(look, self.signal.estimate(look), answered_before=answered_before)
        if self.section(look.settings).enabled:
            return found
        return [Finding(each.series, each.window, each.estimate, State.UNGUARDED) for each in found if each.estimate.n]

    def windows_s(self, settings: Settings) -> list[int]:
        """The windows in seconds, each once, shortest first."""
        return sorted({hours * 3600 for hours in self.section(settings).windows_h})

    def every_s(self, settings: Settings) -> int:
        """Seconds between two looks."""
        return self.section(settings).every_s
