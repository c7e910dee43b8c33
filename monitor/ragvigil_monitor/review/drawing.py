"""The jobs that decide which answers and which retrievals are reviewed: once, when what belongs to them is in."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from ragvigil_monitor.job import Job, Turn, Write
from ragvigil_monitor.review.drawn import Decision, Drawn, frame_rows
from ragvigil_monitor.review.frames import EVERY, Frames, answer_frames, retrieval_frames
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.salt import Salt
from ragvigil_monitor.review.sampling import memberships
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Review
from ragvigil_monitor.store import Store

_FRAMES: Final[Mapping[Kind, Callable[[Store, Review, Sequence[datetime]], Iterable[Frames]]]] = {
    Kind.ANSWER: answer_frames,
    Kind.RELEVANCE: retrieval_frames,
}


def draw(kind: Kind, service: Service, turn: Turn) -> Write:
    """Decide about what became mature in the hours that end at `turn.ends`."""
    settings, salt, drawn = service.settings.review, Salt.of(service), Drawn()
    for frames in _FRAMES[kind](service.store, settings, turn.ends):
        _decide(Decision(kind, salt, settings, frames.hour.known_before), frames, drawn)
    return drawn.write


DRAW: Final = Job("review_sampling", int(EVERY.total_seconds()), partial(draw, Kind.ANSWER))
DRAW_RELEVANCE: Final = Job(
    "relevance_sampling", int(EVERY.total_seconds()), partial(draw, Kind.RELEVANCE), most_ends=12
)


def _decide(decision: Decision, frames: Frames, drawn: Drawn) -> None:
    taken = dict.fromkeys(frames.shares, 0)
    for key, unit in frames.units.items():
        shares = frames.shares_of(key)
        draws = memberships(decision.salt, key, shares)
        if any(each.is_taken for each in draws):
            drawn.items.append(decision.item(key, unit, shares))
            drawn.frames.extend(frame_rows(drawn.items[-1]["item_id"], draws))
        for each in draws:
            taken[each.stratum] += each.is_taken
    drawn.rounds.extend(decision.rounds(frames, taken))
