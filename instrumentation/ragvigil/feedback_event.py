"""Feedback on an answer, as it is recorded: which answer, what the user did, when."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from ragvigil.attributes import FEEDBACK_KINDS, FEEDBACK_REASONS

MAX_ID: Final = 200
"""Characters of a feedback id."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_NS: Final = (1 << 63) - 1


class FeedbackError(ValueError):
    """Feedback is not taken; the text says why, from a fixed set, and holds nothing of what was given."""


class TokenError(FeedbackError):
    """A token is not one that this application gave out."""


class NoSecretKeyError(FeedbackError):
    """No token can be checked, because the application has not configured its secret key."""


class AnswerReference(NamedTuple):
    """Names an answer: ids in hex, and its start in nanoseconds since the epoch, so that it is found quickly."""

    trace_id: str
    span_id: str
    answer_id: str
    started_at_unix_nano: int


@dataclass(frozen=True, slots=True)
class FeedbackEvent:
    """One thing that a user did; `at_ns` is the client's time, `observed_ns` that of the call, since the epoch.

    Raises FeedbackError for a part that is not valid.
    """

    answer: AnswerReference
    kind: str
    id: str
    at_ns: int
    observed_ns: int
    reason: str | None = None
    value: float | None = None

    def __post_init__(self) -> None:
        if not _is_one_of(self.kind, FEEDBACK_KINDS):
            raise FeedbackError(f"kind: expected one of {', '.join(FEEDBACK_KINDS)}")
        if self.reason is not None and not _is_one_of(self.reason, FEEDBACK_REASONS):
            raise FeedbackError(f"reason: expected one of {', '.join(FEEDBACK_REASONS)}, or None")
        if not _is_id(self.id):
            raise FeedbackError(f"feedback_id: expected text of 1 to {MAX_ID} characters, for example a UUID")
        if self.value is not None or self.kind == "dwell":
            _check_value(self.kind, self.value)


def nanoseconds(at: object) -> int:
    """A moment in nanoseconds since the epoch; raises FeedbackError for one without a zone or out of range."""
    if not isinstance(at, datetime) or at.utcoffset() is None:
        raise FeedbackError("at: expected a datetime with a time zone")
    since_epoch = (at - _EPOCH) // timedelta(microseconds=1) * 1000
    if not 0 < since_epoch <= _MAX_NS:
        raise FeedbackError("at: expected a time between 1970 and 2262")
    return since_epoch


def _is_one_of(value: object, known: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in known


def _is_id(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_ID


def _check_value(kind: str, value: object) -> None:
    if kind != "dwell":
        if value is not None:
            raise FeedbackError("value: only dwell takes one")
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_duration(value):
        raise FeedbackError("value: dwell needs its seconds, a finite number of at least 0")


def _is_duration(value: float) -> bool:
    try:
        return math.isfinite(value) and value >= 0
    except OverflowError:
        return False
