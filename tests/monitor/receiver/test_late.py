"""Late spans are linked to their answers on the days when they began, and only there."""

from datetime import timedelta
from typing import Any

import pytest
from tests.samples.filled_stores import dump
from tests.samples.otlp import NOW, traces, unlinked_trace

from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.late import LateSpans
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.movable import BY_NAME


def apart(number: int, days: float) -> list[Batch]:
    """The spans of an answer, each in a request of its own, its stages first; none says which answer it belongs to."""
    spans = unlinked_trace(number, started_at=NOW - timedelta(days=days))
    bodies = [traces(each).SerializeToString() for each in spans]
    return [decode_traces(body, microseconds(NOW)) for body in bodies]


def stored(store: Store, batches: list[Batch], late: LateSpans) -> None:
    for batch in batches:
        with store.transaction() as writer:
            write(writer, batch, NOW)
        late.note(batch, NOW)


def linked(store: Store) -> int:
    return sum(row["answer_span_id"] is not None for row in dump(store, BY_NAME["spans"]))


def test_late_stages_are_linked_however_old_they_are(memory_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    late = LateSpans()
    for number, days in enumerate((0.1, 1, 400, 9_000)):
        stored(memory_store, apart(number, days), late)
    ran: list[str] = []
    execute = Writer.execute

    def counted(writer: Writer, question: str, **values: object) -> list[dict[str, Any]]:
        ran.append(question)
        return execute(writer, question, **values)

    monkeypatch.setattr(Writer, "execute", counted)
    late.link(memory_store)
    assert linked(memory_store) == 24
    assert len(ran) == 4, "a day without late spans is not looked at"
    late.link(memory_store)
    assert len(ran) == 4


def test_what_comes_in_time_is_left_to_the_job(memory_store: Store) -> None:
    late = LateSpans()
    stored(memory_store, apart(1, 0.01), late)
    late.link(memory_store)
    assert linked(memory_store) == 1, "the answer itself"


def test_a_day_that_could_not_be_linked_is_linked_next_time(
    memory_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = LateSpans()
    stored(memory_store, apart(1, 5), late)

    def full(*_: object, **__: object) -> None:
        raise StoreUnavailable("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(Writer, "execute", full)
        with pytest.raises(StoreUnavailable):
            late.link(memory_store)
    late.link(memory_store)
    assert linked(memory_store) == 6
