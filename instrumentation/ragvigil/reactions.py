"""How users react to answers: the function that an application calls, in any of its processes."""

import uuid
from datetime import datetime

from ragvigil import current
from ragvigil.answers import Answer
from ragvigil.attributes import FeedbackKind, FeedbackReason
from ragvigil.feedback_event import (
    AnswerReference,
    FeedbackError,
    FeedbackEvent,
    nanoseconds,
)
from ragvigil.guard import GUARD
from ragvigil.recorder import Recorder


def feedback(
    kind: FeedbackKind,
    *,
    token: str | None = None,
    answer: Answer | None = None,
    reason: FeedbackReason | None = None,
    value: float | None = None,
    feedback_id: str | None = None,
    at: datetime | None = None,
) -> bool:
    """Record what a user did with an answer, named by its `token` or, where it was made, by the `answer` itself.

    Any process may call it that was configured with the `secret_key` of the one that made the token. `value` is the
    seconds of a dwell and of nothing else. `feedback_id` (unique over all feedback, for example a UUID) makes a
    repeated call count once; without it every call counts. `at` is when it happened by the client's clock, with a time
    zone; default now. Never raises and never waits.

    Returns whether it was taken: False for a call that is not valid or a token that is not ours, which is counted in
    `counts().feedback.refused` and told once in the log, and where nothing is configured.
    """
    recorder = current.recorder
    if recorder is None:
        return False
    with GUARD:
        try:
            return record_feedback(
                recorder,
                kind,
                token=token,
                answer=answer,
                reason=reason,
                value=value,
                feedback_id=feedback_id,
                at=at,
            )
        except FeedbackError:
            return False
    return False


def record_feedback(
    recorder: Recorder,
    kind: str,
    *,
    token: object,
    answer: object = None,
    reason: str | None = None,
    value: float | None = None,
    feedback_id: str | None = None,
    at: datetime | None = None,
) -> bool:
    """The same, for callers who say why it was not taken: raises FeedbackError, which is counted and logged."""
    try:
        now_ns = recorder.wall_ns()
        event = FeedbackEvent(
            answer=_named(recorder, token, answer),
            kind=kind,
            id=str(uuid.uuid4()) if feedback_id is None else feedback_id,
            at_ns=now_ns if at is None else nanoseconds(at),
            observed_ns=now_ns,
            reason=reason,
            value=value,
        )
    except FeedbackError as refused:
        recorder.refuse_feedback(str(refused))
        raise
    return recorder.take_feedback(event)


def _named(recorder: Recorder, token: object, answer: object) -> AnswerReference:
    if (token is None) == (answer is None):
        raise FeedbackError("expected either token= or answer=")
    if token is not None:
        return recorder.answer_of(token)
    reference = answer.reference if isinstance(answer, Answer) else None
    if reference is None:
        raise FeedbackError("answer: expected an answer that was recorded")
    return reference
