"""The reviewer's desk: one item in front, and the last decision held back so that it can be undone.

A decision is sent when the next one is made, or on `send`. Until then nothing of it has left the desk. A key that is
held down, or pressed twice, decides once: nobody has read the next answer in half a second.
"""

import math
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragvigil_dashboards.client import ClientError
from ragvigil_dashboards.review.choices import Choice
from ragvigil_dashboards.review_client import ReviewClient
from ragvigil_dashboards.review_models import ReviewItem, ReviewProgress

PAUSE_S = 0.5
_REFUSED_FOR_GOOD = frozenset({404, 409, 410})
"""The item is no longer the reviewer's; sending the decision again would not help."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was said of an item, with the id under which it is stored.

    choice: None where documents were marked. relevant: ids of the marked ones.
    """

    item: ReviewItem
    choice: Choice | None
    label_id: str
    relevant: tuple[str, ...] = ()

    @property
    def is_skip(self) -> bool:
        """Whether the item was passed over."""
        return self.choice is not None and self.choice.label is None


class Desk:
    """What lies in front of one reviewer. None of its methods raises; `problem` says what went wrong last.

    pause_s: a decision that comes sooner after the last press, or after the page was drawn, is not one.
    clock: seconds, only differences count.
    """

    def __init__(
        self, client: ReviewClient, *, pause_s: float = PAUSE_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client = client
        self._clock = clock
        self._quiet_since = -math.inf
        self.pause_s = pause_s
        self._set_aside: ReviewItem | None = None
        self.item: ReviewItem | None = None
        self.marked: tuple[str, ...] = ()
        self.held: Decision | None = None
        self.progress: ReviewProgress | None = None
        self.problem: str | None = None

    @property
    def reviewer(self) -> str:
        """Whose desk it is."""
        return self._client.reviewer

    @property
    def marks_documents(self) -> bool:
        """Whether the item in front asks which documents are relevant."""
        return self.item is not None and self.item.kind == "relevance"

    def open(self) -> None:
        """Go on with what was held before, or with the next item."""
        self._attempt(lambda: self._take(resume=True))

    def shown(self) -> None:
        """Begin the pause anew when the page is drawn: presses that waited while it was being drawn are not meant."""
        self._quiet_since = self._clock()

    def decide(self, choice: Choice) -> None:
        """Send the decision before this one, hold this one, and take the next item."""
        if self._is_meant() and self.item is not None:
            decision = Decision(self.item, choice, str(uuid.uuid4()))
            self._attempt(lambda: self._decide(decision))

    def mark(self, item_id: str, places: Sequence[int] | None) -> None:
        """Decide a relevance item: the documents at these places are relevant, the others are not.

        Nothing is decided where another item lies in front, or where a place is none of its documents or has no text.
        """
        item = self.item
        if not self._is_meant() or item is None or item.item_id != item_id or places is None:
            return
        if all(0 <= place < len(item.evidence) and item.evidence[place].text for place in places):
            relevant = tuple(item.evidence[place].id for place in places)
            self._attempt(lambda: self._decide(Decision(item, None, str(uuid.uuid4()), relevant)))

    def undo(self) -> None:
        """Take the last decision back and show its item again."""
        if self.held is not None:
            self.marked = self.held.relevant
            self._set_aside, self.item, self.held = self.item, self.held.item, None
            self.problem = None

    def send(self) -> None:
        """Send what is held; where no item lies in front, look for one."""
        self._attempt(self._send_and_look)

    def _is_meant(self) -> bool:
        """Whether this press is one of its own; each press, meant or not, begins a new pause."""
        before, self._quiet_since = self._quiet_since, self._clock()
        return self._quiet_since - before >= self.pause_s

    def _attempt(self, act: Callable[[], None]) -> None:
        self.problem = None
        try:
            act()
        except ClientError as failure:
            self.problem = str(failure)

    def _decide(self, decision: Decision) -> None:
        self._send()
        self.held, self.marked = decision, ()
        self.item, self._set_aside = self._set_aside, None
        if self.item is None:
            self._take()

    def _send_and_look(self) -> None:
        self._send()
        if self.item is None:
            self._take()

    def _send(self) -> None:
        """Send what is held; it stays held while the service is away, and is dropped when it is refused for good."""
        if self.held is None:
            return
        try:
            self._store(self.held)
        except ClientError as failure:
            if failure.status not in _REFUSED_FOR_GOOD:
                raise
            self.problem = f"Your last label was not stored. {failure}"
        self.held = None

    def _store(self, held: Decision) -> None:
        if held.choice is None:
            self._client.mark(held.item, held.relevant, label_id=held.label_id)
        elif held.choice.label is None:
            self._client.skip(held.item)
        else:
            self._client.label(held.item, held.choice.label, label_id=held.label_id)

    def _take(self, *, resume: bool = False) -> None:
        served = self._client.next(resume=resume)
        self.item, self.progress = served.item, served.progress
