"""One trace that cannot be judged, or is too large, takes nothing from the others; nor does a long catch-up."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from tests.monitor.foreign.conftest import Seen
from tests.samples.otlp import NOW, span, trace_id

from ragvigil import attributes as names
from ragvigil_monitor.api.own_problems import own_problems
from ragvigil_monitor.foreign.job import settle_foreign
from ragvigil_monitor.foreign.unsettled import MOST_PROBLEMS, Problem, Reason, Unsettled
from ragvigil_monitor.foreign.writing import MOST_SPANS
from ragvigil_monitor.job import Job
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, database
from ragvigil_monitor.store.database import query_text

AFTER = timedelta(minutes=5)


def answer(trace: int, **given: Any) -> list[Any]:
    return [
        span(1, {names.SPAN_KIND: "CHAIN", names.INPUT_VALUE: f"question {trace}"}, trace=trace, **given),
        span(2, {names.SPAN_KIND: "LLM"}, trace=trace, parent=1, **given),
    ]


def run(service: Service, after: timedelta = AFTER, **options: Any) -> None:
    job = Job("foreign_answers", 0, lambda service, turn: settle_foreign(service, turn, **options))
    run_due(service, NOW + after, listed=lambda _settings: [job])


def told(service: Service, after: timedelta = AFTER) -> list[str]:
    return [f"{each.part}: {each.detail}" for each in own_problems(service, NOW + after)]


def counted(store: Store) -> dict[str, int]:
    rows = store.rows("ingest_totals")
    return {row["outcome"]: row["items"] for row in rows if "trace" in row["outcome"]}


def answered(store: Store) -> set[int]:
    return {int.from_bytes(row["trace_id"]) for row in Seen(store).answers()}


@pytest.fixture
def broken(memory_store: Store, store_spans: Callable[..., None]) -> Callable[[int], None]:
    """Stores the spans of a trace, one of which lasted longer than any date can say."""

    def store(trace: int) -> None:
        store_spans(*answer(trace))
        with memory_store.transaction() as writer:
            writer._cursor.execute("UPDATE spans SET duration_ms = 1e300 WHERE trace_id = ?", [trace_id(trace)])

    return store


def test_a_trace_that_cannot_be_judged_keeps_no_other_from_its_answer(
    broken: Any, store_spans: Any, make_service: Any, memory_store: Store
) -> None:
    store_spans(*answer(1))
    broken(2)
    store_spans(*answer(3))
    service = make_service()
    run(service)
    assert answered(memory_store) == {1, 3}
    assert counted(memory_store) == {"flawed_trace_not_settled": 1}
    (problem,) = told(service)
    assert trace_id(2).hex() in problem
    assert "OverflowError" in problem


def test_it_is_tried_again_only_when_more_of_it_arrives(
    broken: Any, store_spans: Any, make_service: Any, memory_store: Store
) -> None:
    broken(2)
    service = make_service()
    for minutes in (5, 6, 7):
        run(service, timedelta(minutes=minutes))
    assert counted(memory_store) == {"flawed_trace_not_settled": 1}
    store_spans(span(3, {names.SPAN_KIND: "LLM"}, trace=2, parent=1))
    run(service, timedelta(minutes=8))
    assert counted(memory_store) == {"flawed_trace_not_settled": 2}


def test_one_that_can_be_judged_after_all_is_no_problem_any_more(
    broken: Any, store_spans: Any, make_service: Any, memory_store: Store
) -> None:
    broken(2)
    service = make_service()
    run(service)
    with memory_store.transaction() as writer:
        writer._cursor.execute("UPDATE spans SET duration_ms = 1")
    store_spans(span(3, {names.SPAN_KIND: "LLM"}, trace=2, parent=1))
    run(service, timedelta(minutes=6))
    assert answered(memory_store) == {2}
    assert told(service) == []


def test_what_the_store_refuses_of_one_trace_keeps_no_other_from_its_answer(
    store_spans: Any, make_service: Any, memory_store: Store
) -> None:
    store_spans(*answer(1), *answer(2), *answer(3))
    with memory_store.transaction() as writer:
        writer._cursor.execute("CREATE UNIQUE INDEX one_question ON answers (question)")
        writer._cursor.execute("""UPDATE spans SET attributes = replace(attributes, 'question 2', 'question 1')""")
    service = make_service()
    run(service)
    assert len(answered(memory_store)) == 2
    assert counted(memory_store) == {"flawed_trace_not_settled": 1}
    assert len(told(service)) == 1


def test_traces_that_are_too_large_are_counted_and_shown(
    store_spans: Any, make_service: Any, memory_store: Store
) -> None:
    long = span(3, {names.SPAN_KIND: "LLM", names.INPUT_VALUE: "x" * 30_000}, trace=2, parent=1)
    store_spans(*answer(1), *answer(2), long)
    service = make_service()
    run(service, most_bytes=20_000)
    run(service, timedelta(minutes=6), most_bytes=20_000)
    assert answered(memory_store) == {1}
    assert counted(memory_store) == {"flawed_trace_too_large": 1}
    (problem,) = told(service)
    assert "too large" in problem
    assert trace_id(2).hex() in problem
    assert told(service, timedelta(days=1, minutes=6)) == []


def test_what_waits_and_does_not_change_is_not_read_again(store_spans: Any, make_service: Any) -> None:
    store_spans(span(1, {names.SPAN_KIND: "RETRIEVER"}))
    service = make_service()
    with asked() as questions:
        run(service)
        run(service, timedelta(minutes=6))
    assert questions.count("spans_to_settle") == 1


def test_a_clock_that_runs_ahead_delays_no_answer(store_spans: Any, make_service: Any, memory_store: Store) -> None:
    store_spans(*answer(1, started_at=NOW + timedelta(minutes=50)))
    service = make_service()
    run(service, timedelta(seconds=0))
    assert answered(memory_store) == set()
    run(service, timedelta(seconds=11))
    assert answered(memory_store) == {1}


def test_a_catch_up_writes_in_short_transactions(store_spans: Any, make_service: Any, memory_store: Store) -> None:
    traces = 3 * MOST_SPANS // 2
    store_spans(*(each for trace in range(1, traces + 1) for each in answer(trace)))
    service = make_service()
    with asked() as questions:
        run(service)
    assert len(answered(memory_store)) == traces
    assert questions.count("insert_answers") == 3
    assert questions.index("spans_to_settle") < questions.index("insert_answers")


def test_the_sums_of_hours_in_which_answers_are_found_are_made_anew(
    store_spans: Any, make_service: Any, memory_store: Store
) -> None:
    store_spans(*answer(1))
    with memory_store.transaction() as writer:
        writer._cursor.execute(
            "INSERT INTO summed_hours (hour, state) VALUES (?, 'summed')", [NOW.replace(tzinfo=None)]
        )
    run(make_service())
    states = Seen(memory_store)._all("SELECT state FROM summed_hours WHERE hour = '2026-11-30 03:00:00'")
    assert states == [{"state": "stale"}]


def test_only_the_newest_problems_are_remembered() -> None:
    known = Unsettled()
    for number in range(MOST_PROBLEMS + 5):
        known.note(Problem(trace_id(number), "shop", Reason.FAILED, "", NOW))
    ((reason, problems),) = known.problems(NOW)
    assert (reason, len(problems)) == (Reason.FAILED, MOST_PROBLEMS)
    assert problems[-1].trace_id == trace_id(MOST_PROBLEMS + 4)


@contextmanager
def asked() -> Iterator[list[str]]:
    """The questions that the store is asked meanwhile, in order."""
    questions: list[str] = []

    def noted(question: str) -> str:
        questions.append(question)
        return query_text(question)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "query_text", noted)
        yield questions
