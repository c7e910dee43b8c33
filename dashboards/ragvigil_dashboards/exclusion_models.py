"""What the API says of false exclusion and of lost evidence, as far as pages read it."""

from datetime import datetime

from ragvigil_dashboards.models import Read


class ExclusionSeries(Read):
    """One rate, of `all` retrievals with evidence or of the `filtered` ones; None where nothing is known."""

    series: str
    value: float | None
    lower: float | None
    upper: float | None
    n: int
    events: int
    missing: int
    drawn: int
    waiting: int
    unknown: dict[str, int]
    unrepresented: str | None
    limit: float | None
    limit_is_starting_value: bool
    verdict: str
    more_reviews: int | None
    held_up_by_unknown: bool


class FalseExclusionRates(Read):
    """Both rates over a window, and what could not be judged or drawn."""

    start: datetime
    end: datetime
    rates: list[ExclusionSeries]
    unknown: dict[str, int]
    not_drawn: dict[str, int]
    depth: int | None
    deepest: int | None
    unfiltered_depth: int | None
    unfiltered_deepest: int | None


class StageLoss(Read):
    """How many lost their evidence at a stage; `kept`: how many did not lose it."""

    stage: str
    n: int


class SliceLosses(Read):
    """The losses of one slice."""

    name: str
    value: str
    n: int
    unknown: int
    stages: list[StageLoss]


class Losses(Read):
    """The losses of a window."""

    start: datetime
    end: datetime
    n: int
    unknown: int
    stages: list[StageLoss]
    slices: list[SliceLosses]


class RelevantDocument(Read):
    """A relevant document and the last stage that let it through; None: only the unfiltered search found it."""

    id: str
    last_seen: str | None


class ReviewedRetrieval(Read):
    """What reviewers found of one retrieval; `span_id` is that of its answer."""

    span_id: str
    is_filtered: bool
    depth: int | None
    shown: int
    has_evidence: bool | None
    lost_at: str | None
    unknown_because: str | None
    documents: list[RelevantDocument]
