"""The step between the queue and everything that leaves: nothing passes it twice, nothing passes beside it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragvigil.counts import Counters
from ragvigil.guard import GUARD
from ragvigil.keys import CONTENT, FILTER_VALUES, derived_key
from ragvigil.redaction.content import FIELDS, Modes
from ragvigil.redaction.filters import FilterRedactor
from ragvigil.redaction.hashes import Hashes
from ragvigil.redaction.spans import SpanRedactor
from ragvigil.redaction.texts import Redact, Texts
from ragvigil.redaction.values import Contents

if TYPE_CHECKING:
    from ragvigil.export.queue import Waiting
    from ragvigil.feedback_event import FeedbackEvent
    from ragvigil.span import RecordedSpan


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
        self._only_users = texts.pass_as_they_are and _differs_only_for_users(modes)

    def prepare(self, waiting: "Waiting") -> None:
        """Redact what was taken from the queue, once; a span that cannot be redacted is dropped and counted."""
        if waiting.is_redacted:
            return
        spans = [span for span in waiting.spans if self.redact(span)]
        self._counters.add_dropped(len(waiting.spans) - len(spans))
        waiting.spans = spans
        if waiting.feedback is not None:
            waiting.feedback = self._feedback(waiting.feedback)
        waiting.is_redacted = True

    def redact(self, span: "RecordedSpan") -> bool:
        """Replace the facts of a finished span by those that may leave; False when it must not leave."""
        if self._only_users and span.rare is None and "user_id" not in span.fields:
            return True
        with GUARD:
            self._spans.redact(span)
            return True
        return False

    def _feedback(self, event: "FeedbackEvent") -> "FeedbackEvent":
        return replace(event, id=self._hashes.of("feedback_id", event.id)) if self._hashes_feedback_ids else event


def _differs_only_for_users(modes: Modes) -> bool:
    return all(modes[name] == "full" for name in FIELDS if name != "user_id")
