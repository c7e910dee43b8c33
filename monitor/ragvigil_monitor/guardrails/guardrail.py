"""What a guardrail is: a signal, its limits, how often it is judged and over which windows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Signal


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


@dataclass(frozen=True, slots=True)
class Guardrail:
    """Watches that a signal stays below its limits.

    subject: what a series is called in a sentence. limit_word: what a limit is called. counted: what n counts.
    """

    signal: Signal
    section: Callable[[Settings], Section]
    configured_limits: Callable[[Settings], Mapping[str, float]]
    subject: Callable[[str], str]
    limit_word: str
    counted: Callable[[str], str]

    @property
    def name(self) -> str:
        """The guardrail bears the name of its signal."""
        return self.signal.name

    def limits(self, settings: Settings) -> Mapping[str, float]:
        """The limit of each guarded series; empty when the guardrail is disabled."""
        return self.configured_limits(settings) if self.section(settings).enabled else {}

    def windows_s(self, settings: Settings) -> list[int]:
        """The windows in seconds, each once, shortest first."""
        return sorted({hours * 3600 for hours in self.section(settings).windows_h})

    def every_s(self, settings: Settings) -> int:
        """Seconds between two looks."""
        return self.section(settings).every_s
