"""What every estimate with an interval consists of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A value, its two-sided 95 % interval and a one-sided lower bound for alarms.

    value: None without observations. lower, upper: None where the sample is too small for that side.
    alarm_lower: holds with probability 1 - alpha; None where the sample is too small for that.
    n: observations used. missing: those that could not be used (absent, NaN or infinite). needed: the smallest n
    that has an upper bound.
    """

    value: float | None
    lower: float | None
    upper: float | None
    alarm_lower: float | None
    n: int
    missing: int
    needed: int
