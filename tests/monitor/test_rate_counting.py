"""Rates are counted hour by hour, again only where more arrived, and then as if all had been there at first."""

import itertools
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import span, traces
from tests.samples.servers import running_service

from ragvigil import attributes as names
from ragvigil_monitor import rate_counting
from ragvigil_monitor.job import Job, Turn
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.rate_history import count_history, counted_otherwise, is_alike
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.receiver.writing import write
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

START = datetime(2026, 11, 30, 0, 0, tzinfo=UTC)
END = START + timedelta(hours=8)
RECEIVED = START + timedelta(days=30)
FIVE_DAYS = [(number, number / 4, f"what is {number - (number % 10 == 1)}") for number in range(8 * 60)]
COUNTED = ("rate_counts", "rate_slices")
HOUR = timedelta(hours=1)


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


def count(store: Store, now: datetime, *names_of_jobs: str) -> None:
    """Run the jobs of one rate."""
    wanted = names_of_jobs or ("regeneration_rate_history", "regeneration_rate_counts")

    def listed(settings: Settings) -> list[Job]:
        return [job for job in jobs(settings) if job.name in wanted]

    with running_service(store, Keys.generate(), lambda: now) as service:
        run_due(service, now, listed=listed)
    assert store.rows("job_problems_now") == []


def count_history_whole(store: Store, now: datetime) -> None:
    """Run the job until nothing is left, as the schedule does within some minutes."""
    with running_service(store, Keys.generate(), lambda: now) as service:
        deadline = time.monotonic() + 60
        while counted_otherwise(store, "regeneration_rate", START - timedelta(days=90), now):
            assert time.monotonic() < deadline
            count_history("regeneration_rate", service, Turn(START, [now], now))


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


@pytest.mark.parametrize("together", [9, 5000])
def test_hours_that_are_counted_together_are_counted_as_if_each_were_alone(
    monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    found = []
    for most in (0, together):
        monkeypatch.setattr(rate_counting, "MOST_TOGETHER", most)
        with closing(fresh_store()) as counting:
            receive(counting, *FIVE_DAYS[:32])
            count(counting, END)
            found.append(counted(counting))
    alone, in_spans = found
    assert alone["rate_counts"]
    assert in_spans == alone


def test_hours_are_taken_together_while_they_follow_each_other_and_are_small() -> None:
    sizes = {0: 4, 1: 6, 2: 1, 4: 1, 5: 11, 6: 1, 7: 11}

    def found(hours: Iterable[int]) -> list[tuple[int, int]]:
        given = [START + hour * HOUR for hour in hours]
        spans = rate_counting.stretches(given, lambda hour: sizes[(hour - START) // HOUR], 10)
        return [((first - START) // HOUR, (end - START) // HOUR) for first, end in spans]

    assert found(sizes) == [(0, 2), (2, 3), (4, 5), (5, 6), (6, 7), (7, 8)]
    assert found(reversed(sizes)) == [(7, 8), (6, 7), (5, 6), (4, 5), (1, 3), (0, 1)]
    assert found([]) == []


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


def test_slices_of_the_past_are_counted(store: Store) -> None:
    """As after an upgrade or an import: rates were counted for the past, their slices were not."""
    receive(store, *((number, number / 2, f"what is {number}") for number in range(2 * WEEK_H)))
    now = START + timedelta(hours=WEEK_H + 2)
    count(store, now)
    expected = counted(store)
    with store.transaction() as writer:
        writer.run("DELETE FROM rate_slices")
        writer.run("DELETE FROM rate_hours")
    count_history_whole(store, now)
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


def count_otherwise(store: Store) -> None:
    """As an earlier version did, before an upgrade."""
    with store.transaction() as writer:
        writer.run("UPDATE rate_counts SET events = 0, totals = totals + 1 WHERE signal = 'regeneration_rate'")
        writer.run("DELETE FROM rate_hours WHERE signal = 'regeneration_rate'")


def test_hours_that_were_counted_in_another_way_are_counted_anew(store: Store) -> None:
    """What is judged is compared with its like."""
    receive(store, *FIVE_DAYS)
    now = START + timedelta(hours=122)
    count(store, now)
    expected = counted(store)
    count_otherwise(store)
    count_history_whole(store, now)
    assert counted(store) == expected


def test_a_run_counts_for_some_seconds_the_newest_hours_first(store: Store) -> None:
    receive(store, *FIVE_DAYS)
    now = START + timedelta(hours=122)
    count(store, now)
    expected = set(counted(store)["rate_counts"])
    count_otherwise(store)
    left = []
    for _ in range(3):
        seconds = itertools.count()
        with running_service(store, Keys.generate(), lambda: now) as service:
            turn = Turn(START, [now], now)
            assert count_history("regeneration_rate", service, turn, clock=lambda: float(next(seconds))) is None  # noqa: B023
        left.append(counted_otherwise(store, "regeneration_rate", START, now))
    whole = 120
    assert [whole - len(hours) for hours in left] == [24, 48, 72]
    assert left[-1][0] == START + timedelta(hours=whole - 73)
    right = [row for row in counted(store)["rate_counts"] if row in expected]
    assert len(right) >= 72


def test_a_look_waits_while_the_history_is_counted_in_two_ways_and_is_then_taken(store: Store) -> None:
    receive(store, *FIVE_DAYS)
    now, later = START + timedelta(hours=100), START + timedelta(hours=122)
    looks = ("regeneration_rate_counts", "regeneration_rate")
    count(store, now, *looks)
    judged = store.ask("SELECT max(window_end) AS until, count(*) AS n FROM estimates")
    count_otherwise(store)
    count(store, later, *looks)
    assert store.ask("SELECT max(window_end) AS until, count(*) AS n FROM estimates") == judged
    count_history_whole(store, later)
    count(store, later, *looks)
    with closing(Store.open(None)) as other:
        receive(other, *FIVE_DAYS)
        count(other, later, *looks)
        asked = "SELECT * FROM estimates WHERE window_end > $now ORDER BY ALL"
        assert store.ask(asked, now=now) == other.ask(asked, now=now) != []


def test_counts_without_answers_keep_nobody_waiting(store: Store) -> None:
    """As after an import of counts alone."""
    receive(store, *((number, number / 4, f"what is {number // 2}") for number in range(16)))
    count(store, END)
    before = counted(store)
    with store.transaction() as writer:
        writer.run("DELETE FROM rate_hours")
        writer.run("DELETE FROM answers")
    assert is_alike("regeneration_rate", store, END)
    count(store, END)
    assert counted(store) == before


def test_looks_that_are_behind_have_the_history_that_they_compare_counted_anew(store: Store) -> None:
    """A service that was off for longer than a history still goes on."""
    receive(store, *FIVE_DAYS)
    looks = ("regeneration_rate_history", "regeneration_rate_counts", "regeneration_rate")
    count(store, START + timedelta(hours=122), *looks)
    count_otherwise(store)
    for run in range(12):
        count(store, START + timedelta(days=60, hours=run), *looks)
    assert counted_otherwise(store, "regeneration_rate", START, RECEIVED) == []
    (row,) = store.ask("SELECT max(window_end) AS until FROM estimates")
    assert row["until"] > START + timedelta(days=59)


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
