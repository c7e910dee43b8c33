"""What each stratum holds in an hour, and how much is in none."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from ragvigil_monitor.review.sampling import UnitKey
from ragvigil_monitor.review.strata import ANSWER_STRATA, RETRIEVAL_STRATA, WEEK, Hour, Stratum, hour_range
from ragvigil_monitor.settings import Review
from ragvigil_monitor.store import Store

EVERY: Final = timedelta(hours=1)

Unit = Mapping[str, Any]
"""A row: trace_id and span_id of the answer, started_at, sampling_probability; for a retrieval its probe too."""


@dataclass(frozen=True, slots=True)
class Frames:
    """units: what can be drawn. held: which of them each stratum holds, those without a share left out.

    not_drawn: how much belongs to no stratum, by reason.
    """

    hour: Hour
    shares: Mapping[str, float]
    units: Mapping[UnitKey, Unit]
    held: Mapping[str, frozenset[UnitKey]]
    not_drawn: Mapping[str, int]

    def shares_of(self, key: UnitKey) -> dict[str, float]:
        """The strata that hold a unit, with their shares."""
        return {stratum: share for stratum, share in self.shares.items() if key in self.held[stratum]}


def answer_frames(store: Store, settings: Review, decided_at: datetime) -> Frames:
    """The answers that are `matures_h` old at `decided_at`."""
    end = decided_at - timedelta(hours=settings.matures_h)
    hour = Hour(end - EVERY, end, decided_at, _weekly_answers(store, end))
    units = {_answer(row): row for row in store.rows("answers_to_review", **hour_range(hour))}
    shares = _taking(ANSWER_STRATA, settings, hour)
    held = {
        each.name: frozenset(map(_answer, store.rows(each.question, **each.parameters(settings, hour))))
        for each in ANSWER_STRATA
        if each.name in shares
    }
    return Frames(hour, shares, units, held, {})


def retrieval_frames(store: Store, settings: Review, decided_at: datetime) -> Frames:
    """The retrievals of the answers that are `relevance_matures_h` old at `decided_at`."""
    end = decided_at - timedelta(hours=settings.relevance_matures_h)
    hour = Hour(end - EVERY, end, decided_at, math.nan)
    rows = store.rows("retrievals_to_review", **hour_range(hour), known_before=decided_at)
    lone = {row["reason"]: row["found"] for row in store.rows("retrievals_without_partner", **hour_range(hour))}
    shares = _taking(RETRIEVAL_STRATA, settings, hour)
    held = {name: frozenset(_retrieval(row) for row in rows if row["standing"] == name) for name in shares}
    units = {_retrieval(row): row for row in rows if row["standing"] in shares}
    return Frames(hour, shares, units, held, Counter(lone) + _not_drawn(rows))


def _weekly_answers(store: Store, end: datetime) -> float:
    """How many answers a week there are at present."""
    traffic = store.row("traffic_between", start=end - WEEK, end=end)
    seen_for = max(EVERY, end - traffic["first_answer_at"]) if traffic["answers"] else WEEK
    answers: int = traffic["answers"]
    return answers * (WEEK / seen_for)


def _taking(strata: Sequence[Stratum], settings: Review, hour: Hour) -> dict[str, float]:
    """The shares of the strata that take something."""
    return {stratum.name: share for stratum in strata if (share := stratum.share(settings, hour)) > 0}


def _not_drawn(rows: Sequence[Unit]) -> Counter[str]:
    strata = {stratum.name for stratum in RETRIEVAL_STRATA}
    return Counter(row["standing"] for row in rows if row["standing"] not in strata)


def _answer(row: Unit) -> UnitKey:
    return row["trace_id"], row["span_id"]


def _retrieval(row: Unit) -> UnitKey:
    return row["trace_id"], row["retrieval_span_id"]
