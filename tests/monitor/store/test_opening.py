"""Which files can be opened, and what is said of the others."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.samples.otlp import NOW

from ragvigil_monitor.errors import StoreError, StoreLocked, StoreTooNew
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.disk import Limits
from ragvigil_monitor.store.migrate import Migration, migrate, migrations

EARLIEST, LATEST = NOW - timedelta(hours=1), NOW + timedelta(hours=1)
HOLD = """
import sys
from pathlib import Path
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.disk import Limits
store = Store.open(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def tables_of(path: Path) -> set[str]:
    with duckdb.connect(str(path)) as connection:
        return {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


def test_a_new_file_gets_the_whole_schema(tmp_path: Path) -> None:
    Store.open(tmp_path / "new.duckdb").close()
    assert {"spans", "answers", "query_vectors", "log_events", "schema_migrations"} <= tables_of(
        tmp_path / "new.duckdb"
    )


def test_opening_again_changes_nothing_and_keeps_what_is_stored(tmp_path: Path, events: Any) -> None:
    path = tmp_path / "kept.duckdb"
    store = Store.open(path)
    with store.transaction() as writer:
        writer.execute_with("insert_log_events", events("kept"))
    store.close()
    again = Store.open(path)
    with again.transaction() as writer:
        known = writer.execute_with(
            "known_log_events", events("kept").select(["event_id"]), earliest=EARLIEST, latest=LATEST
        )
    again.close()
    assert known == [{"event_id": "kept"}]


def test_every_migration_is_applied_once_and_recorded(tmp_path: Path) -> None:
    for _ in range(2):
        Store.open(tmp_path / "twice.duckdb").close()
    with duckdb.connect(str(tmp_path / "twice.duckdb")) as connection:
        recorded = connection.execute("SELECT number, name FROM schema_migrations ORDER BY number").fetchall()
    assert recorded == [(each.number, each.name) for each in migrations()]


def test_a_file_that_another_process_holds_is_refused_with_its_process_id(tmp_path: Path, start_python: Any) -> None:
    path = tmp_path / "held.duckdb"
    holder = start_python(HOLD, path)
    assert holder.stdout.readline() == "open\n"
    with pytest.raises(StoreLocked, match=rf"open in process {holder.pid}\b.*--db"):
        Store.open(path)


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "newer.duckdb"
    Store.open(path).close()
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (999, 'from_the_future', now()::TIMESTAMP)")
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match="schema 999"):
        Store.open(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Not a database. " * 1000)
    with pytest.raises(StoreError, match=r"notes\.txt cannot be opened"):
        Store.open(path)


def test_a_cut_off_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.duckdb"
    Store.open(path).close()
    path.write_bytes(path.read_bytes()[:6000])
    with pytest.raises(StoreError):
        Store.open(path)


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        Store.open(tmp_path / "nowhere" / "a.duckdb")


def test_a_closed_store_lets_other_processes_open_the_file(tmp_path: Path, start_python: Any) -> None:
    path = tmp_path / "released.duckdb"
    store = Store.open(path)
    store.rows("first_answer_time")
    store.close()
    assert start_python(HOLD, path).stdout.readline() == "open\n"


def test_a_migration_that_fails_leaves_no_trace() -> None:
    connection = duckdb.connect(":memory:")
    broken = Migration(1, "broken", "CREATE TABLE half (x INTEGER); SELECT * FROM nothing;")
    with pytest.raises(duckdb.CatalogException):
        migrate(connection, [broken])
    tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    assert tables == [("schema_migrations",)]
    assert connection.execute("SELECT count(*) FROM schema_migrations").fetchone() == (0,)


def test_a_link_is_followed_to_the_disk_that_holds_the_file_and_its_log(tmp_path: Path, events: Any) -> None:
    (tmp_path / "disk").mkdir()
    real, link = tmp_path / "disk/real.duckdb", tmp_path / "link.duckdb"
    link.symlink_to(real)
    Store.open(link).close()
    store = Store.open(link)
    with store.transaction() as writer:
        writer.execute_with("insert_log_events", events("in the log"))
    log = real.with_name("real.duckdb.wal")
    assert log.stat().st_size > 0
    assert store.size_bytes() == real.stat().st_size + log.stat().st_size
    assert store.path == real
    store.close()
    short = Store.open(link, limits=Limits(stop_bytes=2**60))
    assert str(real) in short.disk.troubles(NOW)[0].detail
    short.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk", "link.duckdb"]


def test_a_link_to_itself_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(tmp_path / "loop")
