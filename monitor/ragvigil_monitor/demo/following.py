"""What follows from an answer: the same question again, and thumbs."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from ragvigil import FeedbackKind, FeedbackReason
from ragvigil_monitor.demo.app import Answered
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.questioner import Question
from ragvigil_monitor.demo.reactions import Habits, Reaction
from ragvigil_monitor.demo.users import Visit


@dataclass(frozen=True, slots=True)
class Asking:
    """A question at a moment; `turn` counts from 0 how often the visitor asked it before."""

    at: datetime
    visit: Visit
    question: Question
    turn: int = 0
    instead_of: Answered | None = None
    """The answer whose button was pressed; None for a question that was typed."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A thumb as it reaches the app, which may be long after it was given."""

    at: datetime
    given_at: datetime
    kind: FeedbackKind
    reason: FeedbackReason | None
    feedback_id: str
    answered: Answered


Following = Asking | Rating


def followings(asking: Asking, answered: Answered, habits: Habits, seed: int) -> Iterator[Following]:
    """What the user does with an answer."""
    number = asking.visit.number
    has_evidence = not set(asking.question.about).isdisjoint(answered.reply.citations)
    rng = dice(seed, "reaction", number, asking.turn)
    reaction = habits.react(asking.question.intent, has_evidence=has_evidence, rng=rng)
    yield from _again(asking, answered, reaction)
    if thumb := reaction.thumb:
        yield Rating(
            at=asking.at + timedelta(seconds=thumb.taken_after_s),
            given_at=asking.at + timedelta(seconds=thumb.given_after_s),
            kind=thumb.kind,
            reason=thumb.reason,
            feedback_id=f"{seed}-{number}-{asking.turn}-thumb",
            answered=answered,
        )


def _again(asking: Asking, answered: Answered, reaction: Reaction) -> Iterator[Asking]:
    if reaction.again_after_s is not None:
        yield Asking(
            at=asking.at + timedelta(seconds=reaction.again_after_s),
            visit=asking.visit,
            question=asking.question,
            turn=asking.turn + 1,
            instead_of=answered if reaction.by_button else None,
        )
