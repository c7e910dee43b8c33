"""How users react to an answer: they ask again, they give a thumb, most do nothing.

It depends on whether the answer cites what the question is about, and on nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Self

from ragvigil import FeedbackKind, FeedbackReason

AGAIN_WITH, AGAIN_WITHOUT = 0.085, 0.2
"""Share of the answers that are asked for again, with the evidence and without it."""
BY_BUTTON = 0.7
"""The others type their question again."""
UP_WITH, UP_WITHOUT = 0.06, 0.01
DOWN_WITH, DOWN_WITHOUT = 0.005, 0.08
LATE = 0.1
"""Share of the thumbs that reach the app hours after they were given: the client was offline."""
REASONS: tuple[FeedbackReason | None, ...] = ("wrong", "incomplete", "off_topic", None)

_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Thumb:
    """given_after_s: since the answer; taken_after_s: when the app learns of it."""

    kind: FeedbackKind
    reason: FeedbackReason | None
    given_after_s: float
    taken_after_s: float


@dataclass(frozen=True, slots=True)
class Reaction:
    """again_after_s: None for those who do not ask again; thumb: None for those who give none."""

    again_after_s: float | None
    by_button: bool
    thumb: Thumb | None


@dataclass(frozen=True, slots=True)
class Habits:
    """How users react; `again_factor` is how much more often they ask again, by intent."""

    again_factor: Mapping[str, float] = field(default_factory=dict)

    def impatient(self, intent: str, factor: float) -> Self:
        """The same, but one intent is asked again `factor` times as often."""
        return replace(self, again_factor={**self.again_factor, intent: factor * self.again_factor.get(intent, 1.0)})

    def react(self, intent: str, *, has_evidence: bool, rng: Random) -> Reaction:
        """What one user does with one answer; takes the same number of draws whatever that is."""
        again = (AGAIN_WITH if has_evidence else AGAIN_WITHOUT) * self.again_factor.get(intent, 1.0)
        asks_again, after_s, by_button = rng.random() < again, rng.lognormvariate(3.6, 0.6), rng.random() < BY_BUTTON
        thumb = _thumb(rng, UP_WITH, DOWN_WITH) if has_evidence else _thumb(rng, UP_WITHOUT, DOWN_WITHOUT)
        return Reaction(after_s if asks_again else None, by_button, thumb)


def _thumb(rng: Random, up: float, down: float) -> Thumb | None:
    chosen, reason = rng.random(), rng.choice(REASONS)
    given_after_s = min(rng.lognormvariate(5.5, 1.2), 6 * _HOUR_S)
    late_s = rng.uniform(1, 12) * _HOUR_S if rng.random() < LATE else 0.0
    if chosen < up:
        return Thumb("thumbs_up", None, given_after_s, given_after_s + late_s)
    if chosen < up + down:
        return Thumb("thumbs_down", reason, given_after_s, given_after_s + late_s)
    return None
