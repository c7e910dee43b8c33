"""What reviews said of the evidence against what the simulation knows."""

from dataclasses import dataclass
from typing import Any

from ragvigil_monitor.api.exclusion_models import ExclusionSeries, Losses
from ragvigil_monitor.demo.monitor import Monitor
from ragvigil_monitor.demo.reviewer import Reviews
from ragvigil_monitor.demo.truth import TrueRate, Truth

LEAST_REVIEWED = 300
"""Reviewed filtered queries with evidence that a run must end with."""


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """False exclusion among filtered queries of the last 28 days: the truth, and the estimate with both intervals."""

    reviews: Reviews
    true_rate: TrueRate
    at_95: ExclusionSeries
    at_999: ExclusionSeries
    losses: Losses

    def failures(self) -> list[str]:
        """What is wrong, a sentence each."""
        found = []
        if self.at_95.n < LEAST_REVIEWED:
            found.append(f"Only {self.at_95.n} filtered queries with evidence were reviewed, not {LEAST_REVIEWED}.")
        if not self._covers():
            found.append(
                f"The true rate of false exclusion, {_percent(self.true_rate.value)}, is outside the interval "
                f"{_percent(self.at_999.lower)} to {_percent(self.at_999.upper)}."
            )
        return found

    def as_json(self) -> dict[str, Any]:
        """Three entries of the report."""
        return {
            "reviews": {"served": self.reviews.served, "labelled": self.reviews.labelled},
            "false_exclusion": {
                "true_rate": self.true_rate.value,
                "estimate": self.at_95.value,
                "lower": self.at_95.lower,
                "upper": self.at_95.upper,
                "lower_999": self.at_999.lower,
                "upper_999": self.at_999.upper,
                "n": self.at_95.n,
            },
            "lost_at_stage": {each.stage: each.n for each in self.losses.stages},
        }

    def summary(self) -> str:
        """The same in a sentence."""
        lost = ", ".join(f"{each.stage} {each.n}" for each in self.losses.stages if each.stage != "kept" and each.n)
        return (
            f"{self.reviews.labelled:,} of {self.reviews.served:,} reviews labelled. False exclusion among filtered "
            f"queries of the last 28 days: estimated {_percent(self.at_95.value)} ({_percent(self.at_95.lower)} to "
            f"{_percent(self.at_95.upper)}, {self.at_95.n} reviewed), true {_percent(self.true_rate.value)}. "
            f"Evidence was lost at: {lost or 'no stage'}."
        )

    def _covers(self) -> bool:
        true, lower, upper = self.true_rate.value, self.at_999.lower, self.at_999.upper
        return true is not None and lower is not None and upper is not None and lower <= true <= upper


def evidence_report(monitor: Monitor, truth: Truth, reviews: Reviews) -> EvidenceReport:
    """Ask the service, and compare over the window that it answers for."""
    at_95, at_999 = monitor.false_exclusion(0.95), monitor.false_exclusion(0.999)
    return EvidenceReport(
        reviews,
        truth.rate_between(at_95.start, at_95.end),
        _filtered(at_95.rates),
        _filtered(at_999.rates),
        monitor.losses(),
    )


def _filtered(rates: list[ExclusionSeries]) -> ExclusionSeries:
    return next(rate for rate in rates if rate.series == "filtered")


def _percent(rate: float | None) -> str:
    return "unknown" if rate is None else f"{rate:.1%}"
