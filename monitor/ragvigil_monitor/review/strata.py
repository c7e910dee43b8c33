"""The strata of the review: which answers each holds and what share of them it takes.

A new stratum is one entry here and one SQL question that names its answers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragvigil_monitor.review.traffic import share_of_traffic
from ragvigil_monitor.settings import Review

UNIFORM: Final = "uniform"


@dataclass(frozen=True, slots=True)
class Hour:
    """The answers to decide about: they started in [start, end), and it is known what happened up to `known_before`.

    weekly_answers: how many answers a week there are at present.
    """

    start: datetime
    end: datetime
    known_before: datetime
    weekly_answers: float


@dataclass(frozen=True, slots=True)
class Stratum:
    """question: the SQL file that answers with (trace_id, span_id) of the answers that it holds."""

    name: str
    question: str
    parameters: Callable[[Review, Hour], Mapping[str, object]]
    share: Callable[[Review, Hour], float]


def uniform_share(settings: Review, hour: Hour) -> float:
    """The configured share, or more where traffic is so low that a week would hold too few reviews."""
    return share_of_traffic(settings.uniform_share, settings.minimum_per_week, hour.weekly_answers)


STRATA: Final = (
    Stratum(UNIFORM, "answers_to_review", lambda _settings, hour: _range(hour), uniform_share),
    Stratum(
        "low_confidence",
        "unsure_answers",
        lambda settings, hour: {**_range(hour), "below": settings.low_confidence_below},
        lambda settings, _hour: settings.low_confidence_share,
    ),
    Stratum(
        "thumbs_down",
        "disliked_answers",
        lambda _settings, hour: {**_range(hour), "known_before": hour.known_before},
        lambda settings, _hour: settings.thumbs_down_share,
    ),
)


def _range(hour: Hour) -> dict[str, object]:
    return {"start": hour.start, "end": hour.end}
