"""What one look of a guardrail says: every series over every window, and one verdict for each guarded series."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ragvigil_monitor.guardrails.finding import Finding
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.rule import deciding_window
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Look, Window
from ragvigil_monitor.store import Store


@dataclass(frozen=True, slots=True)
class Verdict:
    """The finding that speaks for a guarded series at one time. also_in_breach: other series at the same time."""

    finding: Finding
    also_in_breach: tuple[str, ...] = ()

    @property
    def series(self) -> str:
        """Of which series."""
        return self.finding.series

    @property
    def state(self) -> State:
        """How it stands."""
        return self.finding.state

    @property
    def sentence(self) -> str:
        """The same in words."""
        return self.finding.sentence


def findings(
    guardrail: Guardrail[Any], store: Store, settings: Settings, end: datetime, *, alpha: float, answered_before: bool
) -> list[Finding]:
    """Look over every window that ends at `end`; a guarded series without data is found with n = 0."""
    looks = [Look(store, Window(end, length_s), settings, alpha) for length_s in guardrail.windows_s(settings)]
    return [finding for look in looks for finding in guardrail.findings(look, answered_before=answered_before)]


def verdicts(found: Iterable[Finding]) -> list[Verdict]:
    """One verdict for each guarded series, from the window that decides."""
    by_series: dict[str, list[Finding]] = {}
    for finding in found:
        if finding.state is not State.UNGUARDED:
            by_series.setdefault(finding.series, []).append(finding)
    deciding = {series: _deciding(windows) for series, windows in by_series.items()}
    in_breach = [series for series, finding in deciding.items() if finding.state is State.BREACH]
    return [
        Verdict(finding, tuple(other for other in in_breach if other != series)) for series, finding in deciding.items()
    ]


def _deciding(windows: Sequence[Finding]) -> Finding:
    by_length = {finding.window.length_s: finding for finding in windows}
    return by_length[deciding_window({length_s: finding.state for length_s, finding in by_length.items()})]
