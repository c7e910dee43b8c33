"""Spans belong to the answer of their nearest ancestor, also when that came in another request."""

import time
from datetime import timedelta
from typing import Any

from tests.samples.otlp import NOW, span, span_id, traces

from ragvigil import attributes as names
from ragvigil_monitor.job import Turn
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.store import Store
from ragvigil_monitor.upkeep import link_stages

ANSWER = {names.ANSWER_ID: "mine"}


def arrive(store: Store, *spans: Any) -> None:
    with store.transaction() as writer:
        write(writer, decode_traces(traces(*spans).SerializeToString(), microseconds(NOW)), NOW)


def linked(store: Store, make_service: Any) -> dict[int, int | None]:
    write_links = link_stages(make_service(NOW), Turn(NOW, [NOW], NOW + timedelta(minutes=1)))
    with store.transaction() as writer:
        write_links(writer)
    rows = store._cursor().execute("SELECT span_id, answer_span_id FROM spans").fetchall()
    return {int.from_bytes(span_id): answer and int.from_bytes(answer) for span_id, answer in rows}


def test_the_nearest_answer_above_counts(memory_store: Store, make_service: Any) -> None:
    arrive(memory_store, span(4, parent=3), span(3, parent=2), span(5, parent=1), span(6, parent=9))
    arrive(memory_store, span(1, ANSWER), span(2, {names.ANSWER_ID: "inner"}, parent=1))
    assert linked(memory_store, make_service) == {1: 1, 2: 2, 3: 2, 4: 2, 5: 1, 6: None}


def test_parents_in_a_circle_belong_to_nothing(memory_store: Store, make_service: Any) -> None:
    arrive(memory_store, span(2, parent=3), span(3, parent=2), span(4, parent=4), span(5, parent=1))
    arrive(memory_store, span(1, ANSWER))
    assert linked(memory_store, make_service) == {1: 1, 2: None, 3: None, 4: None, 5: 1}


def test_a_very_deep_trace_is_linked_soon(memory_store: Store, make_service: Any) -> None:
    depth = 8000
    arrive(memory_store, *(span(number, parent=number - 1) for number in range(2, depth + 1)))
    arrive(memory_store, *(span(number, parent=number - 1, trace=2) for number in range(2, depth + 1)))
    arrive(memory_store, span(1, ANSWER))
    began_s = time.process_time()
    linked(memory_store, make_service)
    assert time.process_time() - began_s < 5
    counts = memory_store._cursor().execute("SELECT answer_span_id, count(*) FROM spans GROUP BY ALL ORDER BY ALL")
    assert counts.fetchall() == [(span_id(1), depth), (None, depth - 1)]
