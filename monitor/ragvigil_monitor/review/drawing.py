"""The job that decides which answers are reviewed: once, when feedback on them is in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor.job import Job, Turn, Write
from ragvigil_monitor.review.salt import Salt
from ragvigil_monitor.review.sampling import (
    POLICY_VERSION,
    AnswerKey,
    Membership,
    inclusion_probability,
    memberships,
)
from ragvigil_monitor.review.strata import STRATA, Hour
from ragvigil_monitor.review.traffic import weekly_answers
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Review
from ragvigil_monitor.store import Store, Writer

EVERY: Final = timedelta(hours=1)

_TIME = pa.timestamp("us")
_ROUNDS = pa.schema(
    {
        "decided_at": _TIME,
        "stratum": pa.string(),
        "answers_start": _TIME,
        "answers_end": _TIME,
        "probability": pa.float64(),
        "frame": pa.int64(),
        "taken": pa.int64(),
        "policy_version": pa.string(),
        "salt_version": pa.string(),
    }
)
_ITEMS = pa.schema(
    {
        "item_id": pa.string(),
        "trace_id": pa.binary(),
        "span_id": pa.binary(),
        "started_at": _TIME,
        "decided_at": _TIME,
        "inclusion_probability": pa.float64(),
        "sampling_probability": pa.float64(),
        "wants_second": pa.bool_(),
        "seed": pa.binary(),
        "policy_version": pa.string(),
        "salt_version": pa.string(),
    }
)
_FRAMES = pa.schema(
    {"item_id": pa.string(), "stratum": pa.string(), "probability": pa.float64(), "priority": pa.float64()}
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows of the three tables."""

    rounds: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)


def draw(service: Service, turn: Turn) -> Write:
    """Decide about the answers that became mature in the hours that end at `turn.ends`."""
    salt, drawn = Salt.of(service), Drawn()
    for end in turn.ends:
        _draw_hour(service.store, service.settings.review, salt, end, drawn)

    def write(writer: Writer) -> None:
        writer.execute_with("add_review_rounds", pa.Table.from_pylist(drawn.rounds, _ROUNDS))
        writer.execute_with("add_review_items", pa.Table.from_pylist(drawn.items, _ITEMS))
        writer.execute_with("add_review_frames", pa.Table.from_pylist(drawn.frames, _FRAMES))

    return write


DRAW: Final = Job("review_sampling", int(EVERY.total_seconds()), draw)


def _draw_hour(store: Store, settings: Review, salt: Salt, decided_at: datetime, drawn: Drawn) -> None:
    hour = _hour(store, settings, decided_at)
    shares, held = _held(store, settings, hour)
    taken = dict.fromkeys(shares, 0)
    for answer in store.rows("answers_to_review", start=hour.start, end=hour.end):
        key = (answer["trace_id"], answer["span_id"])
        own = {stratum: share for stratum, share in shares.items() if key in held[stratum]}
        draws = memberships(salt, key, own)
        if any(each.is_taken for each in draws):
            drawn.items.append(_item(salt, settings, answer, own, decided_at))
            drawn.frames.extend(_frames(drawn.items[-1]["item_id"], draws))
        for each in draws:
            taken[each.stratum] += each.is_taken
    drawn.rounds.extend(_rounds(salt, hour, decided_at, shares, held, taken))


def _hour(store: Store, settings: Review, decided_at: datetime) -> Hour:
    end = decided_at - timedelta(hours=settings.matures_h)
    return Hour(end - EVERY, end, decided_at, weekly_answers(store, end))


def _held(store: Store, settings: Review, hour: Hour) -> tuple[dict[str, float], dict[str, set[AnswerKey]]]:
    """The share of each stratum, and the answers that it holds; strata that take nothing are left out."""
    shares = {stratum.name: stratum.share(settings, hour) for stratum in STRATA}
    held = {
        stratum.name: {
            (row["trace_id"], row["span_id"])
            for row in store.rows(stratum.question, **stratum.parameters(settings, hour))
        }
        for stratum in STRATA
        if shares[stratum.name] > 0
    }
    return {name: shares[name] for name in held}, held


def _item(
    salt: Salt, settings: Review, answer: Mapping[str, Any], shares: Mapping[str, float], decided_at: datetime
) -> dict[str, Any]:
    key = (answer["trace_id"], answer["span_id"])
    return {
        "item_id": salt.digest("item", *key).hex()[:32],
        "trace_id": key[0],
        "span_id": key[1],
        "started_at": _naive(answer["started_at"]),
        "decided_at": _naive(decided_at),
        "inclusion_probability": inclusion_probability(shares, answer["sampling_probability"]),
        "sampling_probability": answer["sampling_probability"],
        "wants_second": salt.uniform("second label", *key) < settings.second_label_share,
        "seed": salt.digest("seed", *key),
        "policy_version": POLICY_VERSION,
        "salt_version": salt.version,
    }


def _frames(item_id: str, draws: list[Membership]) -> Iterator[dict[str, Any]]:
    for each in draws:
        yield {
            "item_id": item_id,
            "stratum": each.stratum,
            "probability": each.probability,
            "priority": each.priority,
        }


def _rounds(
    salt: Salt,
    hour: Hour,
    decided_at: datetime,
    shares: Mapping[str, float],
    held: Mapping[str, set[AnswerKey]],
    taken: Mapping[str, int],
) -> Iterator[dict[str, Any]]:
    for stratum, share in shares.items():
        yield {
            "decided_at": _naive(decided_at),
            "stratum": stratum,
            "answers_start": _naive(hour.start),
            "answers_end": _naive(hour.end),
            "probability": share,
            "frame": len(held[stratum]),
            "taken": taken[stratum],
            "policy_version": POLICY_VERSION,
            "salt_version": salt.version,
        }


def _naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)
