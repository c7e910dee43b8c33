import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.fresh_stores import fresh_store

from ragvigil_monitor.job import Job, Turn, Write
from ragvigil_monitor.schedule import due_ends, run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store, Writer

HOURLY: dict[str, Any] = {
    "schedule": {"lateness_s": 120, "tick_s": 0},
    "guardrails": {
        "latency_p95": {"slo_ms": {"answer": 1500, "rerank": 300}, "every_s": 3600, "windows_h": [1, 6]},
        "cost_per_query": {"budget_usd": {"mean": 0.01}, "every_s": 3600, "windows_h": [6]},
    },
}
DERIVED = ("estimates", "guardrail_states", "alerts", "deliveries", "markers", "job_watermarks")
AddAnswers = Callable[..., None]


@pytest.fixture
def service(make_service: Callable[..., Service]) -> Service:
    return make_service(**HOURLY)


class Seen:
    """A job that notes its turns, and fails when told to."""

    def __init__(self, every_s: int = 3600, most_ends: int = 48) -> None:
        self.turns: list[Turn] = []
        self.fails = False
        self.job = Job("seen", every_s, self.run, most_ends)

    def run(self, _service: Service, turn: Turn) -> Write:
        self.turns.append(turn)
        if self.fails:
            raise RuntimeError("out of order")
        return lambda _writer: None

    def listed(self, _settings: Settings) -> list[Job]:
        return [self.job]

    @property
    def ends(self) -> list[datetime]:
        return [end for turn in self.turns for end in turn.ends]


def hours(start: datetime, first: int, last: int) -> list[datetime]:
    return [start + timedelta(hours=number) for number in range(first, last + 1)]


def test_an_end_is_due_when_late_data_is_in(service: Service, add_answers: AddAnswers, monday: datetime) -> None:
    add_answers(np.array([0.5]))
    seen = Seen()
    at_the_end = monday + timedelta(hours=1)
    assert run_due(service, at_the_end + timedelta(seconds=119), listed=seen.listed) == {"seen": 0}
    assert run_due(service, at_the_end + timedelta(seconds=120), listed=seen.listed) == {"seen": 1}
    assert seen.ends == [at_the_end]


def test_what_comes_late_but_in_time_is_in_the_estimate_and_what_comes_later_changes_nothing(
    service: Service, add_answers: AddAnswers, monday: datetime
) -> None:
    at_the_end = monday + timedelta(hours=1)
    add_answers(np.array([0.5]))
    run_due(service, at_the_end + timedelta(seconds=60))
    add_answers(np.array([0.9]))
    run_due(service, at_the_end + timedelta(seconds=120))
    add_answers(np.array([0.95]))
    run_due(service, at_the_end + timedelta(seconds=180))
    found = [row for row in content(service.store, "estimates") if row["series"] == "answer"]
    assert [(row["window_s"], row["n"]) for row in found] == [(3600, 2), (21600, 2)]


def test_nothing_is_judged_twice_and_a_pause_is_caught_up(
    service: Service, add_answers: AddAnswers, monday: datetime
) -> None:
    add_answers(np.array([0.5]))
    seen = Seen()
    for now_h in (2.5, 2.5, 3.5, 50.5):
        run_due(service, monday + timedelta(hours=now_h), listed=seen.listed)
    assert seen.ends == hours(monday, 1, 50)


def test_a_long_catch_up_is_committed_in_portions(service: Service, add_answers: AddAnswers, monday: datetime) -> None:
    add_answers(np.array([0.5]))
    seen = Seen(most_ends=10)
    run_due(service, monday + timedelta(hours=25.5), listed=seen.listed)
    assert [len(turn.ends) for turn in seen.turns] == [10, 10, 5]
    assert [turn.start for turn in seen.turns[1:]] == [turn.ends[-1] for turn in seen.turns[:-1]]


def test_before_the_first_answer_nothing_is_judged_and_nothing_lost(
    service: Service, add_answers: AddAnswers, monday: datetime
) -> None:
    seen = Seen()
    assert run_due(service, monday + timedelta(hours=5), listed=seen.listed) == {"seen": 0}
    add_answers(np.array([0.5]))
    assert run_due(service, monday + timedelta(hours=5.5), listed=seen.listed) == {"seen": 5}


def test_old_history_is_judged_from_the_catch_up_limit_on(
    make_service: Callable[..., Service], add_answers: AddAnswers, monday: datetime
) -> None:
    add_answers(np.array([0.5]))
    seen = Seen()
    service = make_service(schedule={"catch_up_days": 2, "tick_s": 0})
    run_due(service, monday + timedelta(days=10, hours=0.5), listed=seen.listed)
    assert seen.ends[0] == monday + timedelta(days=8, hours=1)


def test_a_job_that_fails_is_noted_and_the_others_run(
    service: Service, add_answers: AddAnswers, monday: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    add_answers(np.array([0.5]))
    broken, healthy = Seen(), Seen()
    broken.fails = True
    both = [Job("broken", 3600, broken.run), healthy.job]
    now = monday + timedelta(hours=2.5)
    assert run_due(service, now, listed=lambda _: both) == {"broken": 0, "seen": 2}
    run_due(service, now + timedelta(hours=1), listed=lambda _: both)
    (problem,) = service.store.rows("job_problems_now")
    assert (problem["job"], problem["failures"], problem["error"]) == ("broken", 2, "RuntimeError: out of order")
    assert problem["failing_since"] == now
    assert "Traceback" in caplog.text


def test_a_job_that_writes_more_than_the_memory_holds_is_noted_as_failing(
    service: Service, add_answers: AddAnswers, monday: datetime
) -> None:
    def write(_writer: Writer) -> None:
        raise duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block")

    add_answers(np.array([0.5]))
    large = Job("large", 3600, lambda _service, _turn: write)
    now = monday + timedelta(hours=2.5)
    assert run_due(service, now, listed=lambda _: [large]) == {"large": 0}
    (problem,) = service.store.rows("job_problems_now")
    assert "memory_limit" in problem["error"]
    assert service.store.disk.troubles(now) == []


def test_a_job_that_works_again_judges_what_it_missed_and_the_note_goes(
    service: Service, add_answers: AddAnswers, monday: datetime
) -> None:
    add_answers(np.array([0.5]))
    seen = Seen()
    seen.fails = True
    run_due(service, monday + timedelta(hours=2.5), listed=seen.listed)
    seen.fails = False
    assert run_due(service, monday + timedelta(hours=3.5), listed=seen.listed) == {"seen": 3}
    assert service.store.rows("job_problems_now") == []


def test_a_job_whose_results_cannot_be_written_keeps_neither_results_nor_watermark(
    service: Service, add_answers: AddAnswers, monday: datetime
) -> None:
    add_answers(np.array([0.5]))

    def half(_service: Service, turn: Turn) -> Write:
        def write(writer: Writer) -> None:
            writer.execute("add_marker", kind="release", service="shop", value="9", first_seen_at=turn.now)
            raise RuntimeError("in the middle")

        return write

    run_due(service, monday + timedelta(hours=2.5), listed=lambda _: [Job("half", 3600, half)])
    assert service.store.rows("releases_newest", limit=10) == []
    assert service.store.rows("watermark_of_job", job="half") == []


def test_a_clock_that_went_back_is_noted(service: Service, add_answers: AddAnswers, monday: datetime) -> None:
    add_answers(np.array([0.5]))
    seen = Seen()
    run_due(service, monday + timedelta(days=3), listed=seen.listed)
    assert run_due(service, monday + timedelta(days=1), listed=seen.listed) == {"seen": 0}
    (problem,) = service.store.rows("job_problems_now")
    assert "the clock went back" in problem["error"]


def test_runs_wait_for_each_other(service: Service, add_answers: AddAnswers, monday: datetime) -> None:
    add_answers(np.array([0.5]))
    inside, overlapped = threading.Lock(), []

    def alone(_service: Service, _turn: Turn) -> Write:
        overlapped.append(not inside.acquire(blocking=False))
        inside.release()
        return lambda _writer: None

    def run() -> None:
        run_due(service, monday + timedelta(hours=2.5), listed=lambda _: [Job("alone", 0, alone)])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert overlapped == [False] * 4


def test_a_naive_time_is_refused(service: Service) -> None:
    with pytest.raises(ValueError, match="time zone"):
        run_due(service, datetime(2026, 6, 1))  # noqa: DTZ001 - naive on purpose


@given(
    start=st.floats(0, 4 * 10**9).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    ahead_s=st.floats(0, 10**6),
    every_s=st.sampled_from([60, 900, 3600, 86400]),
    lateness_s=st.floats(0, 7200),
)
def test_due_ends_are_all_the_multiples_between_the_watermark_and_what_is_ripe(
    start: datetime, ahead_s: float, every_s: int, lateness_s: float
) -> None:
    now = start + timedelta(seconds=ahead_s)
    ends = due_ends(start, now, every_s, lateness_s)
    ripe = now - timedelta(seconds=lateness_s)
    assert all(start < end <= ripe and end.timestamp() % every_s == 0 for end in ends)
    assert len(ends) == max(0, int(ripe.timestamp() // every_s) - int(start.timestamp() // every_s))


def test_a_replay_from_nothing_gives_the_same_tables_as_run_after_run(
    make_service: Callable[..., Service], add_answers: AddAnswers, memory_store: Store, monday: datetime, tmp_path: Path
) -> None:
    rng = np.random.default_rng(7)
    after_h = np.sort(rng.uniform(0.2, 96, 4000))
    slow = 400.0 * ((after_h > 40) & (after_h < 60))
    rerank = rng.lognormal(4.6, 0.3, 4000) + slow
    add_answers(
        after_h,
        rerank + 500,
        stages={"rerank": rerank, "generate": 300.0},
        cost_usd=np.where(rng.random(4000) < 0.1, np.nan, rng.lognormal(-5.5, 0.5, 4000)),
        slices='{"team": "data"}',
    )
    webhook = {"url": "http://127.0.0.1:9/", "secret": "a secret of sixteen"}
    settings = {**HOURLY, "notify": {"webhook": webhook}, "review": {"salt": "the same in both"}}
    with closing(copied(memory_store, tmp_path)) as other:
        at_once = make_service(**settings)
        step_by_step = make_service(store=other, **settings)
        without_delivery = {"listed": all_but_deliver}
        run_due(at_once, monday + timedelta(hours=97), **without_delivery)
        for now_h in [*np.arange(1, 97, 3.7), 97]:
            run_due(step_by_step, monday + timedelta(hours=float(now_h)), **without_delivery)
        for table in DERIVED:
            assert content(at_once.store, table) == content(other, table), table
        assert {row["transition"] for row in content(other, "deliveries")} == {"opened", "resolved"}


def all_but_deliver(settings: Settings) -> Iterator[Job]:
    from ragvigil_monitor.jobs import jobs

    return (job for job in jobs(settings) if job.name not in {"deliver", "settle"})


def content(store: Store, table: str) -> list[dict[str, Any]]:
    found = store._cursor().execute(f"SELECT * FROM {table} ORDER BY ALL")  # noqa: S608 - from a fixed list
    names = [column[0] for column in found.description or []]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def copied(store: Store, folder: Path) -> Store:
    """The telemetry of a store in another one."""
    other = fresh_store()
    for table in ("spans", "answers"):
        file = folder / f"{table}.parquet"
        store._cursor().execute(f"COPY {table} TO '{file}'")
        other._cursor().execute(f"COPY {table} FROM '{file}'")
    return other
