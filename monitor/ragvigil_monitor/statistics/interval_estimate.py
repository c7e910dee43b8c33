"""What every estimate with an interval consists of."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A value, its two-sided 95 % interval and a one-sided bound for alarms.

    value: None without observations. lower, upper: None where the sample is too small for that side.
    alarm_lower: holds with probability 1 - alpha; None where the sample is too small for that. alarm_upper: the same
    from above; an estimate has the one that its guardrail needs.
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
    alarm_upper: float | None = None

    def subtracted_from(self, whole: float) -> "IntervalEstimate":
        """The estimate of `whole` minus the quantity: lower bounds become upper ones and the reverse.

        >>> rest = IntervalEstimate(0.2, 0.1, 0.4, 0.05, n=50, missing=0, needed=30).subtracted_from(1.0)
        >>> rest.value, rest.lower, rest.upper, rest.alarm_lower, rest.alarm_upper
        (0.8, 0.6, 0.9, None, 0.95)
        """

        def rest(part: float | None) -> float | None:
            return None if part is None else whole - part

        return replace(
            self,
            value=rest(self.value),
            lower=rest(self.upper),
            upper=rest(self.lower),
            alarm_lower=rest(self.alarm_upper),
            alarm_upper=rest(self.alarm_lower),
        )
