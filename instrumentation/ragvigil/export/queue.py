"""Finished traces and feedback that wait to be delivered: bounded by number and bytes, the oldest dropped first."""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ragvigil.counts import Counters
from ragvigil.documents import Documents, FoundBelow
from ragvigil.guard import GUARD
from ragvigil.predicates import Filter
from ragvigil.predicates.ast import And, Leaf, Opaque, Predicate, children
from ragvigil.predicates.clauses import FilterBelow

if TYPE_CHECKING:
    from ragvigil.feedback_event import FeedbackEvent
    from ragvigil.span import RecordedSpan

SPAN_BYTES: Final = 1000
FEEDBACK_BYTES: Final = 1000
DOCUMENT_BYTES: Final = 100
VALUE_BYTES: Final = 64


@dataclass(slots=True, eq=False)
class Waiting:
    """One trace in the queue, or one feedback event, which has no spans."""

    number: int
    spans: "Sequence[RecordedSpan]"
    size: int
    feedback: "FeedbackEvent | None" = None
    is_claimed: bool = False
    is_redacted: bool = False

    def claim(self) -> None:
        """Take hold of the spans; one that came alone because it ended late may have been taken with its trace."""
        if not self.is_claimed:
            self.is_claimed = True
            self.spans = [span for span in self.spans if not span.taken]
            for span in self.spans:
                span.taken = True


class TraceQueue:
    """Takes traces and feedback from any thread without waiting and gives them to one background thread.

    They are numbered as they come, feedback as if it were a trace; `is_settled(n)` says that all up to `n` are
    delivered or dropped. Whoever waits for something does so on `changed`.
    """

    def __init__(self, max_traces: int, max_bytes: int, counters: Counters) -> None:
        self._max_traces = max_traces
        self._max_bytes = max_bytes
        self._counters = counters
        self._waiting: deque[Waiting] = deque()
        self._taken: list[Waiting] = []
        self._size = 0
        self.last_number = 0
        # Reentrant: a finalizer may end a span while this very thread holds the lock.
        self._lock = threading.RLock()
        self.changed = threading.Condition(self._lock)

    def put(self, spans: "Sequence[RecordedSpan]") -> None:
        """Hand over a finished trace; what does not fit any more is dropped, the oldest first, and counted.

        A trace that is larger than all that may wait is dropped at once, and nothing else for it.
        """
        self._put(spans, estimated_bytes(spans))

    def put_feedback(self, event: "FeedbackEvent") -> None:
        """Hand over feedback; it has the same bounds as a trace."""
        self._put((), FEEDBACK_BYTES, event)

    def _put(self, spans: "Sequence[RecordedSpan]", size: int, feedback: "FeedbackEvent | None" = None) -> None:
        with self._lock:
            self.last_number += 1
            self._waiting.append(Waiting(self.last_number, spans, size, feedback))
            self._size += size
            if self.is_half_full():
                if size > self._max_bytes:
                    self._drop_newest()
                self._shed()
                self.changed.notify_all()

    def take(self, max_items: int, max_bytes: int) -> list[Waiting]:
        """The oldest, at least one if there is any; they stay taken until `settle` or `give_back`.

        An item is a span or a feedback event.
        """
        with self.changed:
            items = size = 0
            while self._waiting and (not self._taken or (items < max_items and size < max_bytes)):
                oldest = self._waiting.popleft()
                oldest.claim()
                self._taken.append(oldest)
                items += len(oldest.spans) or 1
                size += oldest.size
            self._size -= size
            return self._taken

    def settle(self) -> None:
        """What was taken is delivered, or counted as dropped."""
        with self.changed:
            self._taken = []

    def settle_spans(self) -> None:
        """The same for traces alone; feedback stays taken."""
        with self.changed:
            self._taken = [waiting for waiting in self._taken if waiting.feedback is not None]

    def give_back(self) -> None:
        """What was taken could not be delivered and waits again, as the oldest."""
        with self.changed:
            self._waiting.extendleft(reversed(self._taken))
            self._size += sum([waiting.size for waiting in self._taken])
            self._taken = []
            self._shed()

    def drop(self, spans: "Sequence[RecordedSpan]") -> None:
        """Count spans as dropped that come too late, but for those that were handed over before."""
        with self.changed:
            self._count_dropped(Waiting(0, spans, 0))

    def drop_taken(self) -> None:
        """Give up what was taken, counted, but not what is settled of it."""
        with self.changed:
            for waiting in self._taken:
                self._count_dropped(waiting)
            self._taken = []

    def drop_all(self) -> None:
        """Give up all that waits, counted."""
        with self.changed:
            while self._waiting:
                self._drop_oldest()

    def is_settled(self, number: int) -> bool:
        """Whether nothing up to `number` waits or is under way."""
        with self.changed:
            pending = self._taken or self._waiting
            return not pending or pending[0].number > number

    def waiting(self) -> int:
        """How many traces and feedback events wait or are under way."""
        return len(self._waiting) + len(self._taken)

    def is_half_full(self) -> bool:
        """Whether it is time to deliver, whatever the interval."""
        return len(self._waiting) * 2 > self._max_traces or self._size * 2 > self._max_bytes

    def _shed(self) -> None:
        while self._waiting and (len(self._waiting) > self._max_traces or self._size > self._max_bytes):
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        self._drop(self._waiting.popleft())

    def _drop_newest(self) -> None:
        """Drop what never fits, so that it does not displace what does."""
        self._drop(self._waiting.pop())

    def _drop(self, lost: Waiting) -> None:
        self._size -= lost.size
        self._count_dropped(lost)

    def _count_dropped(self, lost: Waiting) -> None:
        lost.claim()
        if lost.feedback is not None:
            self._counters.add_feedback("dropped")
        self._counters.add_dropped(len(lost.spans))


def estimated_bytes(spans: "Sequence[RecordedSpan]") -> int:
    """Roughly what spans hold in memory."""
    size = SPAN_BYTES * len(spans)
    try:
        for span in spans:
            size += len(span.name)
            for value in span.fields.values():
                kind = type(value)
                if kind is str:
                    size += len(value)  # type: ignore[arg-type]  # most facts are texts, on the request thread
                elif kind in _MEASURES:
                    size += _MEASURES[kind](value)
            if span.rare is not None:
                size += span.rare.estimated_bytes()
    except Exception as failure:  # noqa: BLE001 - what cannot be measured is handed over nevertheless
        GUARD.caught(failure)
    return size


def _documents_bytes(documents: Documents) -> int:
    ids = documents.ids
    size = DOCUMENT_BYTES * len(ids)
    if ids:
        held = _numbers_bytes(ids) if type(ids[0]) is int else _ids_bytes(ids)
        if held > size:
            size += held
    return size if documents.texts is None else size + _texts_bytes(documents.texts)


def _ids_bytes(ids: Sequence[object]) -> int:
    if len(ids) <= _FEW:
        try:
            return len("".join(ids))  # type: ignore[arg-type]  # a quarter of the time that asking each takes
        except TypeError:  # not all are texts
            pass
    return sum([len(each) for each in ids if isinstance(each, str | bytes)])


def _numbers_bytes(ids: Sequence[object]) -> int:
    try:
        sum(ids)  # type: ignore[arg-type]  # fails for a text among them, and is faster than asking each
    except TypeError:
        return _ids_bytes(ids)
    return 0


def _texts_bytes(values: Sequence[object]) -> int:
    try:
        return sum(map(len, values))  # type: ignore[arg-type]  # ids are texts mostly, and this is faster than asking
    except Exception:  # noqa: BLE001 - an id may be of any type, and fail in any way
        return sum([len(value) for value in values if isinstance(value, str)])


def _list_bytes(values: Sequence[object]) -> int:
    return VALUE_BYTES * len(values) + _texts_bytes(values)


def _mapping_bytes(facts: Mapping[object, object]) -> int:
    return _list_bytes(tuple(facts)) + _list_bytes(tuple(facts.values()))


def _filter_bytes(said: Filter) -> int:
    root, size = said.predicate, 0
    if not isinstance(root, And):
        return 0 if root is None else _predicate_bytes(root)
    for node in root.args:
        # Nearly every filter is an `and` of questions with one value each.
        if type(node) is Leaf:
            value = node.value
            if type(value) is str:
                size += VALUE_BYTES + len(value)
            else:
                size += _list_bytes(value) if type(value) is tuple else VALUE_BYTES
        else:
            size += _predicate_bytes(node)
    return size


def _predicate_bytes(node: Predicate) -> int:
    if isinstance(node, Leaf):
        value = node.value
        return (
            _list_bytes(value)
            if isinstance(value, tuple)
            else VALUE_BYTES + (len(value) if isinstance(value, str) else 0)
        )
    if isinstance(node, Opaque):
        return VALUE_BYTES + len(node.raw)
    return VALUE_BYTES + sum(map(_predicate_bytes, children(node)))


_FEW: Final = 64
_MEASURES: Final[Mapping[type, Callable[[Any], int]]] = {
    bytes: len,
    tuple: _list_bytes,
    dict: _mapping_bytes,
    Documents: _documents_bytes,
    FoundBelow: _documents_bytes,
    Filter: _filter_bytes,
    FilterBelow: _filter_bytes,
}
