"""What is deferred to the end of a trace is done once, whoever ends it."""

import threading

import pytest

import ragvigil
from ragvigil import current
from ragvigil.opentrace import MAX_DEFERRED, OpenTrace
from ragvigil.span import RecordedSpan
from ragvigil.testing import InMemoryExporter


@pytest.fixture
def trace() -> OpenTrace:
    ragvigil.configure(exporter=InMemoryExporter())
    assert current.recorder is not None
    return OpenTrace(current.recorder)


def test_it_is_done_after_the_outermost_span_in_order(trace: OpenTrace) -> None:
    done: list[str] = []
    assert trace.defer(lambda: done.append("first"))
    assert trace.defer(lambda: done.append("second"))
    assert done == []
    trace.close(RecordedSpan("answer"))
    assert done == ["first", "second"]


def test_after_the_end_it_is_done_at_once(trace: OpenTrace) -> None:
    done: list[str] = []
    trace.close(RecordedSpan("answer"))
    assert trace.defer(lambda: done.append("late"))
    assert done == ["late"]


def test_no_more_than_a_few_wait(trace: OpenTrace) -> None:
    done: list[int] = []
    taken = [trace.defer(lambda: done.append(1)) for _ in range(MAX_DEFERRED + 5)]
    assert taken == [True] * MAX_DEFERRED + [False] * 5
    trace.close(RecordedSpan("answer"))
    assert len(done) == MAX_DEFERRED


def test_threads_at_the_end_do_it_once(trace: OpenTrace) -> None:
    done: list[int] = []
    taken: list[bool] = []
    start = threading.Barrier(4)

    def defer() -> None:
        start.wait(10)
        taken.extend([trace.defer(lambda: done.append(1)) for _ in range(5)])

    threads = [threading.Thread(target=defer) for _ in range(3)]
    for thread in threads:
        thread.start()
    start.wait(10)
    trace.close(RecordedSpan("answer"))
    for thread in threads:
        thread.join()
    assert taken == [True] * 15
    assert len(done) == 15
