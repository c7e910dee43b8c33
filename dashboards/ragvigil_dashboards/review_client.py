"""What the reviewer app asks of the API."""

from collections.abc import Sequence

from ragvigil_dashboards.client import Api, parsed, segment
from ragvigil_dashboards.review_models import ReviewItem, Served


class ReviewClient:
    """The queue as one reviewer sees it."""

    def __init__(self, api: Api, reviewer: str) -> None:
        self._api = api
        self.reviewer = reviewer

    def next(self, *, resume: bool = False) -> Served:
        """Take the next item; with `resume` first what the reviewer holds already."""
        body = self._api.post("/review/next", {"reviewer": self.reviewer, "resume": resume})
        return parsed(Served, "/review/next", body)

    def label(self, item: ReviewItem, label: str, *, label_id: str) -> None:
        """Store a label; the same `label_id` again stores nothing new."""
        given = {"label_id": label_id, "lease_id": item.lease_id, "reviewer": self.reviewer, "label": label}
        self._api.post(f"/review/items/{segment(item.item_id)}/label", given)

    def mark(self, item: ReviewItem, relevant: Sequence[str], *, label_id: str) -> None:
        """Store which documents are relevant, by their ids; the same `label_id` again stores nothing new."""
        given = {"label_id": label_id, "lease_id": item.lease_id, "reviewer": self.reviewer, "relevant": relevant}
        self._api.post(f"/review/items/{segment(item.item_id)}/relevance", given)

    def skip(self, item: ReviewItem) -> None:
        """Pass an item over."""
        given = {"lease_id": item.lease_id, "reviewer": self.reviewer}
        self._api.post(f"/review/items/{segment(item.item_id)}/skip", given)
