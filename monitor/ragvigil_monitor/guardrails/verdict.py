"""What one look of a guardrail says: every series over every window, and one verdict for each guarded series."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.rule import deciding_window, judge
from ragvigil_monitor.guardrails.sentence import sentence
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Look, Window
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.store import Store

NOTHING = IntervalEstimate(None, None, None, None, n=0, missing=0, needed=0)


@dataclass(frozen=True, slots=True)
class Finding:
    """One series over one window. limit: None where it is only shown."""

    series: str
    window: Window
    estimate: IntervalEstimate
    limit: float | None
    state: State


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guardrail says of a guarded series at one time. also_in_breach: other series at the same time."""

    series: str
    state: State
    window: Window
    estimate: IntervalEstimate
    limit: float
    sentence: str
    also_in_breach: tuple[str, ...]


def findings(
    guardrail: Guardrail, store: Store, settings: Settings, end: datetime, *, alpha: float, answered_before: bool
) -> list[Finding]:
    """Look over every window that ends at `end`; a guarded series without data is found with n = 0."""
    found = []
    for length_s in guardrail.windows_s(settings):
        look = Look(store, Window(end, length_s), settings, alpha)
        found += list(_of_window(guardrail, look, answered_before))
    return found


def verdicts(guardrail: Guardrail, found: Sequence[Finding], limits: Mapping[str, float]) -> list[Verdict]:
    """One verdict for each guarded series, from the window that decides."""
    deciding = {series: _deciding([finding for finding in found if finding.series == series]) for series in limits}
    in_breach = [series for series, finding in deciding.items() if finding.state is State.BREACH]
    return [_verdict(guardrail, finding, limits[series], in_breach) for series, finding in deciding.items()]


def _of_window(guardrail: Guardrail, look: Look, answered_before: bool) -> Iterator[Finding]:
    limits = guardrail.limits(look.settings)
    estimates = guardrail.signal.estimate(look)
    for series in sorted({*estimates, *limits}):
        estimate, limit = estimates.get(series, NOTHING), limits.get(series)
        state = judge(estimate, limit, answered_before=answered_before)
        yield Finding(series, look.window, estimate, limit, state)


def _deciding(windows: Sequence[Finding]) -> Finding:
    by_length = {finding.window.length_s: finding for finding in windows}
    return by_length[deciding_window({length_s: finding.state for length_s, finding in by_length.items()})]


def _verdict(guardrail: Guardrail, finding: Finding, limit: float, in_breach: Sequence[str]) -> Verdict:
    series, window, estimate, state = finding.series, finding.window, finding.estimate, finding.state
    text = sentence(guardrail, series, window.length_s, estimate, limit, state)
    also_in_breach = tuple(other for other in in_breach if other != series)
    return Verdict(series, state, window, estimate, limit, text, also_in_breach)
