"""What reviewers send and get. Nothing here may tell why an item was chosen, what it scored, or what others said."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from ragvigil_monitor.api.models import ApiModel
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.labels import Label as Label
from ragvigil_monitor.review.passages import MOST_DOCUMENTS

Reviewer = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
"""Who reviews: a name that is the same every time, so that nobody is given an item twice."""
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=80)]


class NextItem(ApiModel):
    """Body of next. resume: give back first what the reviewer holds unanswered, for example after a reload.

    kind: only items of this kind; null gives both in turns.
    """

    reviewer: Reviewer
    resume: bool = False
    kind: Kind | None = None


class ReviewEvidence(ApiModel):
    """One document, in shuffled order. text: None where none was recorded."""

    id: str
    text: str | None


class ReviewItem(ApiModel):
    """An item to label until `expires_at`; question and answer are None where they were not recorded.

    kind `answer`: do the documents, on which the answer rests, carry what it says? `relevance`: which of them are
    relevant to the question? There the answer is None.
    """

    kind: Kind
    item_id: str
    lease_id: str
    expires_at: datetime
    question: str | None
    answer: str | None
    evidence: list[ReviewEvidence]


class ReviewProgress(ApiModel):
    """What the reviewer did, in all and since midnight UTC, and how many items wait for them.

    waiting: of the kind that was asked for, for a first label or a second, which nothing tells apart.
    """

    labelled: int
    labelled_today: int
    skipped_today: int
    waiting: int


class Served(ApiModel):
    """The next item; None while nothing waits."""

    item: ReviewItem | None
    progress: ReviewProgress


class Labelling(ApiModel):
    """Body of label. label_id: a UUID that the sender makes; the same one sent again stores nothing new."""

    label_id: UUID
    lease_id: Identifier
    reviewer: Reviewer
    label: Label


class Marking(ApiModel):
    """Body of relevance. relevant: ids of evidence, the rest of it is not. label_id: as for a label."""

    label_id: UUID
    lease_id: Identifier
    reviewer: Reviewer
    relevant: list[Identifier] = Field(max_length=MOST_DOCUMENTS)


class Labelled(ApiModel):
    """A label that is stored."""

    label_id: UUID
    labelled_at: datetime


class Skipping(ApiModel):
    """Body of skip."""

    lease_id: Identifier
    reviewer: Reviewer
