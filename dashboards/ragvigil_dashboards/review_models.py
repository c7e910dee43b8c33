"""What the reviewer app reads of the API's answers."""

from datetime import datetime

from ragvigil_dashboards.models import Read


class ReviewEvidence(Read):
    """One document; None where its text was not recorded."""

    id: str
    text: str | None


class ReviewItem(Read):
    """An answer to label, or for the kind `relevance` documents to mark."""

    kind: str
    item_id: str
    lease_id: str
    expires_at: datetime
    question: str | None
    answer: str | None
    evidence: list[ReviewEvidence]


class ReviewProgress(Read):
    """What the reviewer did, and how many items wait for them."""

    labelled: int
    labelled_today: int
    skipped_today: int
    waiting: int


class Served(Read):
    """The next item, if one waits."""

    item: ReviewItem | None
    progress: ReviewProgress
