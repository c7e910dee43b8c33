"""What the API says of false exclusion, and of the stages at which evidence was lost."""

from datetime import datetime

from ragvigil_monitor.guardrails.models import ApiModel, State


class ExclusionSeries(ApiModel):
    """How many of `all` retrievals with evidence, or of the `filtered` ones, had all of it excluded.

    value, lower, upper, alarm_lower: None with state `missing_evidence`. lower, upper: at the level asked for. n:
    answers with a reviewed retrieval that had evidence, events those with one whose evidence was excluded, n_eff their
    worth in equally weighted ones. missing: retrievals reviewed or in review, and unknown; `unknown` says why. drawn,
    waiting: drawn for review, and not yet given to a reviewer. unrepresented: the stratum of which too few were drawn
    and judged; then there is no rate.
    limit: None where there is none. verdict: of the two-sided interval, as a state of guardrails.
    more_reviews: until a verdict; 0 when there is one, None without a limit or when it cannot be foreseen.
    held_up_by_unknown: what was judged would be a verdict, and what could not be judged keeps it away.
    """

    series: str
    state: str
    value: float | None
    lower: float | None
    upper: float | None
    alarm_lower: float | None
    n: int
    events: int
    n_eff: float
    missing: int
    drawn: int
    waiting: int
    unknown: dict[str, int]
    unrepresented: str | None
    limit: float | None
    limit_is_starting_value: bool
    verdict: State
    more_reviews: int | None
    held_up_by_unknown: bool


class FalseExclusionRates(ApiModel):
    """Both rates over the answers that started in a window.

    unknown: how many reviewed retrievals are unknown for which reason. not_drawn: how many could not be drawn for
    review, and why; for those that were `not_probed` the probed ones stand. depth: how deep the probes looked, the
    shallowest; deepest: the deepest; None where no probe told. unfiltered_depth, unfiltered_deepest: how deep the
    searches without relevance clauses looked.
    """

    start: datetime
    end: datetime
    level: float
    rates: list[ExclusionSeries]
    unknown: dict[str, int]
    not_drawn: dict[str, int]
    depth: int | None
    deepest: int | None
    unfiltered_depth: int | None
    unfiltered_deepest: int | None


class StageLoss(ApiModel):
    """How many reviewed retrievals lost their evidence at a stage; `kept`: those that did not lose it."""

    stage: str
    n: int


class SliceLosses(ApiModel):
    """The same in one slice of the answers. n: with evidence, unknown: of which it is not known where it was lost."""

    name: str
    value: str
    n: int
    unknown: int
    stages: list[StageLoss]


class Losses(ApiModel):
    """At which stage the reviewed retrievals of a window lost their evidence: counted, not weighted."""

    start: datetime
    end: datetime
    n: int
    unknown: int
    stages: list[StageLoss]
    slices: list[SliceLosses]


class RelevantDocument(ApiModel):
    """A document that reviewers call relevant, and the last stage that let it through.

    None: only the search without relevance clauses found it.
    """

    id: str
    last_seen: str | None


class ReviewedRetrieval(ApiModel):
    """What reviewers found of the evidence of one retrieval; `span_id` is that of its answer.

    shown: how many documents they were shown. has_evidence, is_excluded: None where it is not known, and
    `unknown_because` says why. lost_at: None without evidence, or where it is not known.
    """

    span_id: str
    retrieval_span_id: str
    is_filtered: bool
    depth: int | None
    shown: int
    has_evidence: bool | None
    is_excluded: bool | None
    lost_at: str | None
    unknown_because: str | None
    documents: list[RelevantDocument]
