"""What the pages read of the API's answers about feedback."""

from ragvigil_dashboards.models import Read


class FeedbackTotal(Read):
    """What became of the feedback of one kind."""

    service: str
    kind: str
    known: bool
    given: int
    joined: int
    parked: int
    unmatched: int
    future_dated: int
    before_its_answer: int
