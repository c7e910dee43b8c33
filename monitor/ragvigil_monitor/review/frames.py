"""What each stratum holds in an hour, and how much is in none."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from ragvigil_monitor.review.representation import PROBED
from ragvigil_monitor.review.sampling import UnitKey
from ragvigil_monitor.review.strata import ANSWER_STRATA, RETRIEVAL_STRATA, Hour, Stratum, hour_range
from ragvigil_monitor.review.traffic import HOUR, weekly_answers
from ragvigil_monitor.settings import Review
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

EVERY: Final = HOUR
_INCOMPLETE: Final = ("documents_", "texts_")

Unit = Mapping[str, Any]
"""A row: trace_id and span_id of the answer, started_at, sampling_probability; for a retrieval its probe too."""


@dataclass(frozen=True, slots=True)
class Frames:
    """units: what can be drawn. held: which of them each stratum holds, those without a share left out.

    not_drawn: how much belongs to no stratum, by reason, or to one without a share.
    """

    hour: Hour
    shares: Mapping[str, float]
    units: Mapping[UnitKey, Unit]
    held: Mapping[str, frozenset[UnitKey]]
    not_drawn: Mapping[str, int]

    def shares_of(self, key: UnitKey) -> dict[str, float]:
        """The strata that hold a unit, with their shares."""
        return {stratum: share for stratum, share in self.shares.items() if key in self.held[stratum]}


def answer_frames(store: Store, settings: Review, ends: Sequence[datetime]) -> Iterator[Frames]:
    """For each of the ends, the answers that are `matures_h` old by then."""
    for decided_at in ends:
        end = decided_at - timedelta(hours=settings.matures_h)
        hour = Hour(end - EVERY, end, decided_at, weekly_answers(store, end))
        units = {_answer(row): row for row in store.rows("answers_to_review", **hour_range(hour))}
        shares = _taking(ANSWER_STRATA, settings, hour)
        held = {
            each.name: frozenset(map(_answer, store.rows(each.question, **each.parameters(settings, hour))))
            for each in ANSWER_STRATA
            if each.name in shares
        }
        yield Frames(hour, shares, units, held, {})


def retrieval_frames(store: Store, settings: Review, ends: Sequence[datetime]) -> Iterator[Frames]:
    """For each of the ends, hours in a row, the retrievals of the answers that are `relevance_matures_h` old by then.

    Of the missing evidence what belongs to nothing is counted in the hour in which it started.
    """
    old = timedelta(hours=settings.relevance_matures_h)
    asked = {"start": ends[0] - old - EVERY, "end": ends[-1] - old}
    found = store.rows("retrievals_to_review", **asked, matures_h=settings.relevance_matures_h)
    rows, lone = _by_hour(found), _by_hour(store.rows("retrievals_without_partner", **asked))
    for decided_at in ends:
        hour = Hour(decided_at - old - EVERY, decided_at - old, decided_at, math.nan)
        yield _retrieval_frames(settings, hour, rows[hour.start], lone[hour.start])


def _retrieval_frames(settings: Review, hour: Hour, rows: Sequence[Row], lone: Sequence[Row]) -> Frames:
    shares = _taking(RETRIEVAL_STRATA, settings, hour)
    held = {name: frozenset(_retrieval(row) for row in rows if row["standing"] == name) for name in shares}
    units = {_retrieval(row): row for row in rows if row["standing"] in shares}
    unshared = {each.name: 0 for each in RETRIEVAL_STRATA if each.name not in shares}
    not_drawn = Counter(_reason(row) for row in rows if row["standing"] not in shares)
    lone_ones = Counter(row["reason"] for row in lone)
    return Frames(hour, shares, units, held, {**unshared, **(not_drawn + lone_ones)})


def _by_hour(rows: Sequence[Row]) -> dict[datetime, list[Row]]:
    hours: dict[datetime, list[Row]] = defaultdict(list)
    for row in rows:
        hours[row["started_at"].replace(minute=0, second=0, microsecond=0)].append(row)
    return hours


def _taking(strata: Sequence[Stratum], settings: Review, hour: Hour) -> dict[str, float]:
    """The shares of the strata that take something."""
    return {stratum.name: share for stratum in strata if (share := stratum.share(settings, hour)) > 0}


def _reason(row: Unit) -> str:
    """Why a retrieval is not drawn, and whether it had a probe; a stratum without a share by its name."""
    standing: str = row["standing"]
    is_probed = row["probe_span_id"] is not None
    return f"{PROBED}{standing}" if is_probed and standing.startswith(_INCOMPLETE) else standing


def _answer(row: Unit) -> UnitKey:
    return row["trace_id"], row["span_id"]


def _retrieval(row: Unit) -> UnitKey:
    return row["trace_id"], row["retrieval_span_id"]
