"""What is removed for its age, and what never is."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
import pytest
from tests.samples.reviews import draw_reviews, reviewed_store
from tests.samples.servers import running_api, running_service

from ragvigil_monitor.api.oncall_completeness import processes
from ragvigil_monitor.errors import ConfigurationError
from ragvigil_monitor.hour_sums import HOUR_SUMS, pass_hours
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.retention import REMOVALS, RETENTION
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store
from ragvigil_monitor.telemetry_tables import PROCESS_COUNTS, to_arrow

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY_H = 24


def remove(service: Service, now: datetime) -> None:
    """Run the job alone, up to `now`, when all is added up."""
    pass_hours(service.store, now)
    while service.store.rows("hours_to_sum", most=1):
        run_due(service, now, listed=lambda _settings: [HOUR_SUMS])
    run_due(service, now, listed=lambda _settings: [RETENTION])


def count(store: Store, table: str) -> int:
    """How many rows a table has."""
    (number,) = store._cursor().table(table).count("*").fetchall()[0]
    return int(number)


def test_spans_vectors_and_answers_go_each_in_their_time(
    make_service: Any, memory_store: Store, monday: datetime, add_answers: Any, add_vectors: Any
) -> None:
    after_h = np.arange(1, 500 * DAY_H, DAY_H)
    add_answers(after_h, stages={"retrieve": 10.0})
    add_vectors(after_h, np.ones((500, 4)))
    service = make_service(monday + timedelta(days=500))
    remove(service, monday + timedelta(days=500, hours=1))
    assert count(memory_store, "spans") == 30
    assert count(memory_store, "query_vectors") == 35
    assert count(memory_store, "answers") == 400


def test_the_settings_say_how_long(make_service: Any, memory_store: Store, monday: datetime, add_answers: Any) -> None:
    add_answers(np.arange(1, 200 * DAY_H, DAY_H), stages={"retrieve": 10.0})
    kept = {"spans_days": 45, "answers_days": 60}
    remove(make_service(monday, retention=kept), monday + timedelta(days=200, hours=1))
    assert count(memory_store, "spans") == 45
    assert count(memory_store, "answers") == 60


def test_switched_off_there_is_no_such_job() -> None:
    assert RETENTION in jobs(Settings.load())
    assert RETENTION not in jobs(Settings.load(retention={"enabled": False}))


def test_what_was_reviewed_stays_with_its_spans() -> None:
    store = reviewed_store(NOON)
    with running_service(store, Keys.generate(), lambda: NOON, review={"uniform_share": 1.0}) as service:
        draw_reviews(service)
        labelled = label_some(service, 3)
        spans_before = spans_of(store, labelled)
        assert len(labelled) == 3
        assert spans_before
        assert count(store, "answers") > 3
        remove(service, NOON + timedelta(days=1000))
        assert count(store, "answers") == 3
        assert spans_of(store, labelled) == spans_before == count(store, "spans")
        assert count(store, "review_labels") == 3
        assert count(store, "review_items") > 3
    store.close()


def label_some(service: Service, number: int) -> set[bytes]:
    """Label some answers over the API; their traces."""
    key = {"Authorization": f"Bearer {service.keys.by_role[Role.REVIEWER]}"}
    with running_api(service) as url, httpx.Client(base_url=f"{url}/api/v1/review", headers=key) as client:
        for place in range(number):
            served = client.post("/next", json={"reviewer": "ada", "kind": "answer"}).json()["item"]
            body = {
                "label_id": f"00000000-0000-4000-8000-00000000000{place}",
                "lease_id": served["lease_id"],
                "reviewer": "ada",
                "label": "supported",
            }
            client.post(f"/items/{served['item_id']}/label", json=body).raise_for_status()
    rows = service.store._cursor().execute("SELECT trace_id FROM reviewed_traces").fetchall()
    return {trace_id for (trace_id,) in rows}


def spans_of(store: Store, trace_ids: set[bytes]) -> int:
    asked = "SELECT count(*) FROM spans WHERE list_contains($1, trace_id)"
    (number,) = store._cursor().execute(asked, [list(trace_ids)]).fetchall()[0]
    return int(number)


def test_a_process_stays_complete_when_its_spans_are_removed(
    make_service: Any, memory_store: Store, monday: datetime, add_answers: Callable[..., None]
) -> None:
    add_answers(np.arange(1, 40 * DAY_H, DAY_H), stages={"retrieve": 10.0})
    now = monday + timedelta(days=40)
    with memory_store.transaction() as writer:
        writer._cursor.execute("UPDATE spans SET instance_id = 'i-1'")
        reported = ["i-1", "shop", "1.0", now.replace(tzinfo=None), 41, 40, 0, 1]
        writer.execute_with("add_process_counts", to_arrow(PROCESS_COUNTS, [reported]))
    since = now - timedelta(days=90)
    asked: dict[str, Any] = {"since": since, "spans_since": since, "doctor": "", "limit": 10}
    (before,) = processes(memory_store, **asked)
    service = make_service(now)
    for hours in (1, 2, 26):
        remove(service, now + timedelta(hours=hours))
    (after,) = processes(memory_store, **asked)
    assert count(memory_store, "spans") == 29
    assert before["stored"] == after["stored"] == 40
    assert before["share"] == after["share"] == 40 / 41


def test_spans_after_the_last_report_of_a_process_never_count(
    make_service: Any, memory_store: Store, monday: datetime, add_answers: Callable[..., None]
) -> None:
    add_answers(np.arange(1, 20 * DAY_H, DAY_H), stages={"retrieve": 10.0})
    report(memory_store, monday + timedelta(days=10), started=10)
    asked: dict[str, Any] = {"since": monday, "spans_since": monday, "doctor": "", "limit": 10}
    for days in (21, 38, 60):
        remove(make_service(monday), monday + timedelta(days=days))
        (process,) = processes(memory_store, **asked)
        assert (process["stored"], process["share"]) == (10, 1.0)
    assert count(memory_store, "spans") == 0


def test_what_was_removed_of_a_process_is_forgotten_with_it(
    make_service: Any, memory_store: Store, monday: datetime, add_answers: Callable[..., None]
) -> None:
    add_answers(np.arange(1, 20 * DAY_H, DAY_H), stages={"retrieve": 10.0})
    report(memory_store, monday + timedelta(days=10), started=10)
    remove(make_service(monday), monday + timedelta(days=60))
    assert count(memory_store, "spans_removed") == 1
    remove(make_service(monday), monday + timedelta(days=420))
    assert count(memory_store, "spans_removed") == count(memory_store, "process_counts") == 0


def test_a_process_of_whose_spans_none_are_removed_is_complete_however_old(
    make_service: Any, memory_store: Store, monday: datetime, add_answers: Callable[..., None]
) -> None:
    add_answers(np.arange(1, 120 * DAY_H, DAY_H), stages={"retrieve": 10.0})
    now = monday + timedelta(days=120)
    report(memory_store, now, started=120)
    for settings, stored in [({"retention": {"enabled": False}}, 120), ({}, 90)]:
        service = make_service(now, **settings)
        key = {"Authorization": f"Bearer {service.keys.by_role[Role.ONCALL]}"}
        with running_api(service) as url:
            (process,) = httpx.get(f"{url}/api/v1/completeness", headers=key).raise_for_status().json()
        assert process["stored"] == stored


def report(store: Store, at: datetime, *, started: int) -> None:
    """Make all spans those of one process that reported its counts at a time."""
    with store.transaction() as writer:
        writer._cursor.execute("UPDATE spans SET instance_id = 'i-1'")
        reported = ["i-1", "shop", "1.0", at.replace(tzinfo=None), started, started, 0, 0]
        writer.execute_with("add_process_counts", to_arrow(PROCESS_COUNTS, [reported]))


def test_a_job_that_was_never_run_starts_where_spans_are_still_kept(
    make_service: Any, memory_store: Store, monday: datetime, add_answers: Any
) -> None:
    add_answers(np.arange(1, 60 * DAY_H, DAY_H), stages={"answer": 10.0})
    now = monday + timedelta(days=60)
    for settings, days in [({}, 30), ({"retention": {"enabled": False}}, 45)]:
        starts: list[datetime] = []
        service = make_service(now, **settings)

        def judge(_service: Service, turn: Any, starts: list[datetime] = starts) -> None:
            starts.append(turn.start)

        job = type(RETENTION)(f"new_{days}", DAY_H * 3600, judge)
        run_due(service, now, listed=lambda _settings, job=job: [job])
        assert starts[0] == now - timedelta(days=days)


@pytest.mark.parametrize("question", [each for questions in REMOVALS.values() for each in questions])
def test_every_removal_runs_on_an_empty_store(memory_store: Store, question: str) -> None:
    with memory_store.transaction() as writer:
        assert writer.execute(question, before=NOON) is not None


def test_alerts_and_notifications_go_when_they_are_over(memory_store: Store) -> None:
    with memory_store.transaction() as writer:
        for number, resolved in [("old", NOON - timedelta(days=9)), ("new", NOON), ("open", None)]:
            alert = {"alert_id": number, "guardrail": "g", "series": number, "sentence": "x", "evidence": "{}"}
            times = {"opened_at": NOON - timedelta(days=30), "last_breach_at": NOON}
            writer.execute("upsert_alert", **alert, **times, onset_at=None, onset_earliest=None, onset_latest=None)
            writer._cursor.execute(
                "UPDATE alerts SET resolved_at = $1, state = if($1 IS NULL, 'firing', 'resolved') WHERE alert_id = $2",
                [resolved and resolved.replace(tzinfo=None), number],
            )
        writer.execute("remove_old_alerts", before=NOON - timedelta(days=1))
    rows = memory_store._cursor().execute("SELECT alert_id FROM alerts ORDER BY alert_id").fetchall()
    assert rows == [("new",), ("open",)]


def test_the_file_does_not_grow_once_as_much_goes_as_comes(tmp_path: Path) -> None:
    path = tmp_path / "monitor.duckdb"
    store, rng, sizes = Store.open(path), np.random.default_rng(3), []
    for day in range(40):
        add_day(store, rng, day)
        with store.transaction() as writer:
            writer.execute("remove_old_spans", before=NOON + timedelta(days=day - 10))
        store._cursor().execute("CHECKPOINT")
        sizes.append(path.stat().st_size)
    assert count(store, "spans") == 11 * 4000
    store.close()
    assert sizes[10] > 3 * sizes[0]
    assert max(sizes[25:]) <= 1.5 * max(sizes[10:15])


def add_day(store: Store, rng: np.random.Generator, day: int) -> None:
    """Some thousand spans with ids and texts that do not compress."""
    n = 4000
    moments = np.datetime64(NOON.replace(tzinfo=None), "us") + np.timedelta64(day, "D") + np.arange(n)
    columns: dict[str, Any] = {
        "trace_id": [rng.bytes(16) for _ in range(n)],
        "span_id": [rng.bytes(8) for _ in range(n)],
        "started_at": moments,
        "query_text": [rng.bytes(30).hex() for _ in range(n)],
        **{name: ["x"] * n for name in ("service", "name", "status")},
        "dropped_attributes": np.zeros(n, dtype=np.int32),
    }
    with store.transaction() as writer:
        writer.execute_with("insert_spans", pa.table(columns))


@pytest.mark.parametrize(
    ("settings", "kept_days"),
    [
        ({}, {"spans_days": 30, "vectors_days": 35, "answers_days": 400}),
        ({"review": {"open_days": 90}}, {"spans_days": 92, "vectors_days": 35, "answers_days": 400}),
        ({"guardrails": {"false_exclusion": {"review_delay_h": 48}}}, {"spans_days": 31}),
        ({"guardrails": {"query_drift": {"reference_weeks": 8}}}, {"vectors_days": 57}),
        ({"retention": {"spans_days": 500, "answers_days": 600}}, {"spans_days": 500, "answers_days": 600}),
    ],
    ids=str,
)
def test_what_other_settings_need_stays_longer(settings: dict[str, Any], kept_days: dict[str, int]) -> None:
    assert kept_days.items() <= Settings.load(**settings).kept_days.items()


@pytest.mark.parametrize(
    ("retention", "refusal"),
    [
        ({"spans_days": 7}, "retention.spans_days must be 30 or more: a guardrail judges a window that long"),
        ({"vectors_days": 20}, "retention.vectors_days must be 29 or more: references are learnt"),
        ({"answers_days": 40}, "retention.answers_days must be 60 or more"),
        ({"spans_days": 500, "answers_days": 400}, "retention.answers_days must be 500 or more"),
        ({"spans_days": 0}, "retention.spans_days: got 0"),
        ({"spans_days": 2.5}, "retention.spans_days: got 2.5"),
    ],
    ids=str,
)
def test_days_that_are_too_few_are_refused(retention: dict[str, Any], refusal: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(refusal)):
        Settings.load(retention=retention)
