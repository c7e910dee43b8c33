"""What the API answers about feedback of users, and about the history that rates are judged against."""

from datetime import datetime

from pydantic import AwareDatetime, Field

from ragvigil_monitor.api.models import ApiModel


class FeedbackTotal(ApiModel):
    """What became of the feedback of one kind: given = joined + parked + unmatched.

    parked: its answer may still come. future_dated, before_its_answer: the client's clock was wrong, and the time of
    the call counts. known: False for a kind that nobody understands, which is kept and never used.
    """

    service: str
    kind: str
    known: bool
    given: int
    joined: int
    parked: int
    unmatched: int
    future_dated: int
    before_its_answer: int


class HistoryDecision(ApiModel):
    """Body of a decision: whether [starts_at, ends_at) counts in the history of a series (None: of every one)."""

    series: str | None = Field(None, min_length=1, max_length=300)
    starts_at: AwareDatetime
    ends_at: AwareDatetime
    counts: bool
    reason: str = Field(min_length=1, max_length=2000)
    by: str = Field(min_length=1, max_length=200)


class HistorySpan(ApiModel):
    """A span of time that is part of a history or not; a later one in the list wins.

    decided_at: None for what nobody decided, an alarm and the six hours around it. ends_at: None while it is open.
    """

    series: str | None
    starts_at: datetime
    ends_at: datetime | None
    counts: bool
    decided_at: datetime | None
