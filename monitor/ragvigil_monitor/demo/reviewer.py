"""Simulated reviewers: they label through the review API what it shows them, as people would, and err as people do."""

import re
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

import httpx
from pydantic import TypeAdapter

from ragvigil_monitor.api.review_models import ReviewEvidence, ReviewItem, Served
from ragvigil_monitor.demo.answerer import REFUSAL
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.responses import checked
from ragvigil_monitor.demo.truth import Truth
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.labels import Label

REVIEWERS = ("ada", "bela", "chi")
"""A second label comes from somebody else."""
SENSITIVITY = 0.95
"""Share of the answers with a fault that are called faulty."""
SPECIFICITY = 0.99
"""Share of the answers without a fault that are called supported."""

SERVED = TypeAdapter(Served)
_CITATION = re.compile(r" \[\d+\]")


@dataclass(slots=True)
class Reviews:
    """How many items were given out and how many labels were stored."""

    served: int = 0
    labelled: int = 0


class Reviewers:
    """Label everything that waits; they know the truth about questions, and of items only what the API shows."""

    def __init__(self, http: httpx.Client, library: Library, truth: Truth, seed: int, stop: threading.Event) -> None:
        self._http = http
        self._stop = stop
        self._truth = truth
        self._seed = seed
        self._id_of = {entry.text: entry.id for entry in library.entries.values()}
        self.reviews = Reviews()

    @classmethod
    @contextmanager
    def at(
        cls, url: str, keys: Keys, library: Library, truth: Truth, seed: int, stop: threading.Event
    ) -> Iterator[Self]:
        """Reviewers with the key of their role, and no other."""
        authorization = {"Authorization": f"Bearer {keys.by_role[Role.REVIEWER]}"}
        with httpx.Client(base_url=url, headers=authorization, timeout=300.0, trust_env=False) as http:
            yield cls(http, library, truth, seed, stop)

    def label_all(self) -> None:
        """Take turns, searches first, until nothing waits for anybody, or someone stops the run."""
        for kind in (Kind.RELEVANCE, Kind.ANSWER):
            while not self._stop.is_set() and sum(self._label_next(reviewer, kind) for reviewer in REVIEWERS):
                pass

    def _label_next(self, reviewer: str, kind: Kind) -> bool:
        """Whether there was anything of a kind for this reviewer."""
        item = self._next(reviewer, kind)
        if item is None:
            return False
        self.reviews.served += 1
        self._label(item, reviewer)
        self.reviews.labelled += 1
        return True

    def _next(self, reviewer: str, kind: Kind) -> ReviewItem | None:
        answer = checked(self._http.post("/api/v1/review/next", json={"reviewer": reviewer, "kind": kind.value}))
        return SERVED.validate_json(answer.content).item

    def _label(self, item: ReviewItem, reviewer: str) -> None:
        if item.kind == "relevance":
            self._send(item, reviewer, "relevance", {"relevant": self._relevant(item)})
        else:
            self._send(item, reviewer, "label", {"label": self._judged(item, reviewer)})

    def _send(self, item: ReviewItem, reviewer: str, what: str, said: Mapping[str, object]) -> None:
        held = {"label_id": str(uuid.uuid4()), "lease_id": item.lease_id, "reviewer": reviewer}
        checked(self._http.post(f"/api/v1/review/items/{item.item_id}/{what}", json={**held, **said}))

    def _relevant(self, item: ReviewItem) -> list[str]:
        about = self._truth.about(item.question or "")
        return [each.id for each in item.evidence if each.text is not None and self._id_of[each.text] in about]

    def _judged(self, item: ReviewItem, reviewer: str) -> Label:
        right = label_of(item.answer or "", item.evidence)
        return said_of(right, dice(self._seed, "review", reviewer, item.question, item.answer).random())


def label_of(answer: str, evidence: list[ReviewEvidence]) -> Label:
    """The right label: whether each sentence of the answer stands in the evidence, in so many words."""
    if not answer or answer == REFUSAL:
        return Label.NO_CLAIM
    texts = [" ".join(each.text.split()) for each in evidence if each.text is not None]
    parts = [part.strip() for part in _CITATION.split(answer) if part.strip()]
    carried = [any(part in text for text in texts) for part in parts]
    if all(carried):
        return Label.SUPPORTED
    return Label.PARTLY if any(carried) else Label.UNSUPPORTED


def said_of(right: Label, chance: float) -> Label:
    """What a reviewer says where `right` is right; `chance` in [0, 1) decides whether they err."""
    if right is Label.NO_CLAIM:
        return right
    if right is Label.SUPPORTED:
        return right if chance < SPECIFICITY else Label.PARTLY
    return right if chance < SENSITIVITY else Label.SUPPORTED
