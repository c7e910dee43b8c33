"""What the blind review says: rates over all answers with their intervals, and how far reviewers agree."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.models import ApiModel
from ragvigil_monitor.review.estimates import ReviewedWindow, reviewed_window
from ragvigil_monitor.statistics.hajek import RateEstimate
from ragvigil_monitor.statistics.review_size import more_reviews

router = APIRouter(prefix="/review")

Verdict = Literal["breach", "ok", "inconclusive", "missing_evidence"]


class UniformCrossCheck(ApiModel):
    """The rate from the uniform draw alone, without weights; the interval is None without answers."""

    events: int
    n: int
    lower: float | None
    upper: float | None


class ReviewRate(ApiModel):
    """A rate over all answers that make a claim, estimated from the drawn ones (Hájek, 95 % Korn-Graubard interval).

    value, lower, upper, alarm_lower: None with state `missing_evidence`. n: labelled answers in the denominator, events
    those with the fault, n_eff their worth in equally weighted ones, missing: skipped or just held. more_reviews: until
    a verdict about `limit`; 0 when there is one, None when it cannot be foreseen.
    """

    rate: str
    state: str
    value: float | None
    lower: float | None
    upper: float | None
    alarm_lower: float | None
    n: int
    events: int
    n_eff: float
    missing: int
    limit: float
    verdict: Verdict
    more_reviews: int | None
    uniform: UniformCrossCheck


class ReviewAgreement(ApiModel):
    """Answers that two reviewers labelled: did both find a fault, or none? kappa, positive: None where undefined."""

    pairs: int
    positives: int
    kappa: float | None
    positive: float | None


class ReviewEstimates(ApiModel):
    """The answers that started in a window, drawn for review and labelled so far. skipped_share is of those served."""

    start: datetime
    end: datetime
    drawn: int
    labelled: int
    skipped: int
    skipped_share: float | None
    rates: list[ReviewRate]
    agreement: ReviewAgreement


@router.get("/estimates")
def estimates(
    service: ServiceDep,
    days: Annotated[int, Query(ge=1, le=90, description="Length of the window, in days.")] = 28,
    limit: Annotated[float, Query(gt=0, lt=1, description="Rate that a verdict is about.")] = 0.15,
) -> ReviewEstimates:
    """How many answers are not carried by their evidence, with what certainty; the window ends now."""
    found = reviewed_window(service.store, days, service.clock())
    served = found.labelled + found.skipped
    return ReviewEstimates(
        start=found.start,
        end=found.end,
        drawn=found.drawn,
        labelled=found.labelled,
        skipped=found.skipped,
        skipped_share=found.skipped / served if served else None,
        rates=[_rate(found, name, limit) for name in found.rates],
        agreement=ReviewAgreement(**asdict(found.agreement)),
    )


def _rate(found: ReviewedWindow, name: str, limit: float) -> ReviewRate:
    estimate = found.rates[name]
    return ReviewRate(
        rate=name,
        **asdict(estimate),
        limit=limit,
        verdict=verdict(estimate, limit),
        more_reviews=more_reviews(estimate, limit),
        uniform=UniformCrossCheck(**asdict(found.uniform[name])),
    )


def verdict(estimate: RateEstimate, limit: float) -> Verdict:
    """On which side of the limit the 95 % interval lies."""
    if estimate.lower is None or estimate.upper is None:
        return "missing_evidence"
    if estimate.lower > limit:
        return "breach"
    return "ok" if estimate.upper <= limit else "inconclusive"
