"""From an estimate and a limit to a state."""

from collections.abc import Mapping

from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate


def judge(estimate: IntervalEstimate, limit: float | None, *, answered_before: bool) -> State:
    """The state of one series over one window.

    breach: the alarm bound lies above the limit. ok: the upper end of the 95 % interval does not. no_power: there are
    too few observations for an upper end. no_data: none at all, although answers came before: missing evidence.
    """
    if limit is None:
        return State.UNGUARDED
    if estimate.n == 0:
        return State.NO_DATA if answered_before else State.WARMING_UP
    if estimate.alarm_lower is not None and estimate.alarm_lower > limit:
        return State.BREACH
    if estimate.upper is None:
        return State.NO_POWER
    return State.OK if estimate.upper <= limit else State.INCONCLUSIVE


def judge_below(estimate: IntervalEstimate, limit: float, *, answered_before: bool) -> State:
    """The same for a series that may not lie below its limit: the alarm bound from above decides."""
    return judge(estimate.subtracted_from(0.0), -limit, answered_before=answered_before)


def deciding_window(states: Mapping[int, State]) -> int:
    """Which window (by its length) speaks for the series: the shortest in breach, else the longest."""
    in_breach = [length for length, state in states.items() if state is State.BREACH]
    return min(in_breach) if in_breach else max(states)
