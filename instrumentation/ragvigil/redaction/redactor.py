"""The step between the queue and everything that leaves: nothing passes it twice, nothing passes beside it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ragvigil.counts import Counters
from ragvigil.guard import GUARD
from ragvigil.keys import CONTENT, FILTER_VALUES, derived_key
from ragvigil.redaction.content import Modes
from ragvigil.redaction.filters import FilterRedactor
from ragvigil.redaction.hashes import Hashes
from ragvigil.redaction.spans import SpanRedactor
from ragvigil.redaction.texts import Redact, Texts
from ragvigil.redaction.values import Contents

if TYPE_CHECKING:
    from ragvigil.export.queue import Waiting
    from ragvigil.feedback_event import FeedbackEvent
    from ragvigil.span import RecordedSpan

_USERS: Final = frozenset({"user_id", "experiment_unit"})


class Redactor:
    """Makes spans and feedback such that they may leave, in the background thread.

    `modes` is what `checked_content` returns; hashes are made under keys that are derived from `secret`.
    """

    def __init__(self, modes: Modes, redactors: Sequence[Redact], secret: bytes, counters: Counters) -> None:
        texts = Texts(redactors, counters)
        self._counters = counters
        self._hashes = Hashes(derived_key(secret, CONTENT))
        filters = FilterRedactor(modes["filter_values"], texts, derived_key(secret, FILTER_VALUES))
        self._spans = SpanRedactor(modes, Contents(texts, self._hashes), filters)
        self._hashes_feedback_ids = modes["feedback_id"] == "hashed"
        changing = {name for name, mode in modes.items() if mode != "full"} if not redactors else set(modes)
        self._changes_nothing = not changing
        self._changes_users_only = changing <= _USERS

    def prepare(self, waiting: "Waiting") -> None:
        """Redact what was taken from the queue, once; a span that cannot be redacted is dropped and counted."""
        if waiting.is_redacted or self._changes_nothing:
            return
        lost = [span for span in self._concerned(waiting.spans) if not self.redact(span)]
        if lost:
            waiting.spans = [span for span in waiting.spans if span not in lost]
            self._counters.add_dropped(len(lost))
        if waiting.feedback is not None:
            waiting.feedback = self._feedback(waiting.feedback)
        waiting.is_redacted = True

    def redact(self, span: "RecordedSpan") -> bool:
        """Replace the facts of a finished span by those that may leave; False when it must not leave."""
        with GUARD:
            self._spans.redact(span)
            return True
        return False

    def _concerned(self, spans: "Sequence[RecordedSpan]") -> "Sequence[RecordedSpan]":
        if not self._changes_users_only:
            return spans
        return [span for span in spans if span.rare is not None or not _USERS.isdisjoint(span.fields)]

    def _feedback(self, event: "FeedbackEvent") -> "FeedbackEvent":
        return replace(event, id=self._hashes.of("feedback_id", event.id)) if self._hashes_feedback_ids else event
