"""The strata of the review: which answers or retrievals each holds and what share of them it takes.

A new stratum of answers is one entry here and one SQL question that names them; a new one of retrievals is one entry
and its case in the macro `retrievals_to_review`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.traffic import share_of_traffic
from ragvigil_monitor.settings import Review

UNIFORM: Final = "uniform"
FILTER_PROBE: Final = "filter_probe"
UNFILTERED: Final = "unfiltered"


@dataclass(frozen=True, slots=True)
class Hour:
    """The answers to decide about: they started in [start, end), and it is known what happened up to `known_before`.

    weekly_answers: how many answers a week there are at present; NaN where nothing depends on it.
    """

    start: datetime
    end: datetime
    known_before: datetime
    weekly_answers: float


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the answers, or of their retrievals. share: what it takes of them, in [0, 1]."""

    name: str
    kind: Kind
    share: Callable[[Review, Hour], float]


@dataclass(frozen=True, slots=True)
class AnswerStratum(Stratum):
    """question: the SQL file that answers with (trace_id, span_id) of the answers that it holds."""

    question: str
    parameters: Callable[[Review, Hour], Mapping[str, object]]


def uniform_share(settings: Review, hour: Hour) -> float:
    """The configured share, or more where traffic is so low that a week would hold too few reviews."""
    return share_of_traffic(settings.uniform_share, settings.minimum_per_week, hour.weekly_answers)


def hour_range(hour: Hour) -> dict[str, object]:
    """The hour as parameters of a question."""
    return {"start": hour.start, "end": hour.end}


ANSWER_STRATA: Final = (
    AnswerStratum(UNIFORM, Kind.ANSWER, uniform_share, "answers_to_review", lambda _settings, hour: hour_range(hour)),
    AnswerStratum(
        "low_confidence",
        Kind.ANSWER,
        lambda settings, _hour: settings.low_confidence_share,
        "unsure_answers",
        lambda settings, hour: {**hour_range(hour), "below": settings.low_confidence_below},
    ),
    AnswerStratum(
        "thumbs_down",
        Kind.ANSWER,
        lambda settings, _hour: settings.thumbs_down_share,
        "disliked_answers",
        lambda _settings, hour: {**hour_range(hour), "known_before": hour.known_before},
    ),
)
RETRIEVAL_STRATA: Final = (
    Stratum(FILTER_PROBE, Kind.RELEVANCE, lambda settings, _hour: settings.probe_share),
    Stratum(UNFILTERED, Kind.RELEVANCE, lambda settings, _hour: settings.unfiltered_share),
)
"""A retrieval is in the one that `retrievals_to_review` names as its standing, or in none."""
STRATA: Final[tuple[Stratum, ...]] = (*ANSWER_STRATA, *RETRIEVAL_STRATA)


def strata_of(kind: Kind) -> list[Stratum]:
    """The strata of one kind."""
    return [stratum for stratum in STRATA if stratum.kind == kind]
