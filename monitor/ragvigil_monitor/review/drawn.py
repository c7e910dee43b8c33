"""The rows that a draw adds to the store."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor.review.frames import Frames, Unit
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.salt import Salt
from ragvigil_monitor.review.sampling import POLICY_VERSION, Membership, UnitKey, inclusion_probability
from ragvigil_monitor.settings import Review
from ragvigil_monitor.store import Writer

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
        "kind": pa.string(),
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
        "retrieval_span_id": pa.binary(),
        "probe_trace_id": pa.binary(),
        "probe_span_id": pa.binary(),
        "probe_started_at": _TIME,
    }
)
_FRAMES = pa.schema(
    {"item_id": pa.string(), "stratum": pa.string(), "probability": pa.float64(), "priority": pa.float64()}
)
_SEARCHES: Final = ("retrieval_span_id", "probe_trace_id", "probe_span_id", "probe_started_at")
_PREFIX: Final[Mapping[Kind, str]] = {Kind.ANSWER: "", Kind.RELEVANCE: "relevance "}
"""Of what a hash is for, so that an answer and a retrieval with the same ids are two things."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows of the three tables."""

    rounds: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)

    def write(self, writer: Writer) -> None:
        """Add the rows; an item that was decided stays as it was."""
        writer.execute_with("add_review_rounds", pa.Table.from_pylist(self.rounds, _ROUNDS))
        writer.execute_with("add_review_items", pa.Table.from_pylist(self.items, _ITEMS))
        writer.execute_with("add_review_frames", pa.Table.from_pylist(self.frames, _FRAMES))


@dataclass(frozen=True, slots=True)
class Decision:
    """What all rows of one decision share."""

    kind: Kind
    salt: Salt
    settings: Review
    decided_at: datetime

    def item(self, key: UnitKey, unit: Unit, shares: Mapping[str, float]) -> dict[str, Any]:
        """The item of a unit that was taken."""
        return {
            "item_id": self._digest("item", key).hex()[:32],
            "kind": self.kind.value,
            "trace_id": unit["trace_id"],
            "span_id": unit["span_id"],
            "started_at": _naive(unit["started_at"]),
            "decided_at": _naive(self.decided_at),
            "inclusion_probability": inclusion_probability(shares, unit["sampling_probability"]),
            "sampling_probability": unit["sampling_probability"],
            "wants_second": self._wants_second(key),
            "seed": self._digest("seed", key),
            "policy_version": POLICY_VERSION,
            "salt_version": self.salt.version,
            **{name: _naive(unit.get(name)) for name in _SEARCHES},
        }

    def rounds(self, frames: Frames, taken: Mapping[str, int]) -> Iterator[dict[str, Any]]:
        """What each stratum held and took; then what none held, by reason, with probability 0."""
        for stratum, share in frames.shares.items():
            yield self._round(frames, stratum, share, len(frames.held[stratum]), taken[stratum])
        for reason, found in frames.not_drawn.items():
            yield self._round(frames, reason, 0.0, found, 0)

    def _round(self, frames: Frames, stratum: str, share: float, frame: int, taken: int) -> dict[str, Any]:
        return {
            "decided_at": _naive(self.decided_at),
            "stratum": stratum,
            "answers_start": _naive(frames.hour.start),
            "answers_end": _naive(frames.hour.end),
            "probability": share,
            "frame": frame,
            "taken": taken,
            "policy_version": POLICY_VERSION,
            "salt_version": self.salt.version,
        }

    def _digest(self, purpose: str, key: UnitKey) -> bytes:
        return self.salt.digest(_PREFIX[self.kind] + purpose, *key)

    def _wants_second(self, key: UnitKey) -> bool:
        share = self.settings.second_label_share if self.kind == Kind.ANSWER else 0.0
        return self.salt.uniform("second label", *key) < share


def frame_rows(item_id: str, draws: Sequence[Membership]) -> Iterator[dict[str, Any]]:
    """The strata that hold an item."""
    for each in draws:
        yield {
            "item_id": item_id,
            "stratum": each.stratum,
            "probability": each.probability,
            "priority": each.priority,
        }


def _naive(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value
