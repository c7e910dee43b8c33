"""The queue: bounded by number and bytes, the oldest dropped first, everything counted."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.trace import INVALID_SPAN_CONTEXT, StatusCode

from ragvigil.counts import Counters
from ragvigil.documents import Documents
from ragvigil.export.queue import DOCUMENT_BYTES, FEEDBACK_BYTES, SPAN_BYTES, TraceQueue, estimated_bytes
from ragvigil.feedback_event import AnswerReference, FeedbackEvent
from ragvigil.predicates import Filter, eq, in_, not_, opaque, or_, where
from ragvigil.rare import Event, Rare
from ragvigil.span import RecordedSpan

BIG = 1 << 40


def trace(name: str, spans: int = 1) -> list[RecordedSpan]:
    return [RecordedSpan(name) for _ in range(spans)]


def names(queue: TraceQueue, max_items: int = 1000) -> list[str]:
    return [waiting.spans[0].name for waiting in queue.take(max_items, BIG)]


@pytest.fixture
def counters() -> Counters:
    return Counters()


def test_the_oldest_trace_goes_first_and_is_counted_in_spans(counters: Counters) -> None:
    queue = TraceQueue(2, BIG, counters)
    for name in "abcd":
        queue.put(trace(name, spans=3))
    assert names(queue) == ["c", "d"]
    assert counters.read().dropped == 6


def test_bytes_bound_it_too(counters: Counters) -> None:
    queue = TraceQueue(100, 3 * (SPAN_BYTES + 1), counters)
    for name in "abcde":
        queue.put(trace(name))
    assert names(queue) == ["c", "d", "e"]
    assert counters.read().dropped == 2


def test_a_trace_that_never_fits_is_dropped_and_counted(counters: Counters) -> None:
    queue = TraceQueue(100, 10 * SPAN_BYTES, counters)
    queue.put(trace("huge", spans=11))
    assert names(queue) == []
    assert counters.read().dropped == 11
    assert queue.is_settled(1)


def test_a_trace_that_never_fits_displaces_no_other(counters: Counters) -> None:
    queue = TraceQueue(100, 10 * SPAN_BYTES, counters)
    for name in "abc":
        queue.put(trace(name))
    queue.put(trace("huge", spans=11))
    assert counters.read().dropped == 11
    assert names(queue, max_items=2) == ["a", "b"]
    queue.put(trace("huge", spans=11))
    queue.give_back()
    assert names(queue) == ["a", "b", "c"]
    assert counters.read().dropped == 22
    queue.settle()
    assert queue.is_settled(queue.last_number)


def test_a_batch_is_bounded_but_never_empty(counters: Counters) -> None:
    queue = TraceQueue(100, BIG, counters)
    for name in "abc":
        queue.put(trace(name, spans=5))
    assert names(queue, max_items=1) == ["a"]
    queue.settle()
    assert names(queue, max_items=6) == ["b", "c"]


def test_what_is_given_back_is_the_oldest_again(counters: Counters) -> None:
    queue = TraceQueue(3, BIG, counters)
    for name in "abc":
        queue.put(trace(name))
    assert names(queue, max_items=2) == ["a", "b"]
    queue.put(trace("d"))
    queue.give_back()
    assert counters.read().dropped == 1
    assert names(queue) == ["b", "c", "d"]


def test_settled_means_neither_waiting_nor_under_way(counters: Counters) -> None:
    queue = TraceQueue(10, BIG, counters)
    assert queue.is_settled(0)
    queue.put(trace("a"))
    first = queue.last_number
    queue.put(trace("b"))
    assert not queue.is_settled(first)
    queue.take(1, BIG)
    assert not queue.is_settled(first)
    queue.settle()
    assert queue.is_settled(first)
    assert not queue.is_settled(queue.last_number)
    queue.drop_all()
    assert queue.is_settled(queue.last_number)
    assert counters.read().dropped == 1


def test_a_span_that_comes_twice_is_taken_once(counters: Counters) -> None:
    queue = TraceQueue(10, BIG, counters)
    late = RecordedSpan("late")
    queue.put([late, RecordedSpan("root")])
    queue.put([late])
    assert [span.name for waiting in queue.take(10, BIG) for span in waiting.spans] == ["late", "root"]
    queue.give_back()
    assert [span.name for waiting in queue.take(10, BIG) for span in waiting.spans] == ["late", "root"]


def test_half_full_is_time_to_deliver(counters: Counters) -> None:
    queue = TraceQueue(4, BIG, counters)
    for name, half_full in zip("abc", [False, False, True], strict=True):
        queue.put(trace(name))
        assert queue.is_half_full() is half_full
    small = TraceQueue(100, 4 * SPAN_BYTES, counters)
    small.put(trace("a", spans=3))
    assert small.is_half_full()


def feedback(name: str) -> FeedbackEvent:
    return FeedbackEvent(AnswerReference("0" * 32, "0" * 16, "a", 1), "copy", name, 1, 1)


def test_feedback_waits_in_line_with_traces(counters: Counters) -> None:
    queue = TraceQueue(3, BIG, counters)
    queue.put(trace("a"))
    for name in "bcd":
        queue.put_feedback(feedback(name))
    taken = queue.take(2, BIG)
    assert [waiting.feedback.id for waiting in taken if waiting.feedback] == ["b", "c"]
    assert (counters.read().dropped, counters.read().feedback.dropped) == (1, 0)
    queue.drop_all()
    assert counters.read().feedback.dropped == 1


def test_feedback_counts_in_bytes(counters: Counters) -> None:
    queue = TraceQueue(100, 2 * FEEDBACK_BYTES, counters)
    for name in "abc":
        queue.put_feedback(feedback(name))
    assert counters.read().feedback.dropped == 1


def test_delivered_traces_are_not_given_back_with_feedback_that_is_not(counters: Counters) -> None:
    queue = TraceQueue(10, BIG, counters)
    queue.put(trace("a"))
    queue.put_feedback(feedback("b"))
    queue.put(trace("c"))
    assert len(queue.take(10, BIG)) == 3
    queue.settle_spans()
    queue.give_back()
    (waiting,) = queue.take(10, BIG)
    assert waiting.feedback == feedback("b")
    assert not queue.is_settled(2)
    queue.settle()
    assert queue.is_settled(queue.last_number)


@given(
    st.lists(st.one_of(st.integers(1, 5), st.sampled_from(["take", "give back", "settle"])), max_size=60),
    st.integers(1, 6),
    st.integers(1, 12),
)
def test_nothing_is_lost_uncounted_and_the_bounds_hold(steps: list[int | str], max_traces: int, max_spans: int) -> None:
    counters = Counters()
    queue = TraceQueue(max_traces, max_spans * SPAN_BYTES, counters)
    put = settled = 0
    taken: list[int] = []
    for step in steps:
        if isinstance(step, int):
            queue.put(trace("t", spans=step))
            put += step
        elif step == "take" and not taken:
            taken = [len(waiting.spans) for waiting in queue.take(3, BIG)]
        elif step == "settle":
            queue.settle()
            settled, taken = settled + sum(taken), []
        elif step == "give back":
            queue.give_back()
            taken = []
    waiting = [len(trace.spans) for trace in list(queue._waiting)]
    assert len(waiting) <= max_traces
    assert sum(waiting) <= max_spans
    assert put == settled + sum(taken) + sum(waiting) + counters.read().dropped


def with_text(span: RecordedSpan) -> None:
    span.fields["question"] = "x" * 5000


def with_vector(span: RecordedSpan) -> None:
    span.fields["vector"] = bytes(5000)


def with_documents(span: RecordedSpan) -> None:
    span.fields["output_documents"] = Documents(("a",) * 50, None)


def with_texts(span: RecordedSpan) -> None:
    span.fields["output_documents"] = Documents(("a",) * 4, None, ("x" * 2500, None, bytes, "x" * 2500))


def with_filter(span: RecordedSpan) -> None:
    span.fields["filter"] = where(or_(in_("tenant", [f"t{number}" for number in range(90)])))


def rarely(span: RecordedSpan) -> Rare:
    span.rare = span.rare or Rare()
    return span.rare


def with_attributes(span: RecordedSpan) -> None:
    rarely(span).set_attribute("app.text", "x" * 5000)


def with_events(span: RecordedSpan) -> None:
    rarely(span).add_event(Event("exception", 0, {"stack": "x" * 5000}))


def with_name(span: RecordedSpan) -> None:
    span.name = "x" * 5000


def with_long_ids(span: RecordedSpan) -> None:
    span.fields["output_documents"] = Documents((7, *["x" * 2500] * 2), None)


def with_a_long_id_in_the_middle(span: RecordedSpan) -> None:
    span.fields["output_documents"] = Documents(("a", "b", "x" * 5000, "c"), None)


def with_a_long_id_among_numbers(span: RecordedSpan) -> None:
    span.fields["output_documents"] = Documents((7, "x" * 5000, 8), None)


def with_a_long_id_behind_a_number(span: RecordedSpan) -> None:
    span.fields["output_documents"] = Documents(("a", 7, b"x" * 5000), None)


def with_a_long_id_in_a_long_list(span: RecordedSpan) -> None:
    span.fields["output_documents"] = Documents((*["a"] * 100, "x" * 11_000, "b"), None)


def with_a_long_value(span: RecordedSpan) -> None:
    span.fields["filter"] = where(eq("tenant", "x" * 5000))


def with_a_long_value_in_a_list(span: RecordedSpan) -> None:
    span.fields["filter"] = where(in_("tenant", [5, "x" * 5000, "a"]))


def with_a_long_value_below(span: RecordedSpan) -> None:
    span.fields["filter"] = where(or_(not_(eq("tenant", "x" * 2500)), opaque("sql", "x" * 2500)))


def with_a_long_value_at_the_root(span: RecordedSpan) -> None:
    span.fields["filter"] = Filter(eq("tenant", "x" * 5000))


def with_slices(span: RecordedSpan) -> None:
    span.fields["slices"] = {"x" * 2500: "y" * 2500}


def with_citations(span: RecordedSpan) -> None:
    span.fields["citations"] = (7, *["x" * 50] * 100)


def with_many_attributes(span: RecordedSpan) -> None:
    for number in range(50):
        rarely(span).set_attribute(f"{number}" * 50, number)


def with_nested_attributes(span: RecordedSpan) -> None:
    rarely(span).set_attribute("app.list", ["x", ["y" * 2500, ["z" * 2500]]])


def with_description(span: RecordedSpan) -> None:
    rarely(span).set_status(StatusCode.ERROR, "x" * 5000)


def with_links(span: RecordedSpan) -> None:
    rarely(span).add_link(INVALID_SPAN_CONTEXT, {"app.text": "x" * 5000})


LARGE = [
    *(with_text, with_vector, with_documents, with_texts, with_filter, with_attributes, with_events, with_name),
    *(with_long_ids, with_slices, with_citations, with_many_attributes, with_nested_attributes, with_description),
    *(with_links, with_a_long_id_in_the_middle, with_a_long_id_among_numbers, with_a_long_id_behind_a_number),
    *(with_a_long_id_in_a_long_list, with_a_long_value, with_a_long_value_in_a_list, with_a_long_value_below),
    with_a_long_value_at_the_root,
]


@pytest.mark.parametrize(
    "add",
    LARGE,
    ids=lambda add: add.__name__,
)
def test_what_is_large_counts(add: Callable[[RecordedSpan], None]) -> None:
    span = RecordedSpan("x")
    add(span)
    assert estimated_bytes([span]) >= SPAN_BYTES + 5000


def test_what_cannot_be_measured_waits_nevertheless(counters: Counters, lenient: None) -> None:
    class Changing(dict[str, object]):
        def values(self) -> Any:
            raise RuntimeError("dictionary changed size during iteration")

    span = RecordedSpan("x")
    span.fields = Changing()
    queue = TraceQueue(10, BIG, counters)
    queue.put([span])
    assert queue.waiting() == 1


def test_a_span_that_comes_twice_is_dropped_once(counters: Counters) -> None:
    queue = TraceQueue(1, BIG, counters)
    late = RecordedSpan("late")
    queue.put([late])
    queue.put([late, RecordedSpan("root")])
    queue.put(trace("next"))
    assert counters.read().dropped == 2


def test_what_comes_too_late_is_dropped_once(counters: Counters) -> None:
    queue = TraceQueue(10, BIG, counters)
    late = RecordedSpan("late")
    queue.put([late])
    queue.drop_all()
    queue.drop([late, RecordedSpan("root")])
    assert counters.read().dropped == 2


def test_what_was_taken_can_be_given_up_but_for_what_is_settled(counters: Counters) -> None:
    queue = TraceQueue(10, BIG, counters)
    queue.put(trace("a", spans=3))
    queue.put_feedback(feedback("b"))
    queue.put(trace("c"))
    queue.take(4, BIG)
    queue.settle_spans()
    queue.drop_taken()
    assert (counters.read().dropped, counters.read().feedback.dropped) == (0, 1)
    assert names(queue) == ["c"]
    queue.drop_taken()
    assert counters.read().dropped == 1
    assert queue.is_settled(queue.last_number)


@pytest.mark.parametrize(
    "ids", [(), ("a",) * 20, tuple(range(20)), (None, 2.5, object())], ids=["none", "text", "int", "any"]
)
def test_usual_ids_count_by_their_number(ids: tuple[object, ...]) -> None:
    span = RecordedSpan("x")
    span.fields["output_documents"] = Documents(ids, None)
    assert estimated_bytes([span]) == SPAN_BYTES + 1 + DOCUMENT_BYTES * len(ids)
