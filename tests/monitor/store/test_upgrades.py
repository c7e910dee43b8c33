"""A database from any earlier version is brought up to date, with everything that was in it.

What migration N + 1 does is covered as soon as it is there. One that drops a table says below where its rows went.
"""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.samples.old_stores import ROWS, old_store, rows
from tests.samples.otlp import NOW, rag_trace, traces
from tests.samples.rows_of import schema_of

from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.store import Store, database
from ragvigil_monitor.store.database import query_text
from ragvigil_monitor.store.migrate import migrations

NEWEST = migrations()[-1].number
MOVED: dict[str, tuple[str, dict[str, str]]] = {
    "releases": ("markers", {"service": "service", "service_version": "value", "first_seen_at": "first_seen_at"}),
    "label_scores": ("judged_labels", {}),
}
"""Of a table that is gone: where its rows are now, and as what."""
QUESTIONS = sorted(file.stem for file in (Path(database.__file__).parent / "queries").glob("*.sql"))
WRITES = re.compile(r"^\s*(INSERT|UPDATE|DELETE|MERGE)|\bbatch\b|\$", re.MULTILINE)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fresh") / "fresh.duckdb"
    Store.open(path).close()
    return path


def moved(before: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """The same rows under the names that they have today."""
    today: dict[str, list[dict[str, Any]]] = {}
    for table, old_rows in before.items():
        name, names = MOVED.get(table, (table, {}))
        today.setdefault(name, []).extend({names.get(each, each): row[each] for each in row} for row in old_rows)
    return today


def is_within(old: dict[str, Any], new: dict[str, Any]) -> bool:
    return all(new[column] == value for column, value in old.items())


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_every_row_of_an_earlier_version_is_kept(tmp_path: Path, fresh: Path, version: int) -> None:
    path = tmp_path / "old.duckdb"
    before = moved(old_store(path, version))
    assert all(len(old_rows) >= ROWS for old_rows in before.values())
    Store.open(path).close()
    assert schema_of(path) == schema_of(fresh)
    with duckdb.connect(str(path), read_only=True) as connection:
        for table, old_rows in before.items():
            after = rows(connection, table)
            lost = [old for old in old_rows if not any(is_within(old, new) for new in after)]
            assert not lost, table
        recorded = connection.execute("SELECT number, name FROM schema_migrations ORDER BY number").fetchall()
    assert recorded == [(each.number, each.name) for each in migrations()]


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_an_upgraded_database_answers_and_takes_telemetry(tmp_path: Path, version: int) -> None:
    path = tmp_path / "old.duckdb"
    old_store(path, version)
    store = Store.open(path)
    for question in QUESTIONS:
        if not WRITES.search(query_text(question)):
            store.rows(question)
    hour = timedelta(hours=1)
    with Committer(store, clock=lambda: NOW) as committer:
        for _ in range(2):
            body = traces(*rag_trace(7, started_at=NOW)).SerializeToString()
            committer.submit(decode_traces(body, int(NOW.timestamp() * 1e6))).result(30)
    found = store.rows("answers_newest", start=NOW - hour, end=NOW + hour, intent=None, limit=10)
    store.close()
    assert [row["answer_id"] for row in found] == ["answer-7"]
    again = Store.open(path)
    earliest = datetime(2026, 3, 1, tzinfo=UTC)
    old = again.rows("answers_newest", start=earliest, end=earliest + 24 * hour, intent=None, limit=10)
    again.close()
    assert len(old) == ROWS


def test_some_questions_are_asked() -> None:
    asked = [question for question in QUESTIONS if not WRITES.search(query_text(question))]
    assert {"guardrail_states_now", "ingest_totals", "job_watermarks_now"} <= set(asked)
