"""The present state of each guarded series, and since when it holds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Standing:
    """What was last said of a series. since: the first look of the unbroken run of looks with this state."""

    series: str
    state: State
    since: datetime
    evaluated_at: datetime
    sentence: str


def standings(before: Mapping[str, Standing], verdicts: Iterable[Verdict], looked_at: datetime) -> dict[str, Standing]:
    """The standings after a look; a series without a verdict has none any more."""
    return {verdict.series: _next(before.get(verdict.series), verdict, looked_at) for verdict in verdicts}


def _next(before: Standing | None, verdict: Verdict, looked_at: datetime) -> Standing:
    since = before.since if before is not None and before.state is verdict.state else looked_at
    return Standing(verdict.series, verdict.state, since, looked_at, verdict.sentence)
