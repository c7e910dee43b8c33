"""Hours added up: whatever arrives, in whatever order and however late, sums and spans tell the same."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import span, span_id, traces
from tests.samples.servers import running_service

from ragvigil import attributes as names
from ragvigil_monitor.api.answer_lists import Order, listed_answers
from ragvigil_monitor.api.oncall_completeness import completeness, processes
from ragvigil_monitor.api.windows import TimeRange
from ragvigil_monitor.conventions.provenance import DOCUMENTS_WITHOUT_ID
from ragvigil_monitor.hour_sums import HOUR_SUMS, Segment, pass_hours, segments
from ragvigil_monitor.job import Job, Turn, Write
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.retention import RETENTION, remove_old
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.signals.cost_per_query import estimate as cost
from ragvigil_monitor.signals.latency_p95 import estimate as latency
from ragvigil_monitor.signals.signal import Look, Window
from ragvigil_monitor.store import Store
from ragvigil_monitor.telemetry_tables import PROCESS_COUNTS, to_arrow

START = datetime(2026, 11, 23, 0, 0, tzinfo=UTC)
HOURS = 30
END = START + timedelta(hours=HOURS)


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(fresh_store()) as opened:
        yield opened


def answer(number: int, after_h: float, ms: float, stage_late_h: float = 0.01) -> Any:
    """An export request: an answer with one stage that has a cost."""
    started_at = START + timedelta(hours=after_h)
    given = {names.ANSWER_ID: str(number), names.INTENT: f"intent-{number % 2}"}
    root = span(1, given, trace=number + 1, started_at=started_at, duration_ms=ms)
    worked = {names.STAGE: "generate", names.ANSWER_SPAN_ID: span_id(1).hex(), names.STAGE_COST: ms / 1000}
    stage = span(
        2, worked, trace=number + 1, parent=1, started_at=started_at + timedelta(hours=stage_late_h), duration_ms=ms / 2
    )
    return root, stage


def receive(store: Store, *spans: Any, at: datetime = END) -> None:
    """Store a request as the receiver does."""
    batch = decode_traces(traces(*spans).SerializeToString(), microseconds(at))
    with store.transaction() as writer:
        write(writer, batch, at)


def add_up(store: Store, now: datetime) -> None:
    """Run the job alone."""
    with running_service(store, Keys.generate(), lambda: now) as service:
        run_due(service, now, listed=lambda _settings: [HOUR_SUMS])
        assert store.rows("job_problems_now") == []


def told(store: Store, start: datetime, end: datetime) -> dict[str, Any]:
    """What every reader of sums says of a time range."""
    within = TimeRange(start, end)
    with running_service(store, Keys.generate(), lambda: end) as service:
        look = Look(store, Window(end, round((end - start).total_seconds())), service.settings, alpha=0.01)
    lists = {
        (order, stage, intent): listed_answers(store, within, order, stage=stage, intent=intent, limit=7)
        for order in ("slowest", "costliest", "newest")
        for stage in (None, "generate")
        for intent in (None, "intent-1")
    }
    telling: Counter[str] = Counter()
    for part in segments(store, start, end):
        question = "telling_summed" if part.is_summed else "telling_raw"
        for row in store.rows(question, start=part.start, end=part.end, service=None):
            del row["service"]
            telling.update(row)
    return {"lists": lists, "cost": cost(look), "latency": latency(look), "telling": dict(telling)}


def told_by_spans(store: Store, start: datetime, end: datetime) -> dict[str, Any]:
    """The same, as if nothing had ever been added up."""
    cursor = store._cursor()
    cursor.execute("BEGIN")
    cursor.execute("DELETE FROM summed_hours")
    try:
        return told(store, start, end)
    finally:
        cursor.execute("ROLLBACK")


LATE_H = (-0.9, 0.0, 0.01, 0.99, 1.5)
"""How long after its answer a stage may start; the last is too late to belong to it."""
batches_of_spans = st.lists(
    st.lists(st.tuples(st.integers(0, 39), st.sampled_from(["answer", "stage", "both"])), max_size=12),
    min_size=1,
    max_size=4,
)


def part(number: int, which: str) -> Any:
    """The same answer for the same number: its span, that of its stage, or both with the stage first."""
    root, stage = answer(number, 0.71 * number, 37.0 * (number * 7 % 40), LATE_H[number % 5])
    return {"answer": [root], "stage": [stage], "both": [stage, root]}[which]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(batches=batches_of_spans, hours=st.tuples(st.floats(0, 10), st.floats(12, HOURS)))
def test_sums_and_spans_tell_the_same_however_late_and_often_spans_come(
    batches: list[list[tuple[int, str]]], hours: tuple[float, float]
) -> None:
    with closing(fresh_store()) as store:
        for number, batch in enumerate(batches):
            receive(store, *(each for one in batch for each in part(*one)))
            if number < 3:
                add_up(store, START + timedelta(hours=10 * (number + 1)))
        start, end = (START + timedelta(hours=hour) for hour in hours)
        assert told(store, start, end) == told_by_spans(store, start, end)


def test_a_stage_without_a_name_is_none_and_costs_the_same_from_sums_and_spans(store: Store) -> None:
    root, stage = answer(1, 0.5, 500.0)
    nameless = {names.STAGE: "", names.ANSWER_SPAN_ID: span_id(1).hex(), names.STAGE_COST: 0.25, names.SPAN_KIND: "LLM"}
    receive(store, root, stage, span(3, nameless, trace=2, parent=1, started_at=START + timedelta(hours=0.5)))
    flawed = [row["items"] for row in store.rows("ingest_totals") if row["outcome"] == "flawed_bad_stage"]
    assert flawed == [1]
    window = {"window_start": START, "window_end": START + timedelta(hours=1)}
    raw = list(store.columns("costs_of_answers", **window)["value"])
    add_up(store, END)
    assert list(store.columns("costs_summed", **window)["value"]) == raw == [0.5]


def test_a_stage_without_a_name_that_an_import_brought_costs_nothing(store: Store) -> None:
    receive(store, *answer(1, 0.5, 500.0))
    with store.transaction() as writer:
        writer.run("UPDATE spans SET stage = '' WHERE stage = 'generate'")
    window = {"window_start": START, "window_end": START + timedelta(hours=1)}
    assert np.isnan(store.columns("costs_of_answers", **window)["value"]).tolist() == [True]
    add_up(store, END)
    assert np.isnan(store.columns("costs_summed", **window)["value"]).tolist() == [True]


def test_an_hour_is_summed_two_hours_after_its_end_and_stale_when_more_comes(store: Store) -> None:
    receive(store, *answer(1, 0.5, 100.0), *answer(2, 5.5, 100.0))
    add_up(store, START + timedelta(hours=7, minutes=59))
    hour = timedelta(hours=1)
    assert segments(store, START, START + 6 * hour) == [
        Segment(START, START + hour, True),
        Segment(START + hour, START + 6 * hour, False),
    ]
    add_up(store, START + timedelta(hours=8))
    assert segments(store, START, START + 6 * hour) == [Segment(START, START + 6 * hour, True)]
    receive(store, *answer(3, 3.5, 100.0))
    assert [part.is_summed for part in segments(store, START, START + 6 * hour)] == [True, False, True]
    add_up(store, START + timedelta(hours=8))
    assert segments(store, START, START + 6 * hour) == [Segment(START, START + 6 * hour, True)]


def test_parts_of_hours_are_never_summed(store: Store) -> None:
    receive(store, *answer(1, 0.5, 100.0), *answer(2, 5.5, 100.0))
    add_up(store, END)
    start, end = START + timedelta(minutes=30), START + timedelta(hours=5, minutes=30)
    parts = segments(store, start, end)
    assert [part.is_summed for part in parts] == [False, True, False]
    assert (parts[0].start, parts[-1].end) == (start, end)


def test_the_same_spans_again_leave_sums_as_they_are(store: Store) -> None:
    receive(store, *answer(1, 0.5, 100.0))
    add_up(store, END)
    receive(store, *answer(1, 0.5, 100.0))
    assert store.row("summed_hours_between", start=START, end=END)["stale"] == []


def searched(number: int, without_id: object, after_h: float = 0.5) -> Any:
    """A search that says of how many documents it had no id."""
    attributes = {names.STAGE: "retrieve", names.SPAN_KIND: "RETRIEVER", DOCUMENTS_WITHOUT_ID: without_id}
    return span(number, attributes, trace=number, started_at=START + timedelta(hours=after_h))


def test_numbers_that_no_search_can_have_are_not_added_up(store: Store) -> None:
    receive(store, *(searched(number, 3) for number in range(1, 8)))
    told_by_senders = [2**63 - 1, 2**63 - 1, -(2**63), -5, 1_000_001, "many", [1]]
    with store.transaction() as writer:
        for number, without_id in enumerate(told_by_senders, 1):
            told = json.dumps({DOCUMENTS_WITHOUT_ID: without_id})
            writer.run("UPDATE spans SET attributes = $told WHERE trace_id = $id", told=told, id=number.to_bytes(16))
    receive(store, searched(8, 1_000_000), searched(9, 2))
    raw = store.row("telling_raw", start=START, end=END, service=None)
    assert raw["documents_without_id"] == 1_000_002
    add_up(store, END)
    assert store.row("telling_summed", start=START, end=END, service=None) == raw


@pytest.fixture
def refusing(store: Store) -> Store:
    """A store that can add up no hour in which two processes told something: such are 4, 8 and 12."""
    for hour in range(14):
        receive(store, *answer(hour, hour + 0.5, 100.0))
    for hour in (4, 8, 12):
        other = traces(
            span(9, trace=90 + hour, started_at=START + timedelta(hours=hour)), resource={"service.name": "b"}
        )
        with store.transaction() as writer:
            write(writer, decode_traces(other.SerializeToString(), microseconds(END)), END)
    with store.transaction() as writer:
        writer.run("CREATE UNIQUE INDEX one_process ON arrivals (hour)")
    return store


def run_alone(store: Store, now: datetime, job: Job = HOUR_SUMS) -> list[str]:
    """Run a job; the problems that it has."""
    with running_service(store, Keys.generate(), lambda: now) as service:
        run_due(service, now, listed=lambda _settings: [job])
    return [row["error"] for row in store.rows("job_problems_now")]


def test_hours_that_cannot_be_added_up_hold_up_no_others_and_are_told(refusing: Store) -> None:
    (problem,) = run_alone(refusing, END)
    assert problem.startswith(
        "HoursNotSummed: 3 hours cannot be added up, the newest 2026-11-23T12:00:00+00:00: The data"
    )
    summed = [part for part in segments(refusing, START, START + timedelta(hours=14)) if not part.is_summed]
    assert [part.start.hour for part in summed] == [4, 8, 12]
    assert told(refusing, START, END) == told_by_spans(refusing, START, END)


def test_an_hour_that_failed_is_added_up_once_it_can_be(refusing: Store) -> None:
    assert len(run_alone(refusing, END)) == 1
    with refusing.transaction() as writer:
        writer.run("DROP INDEX one_process")
    assert run_alone(refusing, END) == []
    assert [part.is_summed for part in segments(refusing, START, START + timedelta(hours=14))] == [True]


def test_hours_that_failed_are_tried_when_the_others_are_done(refusing: Store) -> None:
    run_alone(refusing, END)
    receive(refusing, *answer(50, 1.2, 100.0))
    waiting = [row["hour"].hour for row in refusing.rows("hours_to_sum", most=9)]
    assert waiting == [2, 1, 0, 12, 8, 4]


def test_an_hour_that_cannot_be_added_up_does_not_keep_spans_for_ever(refusing: Store) -> None:
    later = START + timedelta(days=40)
    for failures in (1, 2, 3):
        assert len(run_alone(refusing, later)) == 1
        run_alone(refusing, later, RETENTION)
        left = refusing.row("arrival_of_trace", trace_id=(5).to_bytes(16), start=START, end=END)["spans"]
        assert left == (0 if failures == 3 else 2)
    assert run_alone(refusing, later) == []
    within = TimeRange(START, START + timedelta(hours=14))
    assert len(listed_answers(refusing, within, "slowest", stage=None, intent=None, limit=99)) == 14


def test_sums_stay_when_the_spans_are_removed(store: Store) -> None:
    receive(store, *(each for number in range(50) for each in answer(number, number / 10, 10.0 * number)))
    add_up(store, END)
    before = told(store, START, START + timedelta(hours=5))
    remove(store, START + timedelta(days=40))
    assert store.rows("spans_of_trace", trace_id=b"\0" * 15 + b"\1", start=START, end=END, limit=9) == []
    after = told(store, START, START + timedelta(hours=5))
    assert after["cost"] == before["cost"]
    assert after["telling"] == before["telling"]
    ranked = ("slowest", "generate", None)
    assert after["lists"][ranked] == before["lists"][ranked]


@pytest.mark.parametrize("order", ["newest", "costliest", "slowest"])
@pytest.mark.parametrize("cut", [timedelta(0), timedelta(minutes=20)], ids=["whole hours", "parts of hours"])
def test_every_list_tells_costs_when_the_spans_are_removed(store: Store, order: Order, cut: timedelta) -> None:
    receive(store, *(each for number in range(50) for each in answer(number, number / 10, 10.0 + number)))
    add_up(store, END)
    within = TimeRange(START + cut, START + timedelta(hours=5) - cut)
    before = listed_answers(store, within, order, stage=None, intent=None, limit=60)
    assert all(row["cost_usd"] for row in before)
    remove(store, START + timedelta(days=40))
    assert listed_answers(store, within, order, stage=None, intent=None, limit=60) == before


def test_an_answer_that_comes_for_a_final_hour_is_ranked_with_its_stages(store: Store) -> None:
    later = START + timedelta(days=40)
    receive(store, *answer(1, 0.5, 100.0), *answer(2, 5.5, 100.0))
    add_up(store, END)
    remove(store, later)
    receive(store, *answer(3, 0.6, 300.0), at=later)
    add_up(store, later)
    within = TimeRange(START, START + timedelta(hours=6))
    for order in ("slowest", "costliest"):
        found = listed_answers(store, within, order, stage="generate", intent=None, limit=9)
        assert [(row["answer_id"], row["cost_usd"]) for row in found] == [("3", 0.3), ("2", 0.1), ("1", 0.1)]
    remove(store, later + timedelta(days=1))
    add_up(store, later)
    assert listed_answers(store, within, "costliest", stage="generate", intent=None, limit=9) == found


def outcomes(store: Store) -> dict[str, int]:
    return {row["outcome"]: row["items"] for row in store.rows("ingest_totals")}


def test_late_answers_of_a_final_hour_are_in_its_counts_and_their_stages_are_told_to_be_missing(store: Store) -> None:
    later = START + timedelta(days=40)
    within = (START, START + timedelta(hours=30))
    receive(store, *(each for number in range(1, 60) for each in answer(number, number / 10, 100.0)))
    add_up(store, END)
    remove(store, later)
    before = told(store, *within)
    receive(store, *(each for number in range(60, 120) for each in answer(number, number / 20, 300.0)), at=later)
    assert outcomes(store)["flawed_after_removal"] == 120
    add_up(store, later)
    after = told(store, *within)
    assert after["latency"]["answer"].n == before["latency"]["answer"].n + 60 == 119
    assert after["latency"]["answer"].value == pytest.approx(300.0, rel=0.01)
    assert after["latency"]["generate"] == before["latency"]["generate"]
    assert after["telling"]["answers"] == after["telling"]["answers_without_text"] == 119
    assert after["telling"]["spans"] == before["telling"]["spans"]


def test_what_comes_again_for_a_final_hour_changes_nothing_and_is_told(store: Store) -> None:
    later = START + timedelta(days=40)
    within = (START, START + timedelta(hours=30))
    sent = [*(each for number in range(1, 40) for each in answer(number, number / 10, 100.0))]
    receive(store, *sent)
    add_up(store, END)
    remove(store, later)
    before = told(store, *within)
    stored = len(store.ask("SELECT 1 FROM answers"))
    for _ in range(2):
        receive(store, *sent, at=later)
        add_up(store, later)
    assert len(store.ask("SELECT 1 FROM answers")) == stored == 39
    assert told(store, *within) == before
    assert outcomes(store) == {"spans_committed": 78, "spans_duplicate": 78, "ignored_after_removal": 78}
    remove(store, later + timedelta(days=1))
    assert told(store, *within) == before


def test_a_new_answer_beside_one_that_is_closed_is_stored(store: Store) -> None:
    """An agent gives many answers in a trace."""
    later = START + timedelta(days=40)
    first, stage = answer(1, 0.5, 100.0)
    receive(store, first, stage, *answer(2, 5.5, 100.0))
    add_up(store, END)
    remove(store, later)
    started_at = START + timedelta(hours=0.6)
    second = span(3, {names.ANSWER_ID: "second"}, trace=2, started_at=started_at, duration_ms=50.0)
    worked = {names.STAGE: "generate", names.ANSWER_SPAN_ID: span_id(3).hex()}
    receive(store, first, second, span(4, worked, trace=2, started_at=started_at), at=later)
    assert {row["answer_id"] for row in store.ask("SELECT answer_id FROM answers")} == {"1", "2", "second"}
    found = outcomes(store)
    assert (found["spans_committed"], found["spans_duplicate"], found["flawed_after_removal"]) == (6, 1, 2)
    assert "ignored_after_removal" not in found


def test_spans_are_not_removed_before_they_are_added_up(store: Store) -> None:
    receive(store, *answer(1, 0.5, 100.0), *answer(2, 5.5, 100.0))
    add_up(store, END)
    receive(store, *answer(3, 0.6, 100.0))
    remove(store, START + timedelta(days=40))
    assert store.row("arrival_of_trace", trace_id=(2).to_bytes(16), start=START, end=END)["spans"] == 2
    add_up(store, START + timedelta(days=40))
    remove(store, START + timedelta(days=40))
    assert store.row("arrival_of_trace", trace_id=(2).to_bytes(16), start=START, end=END)["spans"] == 0


def test_spans_of_hours_that_were_never_passed_are_not_removed(store: Store) -> None:
    """As after an import into a new store, where retention may run before any hour was added up."""
    later = START + timedelta(days=40)
    receive(store, *answer(1, 0.5, 100.0), at=START)
    run_alone(store, later, RETENTION)
    assert store.row("arrival_of_trace", trace_id=(2).to_bytes(16), start=START, end=END)["spans"] == 2
    add_up(store, later)
    run_alone(store, later, RETENTION)
    assert store.row("arrival_of_trace", trace_id=(2).to_bytes(16), start=START, end=END)["spans"] == 0
    (first, *_) = listed_answers(store, TimeRange(START, END), "costliest", stage=None, intent=None, limit=2)
    assert first["cost_usd"] == 0.1


def test_a_span_that_comes_while_retention_begins_makes_it_wait(store: Store) -> None:
    later = START + timedelta(days=40)
    receive(store, *answer(1, 0.5, 100.0), *answer(2, 5.5, 100.0))
    add_up(store, END)

    def overtaken(service: Service, turn: Turn) -> Write:
        write = remove_old(service, turn)
        receive(store, *answer(3, 0.6, 300.0))
        return write

    with running_service(store, Keys.generate(), lambda: later) as service:
        run_due(service, later, listed=lambda _settings: [replace(RETENTION, run=overtaken)])
    assert store.rows("watermark_of_job", job="retention") == []
    add_up(store, later)
    remove(store, later)
    found = listed_answers(store, TimeRange(START, END), "costliest", stage=None, intent=None, limit=9)
    assert [row["cost_usd"] for row in found] == [0.3, 0.1, 0.1]


@pytest.mark.parametrize("reported_h", [0.2, 5.2, 29.0], ids=["early", "within an hour", "late"])
def test_completeness_is_the_same_from_sums_and_while_more_arrives(store: Store, reported_h: float) -> None:
    """A process reported at a time within an hour: what started later in that hour is not of its report."""
    receive(store, *(each for number in range(60) for each in answer(number, number / 6, 10.0)))
    reported = [["process-1", "shop", None, microseconds(START + timedelta(hours=reported_h)), 150, 150, 0, 0]]
    with store.transaction() as writer:
        writer.execute_with("add_process_counts", to_arrow(PROCESS_COUNTS, reported))
    raw = stored_spans(store)
    assert raw > 0
    add_up(store, END)
    assert stored_spans(store) == raw
    receive(store, *answer(99, 0.1, 10.0))
    assert stored_spans(store) == raw + 2
    add_up(store, END)
    assert stored_spans(store) == raw + 2
    remove(store, START + timedelta(days=30, hours=6))
    assert stored_spans(store, START + timedelta(days=30, hours=6)) == raw + 2


class Overtaken(Store):
    """A store in which hours are passed as soon as a question was answered."""

    def rows(self, question: str, **values: object) -> list[dict[str, Any]]:
        found = super().rows(question, **values)
        pass_hours(Store(self._instance, self.path, self.disk), END)
        return found


def test_hours_that_are_passed_while_completeness_is_asked_for_are_counted() -> None:
    with closing(Overtaken.open(None)) as store:
        receive(store, *(each for number in range(60) for each in answer(number, number / 6, 10.0)))
        asked = {"since": START, "spans_since": START, "doctor": "doctor", "limit": 9}
        (found,) = processes(store, **asked)  # type: ignore[arg-type]
        assert found["stored"] == 120


def stored_spans(store: Store, now: datetime = END) -> int:
    """How many spans the page says are stored of the one process."""
    with running_service(store, Keys.generate(), lambda: now) as service:
        (found,) = completeness(service)
    return found.stored


def remove(store: Store, now: datetime) -> None:
    """Run the job of the retention alone."""
    with running_service(store, Keys.generate(), lambda: now) as service:
        run_due(service, now, listed=lambda _settings: [RETENTION])


def test_a_week_of_latencies_is_within_one_percent_of_its_values(store: Store) -> None:
    rng = np.random.default_rng(8)
    took = rng.lognormal(6, 1, 400)
    receive(store, *(each for n, ms in enumerate(took) for each in answer(n, n / 14.5, float(ms))))
    add_up(store, END)
    with running_service(store, Keys.generate(), lambda: END) as service:
        found = latency(Look(store, Window(END, HOURS * 3600), service.settings, alpha=0.01))["answer"]
    exact = np.sort(took)[int(np.ceil(0.95 * 400)) - 1]
    assert found.n == 400
    assert found.value == pytest.approx(exact, rel=0.0101)
    assert found.alarm_lower is not None
    assert found.alarm_lower < exact
