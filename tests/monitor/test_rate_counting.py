"""Rates are counted hour by hour, again only where more arrived, and then as if all had been there at first."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import span, traces
from tests.samples.servers import running_service

from ragvigil import attributes as names
from ragvigil_monitor.job import Job
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

START = datetime(2026, 11, 30, 0, 0, tzinfo=UTC)
END = START + timedelta(hours=8)
RECEIVED = START + timedelta(days=30)
COUNTED = ("rate_counts", "rate_slices")


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(fresh_store()) as opened:
        yield opened


def receive(store: Store, *answers: tuple[int, float, str]) -> None:
    """Answers as (number, hours after the start, question), all of one session."""
    spans = [
        span(
            1,
            {
                names.ANSWER_ID: str(number),
                names.SESSION_ID: "session",
                names.INTENT: f"intent-{number % 2}",
                f"{names.SLICE_PREFIX}team": "data",
                names.INPUT_VALUE: question,
            },
            trace=number + 1,
            started_at=START + timedelta(hours=after_h),
        )
        for number, after_h, question in answers
    ]
    with store.transaction() as writer:
        write(writer, decode_traces(traces(*spans).SerializeToString(), microseconds(RECEIVED)), RECEIVED)


def count(store: Store, now: datetime) -> None:
    """Run the job of one rate."""

    def listed(settings: Settings) -> list[Job]:
        return [job for job in jobs(settings) if job.name == "regeneration_rate_counts"]

    with running_service(store, Keys.generate(), lambda: now) as service:
        run_due(service, now, listed=listed)
    assert store.rows("job_problems_now") == []


def counted(store: Store) -> dict[str, list[Any]]:
    """Every row of both tables, in order."""
    cursor = store._cursor()
    return {table: sorted(map(str, cursor.table(table).fetchall())) for table in COUNTED}


def test_what_came_late_is_counted_as_if_it_had_come_in_time(store: Store) -> None:
    early = [(number, number / 4, f"what is {number}") for number in range(16)]
    late = [(16, 1.6, "what is 5"), (17, 3.05, "what is 11")]
    receive(store, *early)
    count(store, START + timedelta(hours=6))
    before = counted(store)
    receive(store, *late)
    count(store, END)
    with closing(fresh_store()) as other:
        receive(other, *early, *late)
        count(other, END)
        assert counted(store) == counted(other)
    assert counted(store) != before


def test_a_question_that_comes_late_takes_its_repetition_out_of_the_next_hour(store: Store) -> None:
    early = [(0, 0.5, "what is 0"), (1, 2.1, "what is 1"), (2, 2.5, "what is 2")]
    receive(store, *early)
    count(store, START + timedelta(hours=6))
    assert (events(store), totals(store)) == (0, 3)
    receive(store, (3, 1.9, "what is 1"))
    count(store, END)
    assert (events(store), totals(store)) == (1, 3)


def test_feedback_that_comes_late_is_counted(store: Store) -> None:
    receive(store, *((number, number / 4, f"what is {number}") for number in range(16)))
    count(store, START + timedelta(hours=6))
    assert events(store) == 0
    given = {
        "feedback_id": ["f"],
        "event_number": [1],
        "service": ["shop"],
        "kind": ["regenerate"],
        **{name: [_naive(START + timedelta(minutes=91))] for name in ("occurred_at", "observed_at", "given_at")},
        "trace_id": [(7).to_bytes(16)],
        "answer_span_id": [(1).to_bytes(8)],
        "answer_started_at": [_naive(START + timedelta(hours=1, minutes=30))],
    }
    cursor = store._cursor()
    cursor.register("given", pa.table(given))
    cursor.execute("INSERT INTO feedback BY NAME SELECT * FROM given")
    count(store, END)
    assert events(store) == 1


WEEK_H = 7 * 24


def test_slices_of_the_past_are_counted_the_newest_first_and_then_no_more(store: Store) -> None:
    """As after an upgrade or an import: rates were counted for the past, their slices were not."""
    receive(store, *((number, number / 2, f"what is {number}") for number in range(2 * WEEK_H)))
    now = START + timedelta(hours=WEEK_H + 2)
    count(store, now)
    expected = counted(store)
    with store.transaction() as writer:
        writer.run("DELETE FROM rate_slices")
        writer.run("DELETE FROM rate_hours")
    sliced: list[set[datetime]] = []
    for later in range(1, 6):
        count(store, now + timedelta(hours=later))
        sliced.append({row["hour"] for row in store.ask("SELECT DISTINCT hour FROM rate_slices")})
    assert len(sliced[1] - sliced[0]) == 48
    assert min(sliced[1] - sliced[0]) < min(sliced[0])
    assert counted(store) == expected


def test_hours_of_the_past_for_which_answers_came_are_sliced_anew_but_their_rates_stay(store: Store) -> None:
    receive(store, *((number, number / 2, f"what is {number}") for number in range(4 * 24)))
    count(store, START + timedelta(hours=60))
    before = counted(store)
    receive(store, (200, 1.2, "what came late"))
    count(store, START + timedelta(hours=61))
    after = counted(store)
    assert after["rate_counts"] == before["rate_counts"]
    assert after["rate_slices"] != before["rate_slices"]


def test_hours_that_were_counted_in_another_way_are_counted_anew_the_newest_first(store: Store) -> None:
    """As after an upgrade that counts otherwise: what is judged is compared with its like."""
    receive(store, *((number, number / 4, f"what is {number // 2}") for number in range(8 * 60)))
    now = START + timedelta(hours=122)
    count(store, now)
    expected = counted(store)
    with store.transaction() as writer:
        writer.run("UPDATE rate_counts SET events = 0, totals = totals + 1 WHERE signal = 'regeneration_rate'")
        writer.run("DELETE FROM rate_hours WHERE signal = 'regeneration_rate'")
    right = []
    for later in range(1, 5):
        count(store, now + timedelta(hours=later))
        right.append(len(set(expected["rate_counts"]) & set(counted(store)["rate_counts"])))
    assert 0 < right[0] < right[1] < right[2]
    assert counted(store) == expected


def test_hours_without_news_are_not_counted_again(store: Store) -> None:
    receive(store, *((number, number / 4, f"what is {number}") for number in range(16)))
    count(store, START + timedelta(hours=6))
    window = {"signal": "regeneration_rate", "window_start": START, "window_end": END}
    assert store.rows("rate_hours_changed", **window) == []
    receive(store, (20, 2.5, "what is new"))
    assert [row["hour"] for row in store.rows("rate_hours_changed", **window)] == [START + timedelta(hours=2)]


def events(store: Store) -> float:
    """Events of all answers."""
    asked = {"signal": "regeneration_rate", "origin": START, "window_start": START, "window_end": END}
    rows = store.rows("rate_by_hour", series="all", below=False, **asked)
    return float(sum(row["over_limit"] for row in rows))


def totals(store: Store) -> float:
    """Answers that count."""
    asked = {"signal": "regeneration_rate", "origin": START, "window_start": START, "window_end": END}
    return float(sum(row["n"] for row in store.rows("rate_by_hour", series="all", below=False, **asked)))


def _naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)
