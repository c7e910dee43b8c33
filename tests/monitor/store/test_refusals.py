"""What is said of files that cannot be opened: what is wrong, and what would be right."""

import json
import os
import socket
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.samples.otlp import NOW
from tests.samples.traffic import traffic

from ragvigil_monitor.errors import StoreError, StoreLocked, StoreTooNew
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.connection import connect
from ragvigil_monitor.store.holder import note_path, noted, noted_holder
from ragvigil_monitor.store.instance import Instance
from ragvigil_monitor.store.refusals import explained

HOLD = "import sys, duckdb\nheld = duckdb.connect(sys.argv[1])\nprint('open', flush=True)\nsys.stdin.read()"
OPEN_AS_NOBODY = """
import os, sys
from pathlib import Path
import duckdb
from ragvigil_monitor.errors import StoreError
from ragvigil_monitor.store import Store
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    Store.open(Path(sys.argv[1]))
except StoreError as refusal:
    print(refusal, flush=True)
"""


def refusal_of(path: Path) -> str:
    with pytest.raises(StoreError) as refused:
        Store.open(path)
    assert str(path) in str(refused.value)
    return str(refused.value)


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A database with rows, in a folder whose name is not ASCII."""
    (tmp_path / "größere Ablage").mkdir()
    path = tmp_path / "größere Ablage" / "a b.duckdb"
    store = Store.open(path)
    traffic(NOW, days=3, per_day=400, slow_from=NOW - timedelta(hours=1)).insert(store)
    store.close()
    return path


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert f"there is no folder {tmp_path / 'no where'}" in refusal_of(tmp_path / "no where" / "ö.duckdb")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert f"Name a file in it: --db {tmp_path}/ragvigil.duckdb" in refusal_of(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty. Delete it"),
        (b"short", "it is something else. Name another file"),
        (b"no database " * 1000, "it is something else. Name another file"),
        (os.urandom(8) + b"DUCK" + os.urandom(100), "it is damaged. Restore a backup"),
        (os.urandom(8) + b"DUCK" + os.urandom(50_000), "it is damaged. Restore a backup"),
    ],
    ids=["empty", "short", "text", "a beginning", "noise behind the mark"],
)
def test_a_file_that_is_no_database_is_told(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "x.duckdb").write_bytes(content)
    assert said in refusal_of(tmp_path / "x.duckdb")
    assert (tmp_path / "x.duckdb").read_bytes() == content


def test_a_database_of_sqlite_is_told(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "lite.db") as connection:
        connection.execute("CREATE TABLE a (b INT)")
    connection.close()
    assert "it is a database of SQLite" in refusal_of(tmp_path / "lite.db")


def test_a_name_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not UTF-8"):
        Store.open(tmp_path / os.fsdecode(b"\xff.duckdb"))


@pytest.mark.parametrize("share", [0.95, 0.6, 0.3])
def test_a_database_that_is_cut_off_anywhere_is_not_opened(full: Path, share: float) -> None:
    whole = full.read_bytes()
    full.write_bytes(whole[: int(len(whole) * share)])
    cut = full.read_bytes()
    assert "Restore a backup with `ragvigil restore`" in refusal_of(full)
    assert full.read_bytes() == cut


def shrunk(path: Path, days: int, per_day: int) -> None:
    """Write a database from which all days but the first are removed, so that DuckDB shortens its file."""
    with connect(path, "500MB", 2) as connection:
        connection.execute("CREATE TABLE kept (day INT, a VARCHAR, b VARCHAR)")
        for day in range(days):
            connection.execute(
                "INSERT INTO kept SELECT $day, md5(concat(i, $day)), md5(concat($day, -i)) FROM range($rows) r(i)",
                {"day": day, "rows": per_day},
            )
        connection.execute("CHECKPOINT")
        connection.execute("DELETE FROM kept WHERE day > 0")


SHRUNK = [(2, 5_000), (5, 30_000), (4, 90_000), (8, 60_000)]


@pytest.mark.parametrize(("days", "per_day"), SHRUNK)
def test_what_is_shortened_by_a_deletion_is_opened_again_and_again(tmp_path: Path, days: int, per_day: int) -> None:
    path = tmp_path / "shrunk.duckdb"
    shrunk(path, days, per_day)
    for _ in range(2):
        with connect(path, "500MB", 2) as connection:
            counted = connection.execute("SELECT count(*), count(DISTINCT a || b) FROM kept").fetchall()
            assert counted == [(per_day, per_day)]


def test_a_given_up_instance_of_a_shortened_file_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "shrunk.duckdb"
    shrunk(path, *SHRUNK[-1])
    instance = Instance(connect(path, "500MB", 2), lambda: connect(path, "500MB", 2))
    instance.repair(instance._number, duckdb.FatalException("given up"))
    instance.close()


@pytest.mark.parametrize("missing_blocks", [1, 8])
def test_a_shortened_file_that_misses_more_than_what_is_free_is_refused(tmp_path: Path, missing_blocks: int) -> None:
    path = tmp_path / "shrunk.duckdb"
    shrunk(path, *SHRUNK[-1])
    with connect(path, "500MB", 2) as connection:
        size = connection.execute("SELECT used_blocks, block_size FROM pragma_database_size()")
        ((used_blocks, block_bytes),) = size.fetchall()
    os.truncate(path, 3 * 4096 + (used_blocks - missing_blocks) * block_bytes)
    with pytest.raises(StoreError, match="Restore a backup"):
        connect(path, "500MB", 2)


def test_what_grows_and_shrinks_is_never_called_cut_off(tmp_path: Path, events: Callable[..., Any]) -> None:
    for number in range(6):
        store = Store.open(tmp_path / "grows.duckdb")
        with store.transaction() as writer:
            writer.execute_with("insert_log_events", events(*(f"{number}-{k}" for k in range(3000))))
        if number % 2:
            store._connection.execute("DELETE FROM log_events")
            store._connection.execute("CHECKPOINT")
        store.close()


@pytest.mark.parametrize(
    "tables",
    [["answers (a INT)"], ["mine (a INT)", "schema_migrations (version TEXT)"]],
    ids=["one that has a name of ours", "those of another program with migrations"],
)
def test_a_database_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path, tables: list[str]) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as connection:
        for table in tables:
            connection.execute(f"CREATE TABLE {table}")
    before = path.read_bytes()
    assert "tables of something else" in refusal_of(path)
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused_with_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "newer.duckdb"
    Store.open(path).close()
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (999, 'from_the_future', now()::TIMESTAMP)")
    with pytest.raises(StoreTooNew, match=r"newer\.duckdb: The database has schema 999.*Install"):
        Store.open(path)


@pytest.mark.parametrize(("mode", "folder_mode"), [(0o444, 0o777), (0o000, 0o777), (None, 0o555)])
def test_what_a_user_may_not_do_is_told_with_the_user(
    tmp_path: Path, start_python: Any, mode: int | None, folder_mode: int
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    if mode is not None:
        Store.open(folder / "x.duckdb").close()
        (folder / "x.duckdb").chmod(mode)
    for each in takewhile(
        lambda one: not one.is_mount() and one.stat().st_mode & 0o77 == 0, (tmp_path, *tmp_path.parents)
    ):
        each.chmod(0o755)
    folder.chmod(folder_mode)
    user = 65534 if os.geteuid() == 0 else os.geteuid()
    said = start_python(OPEN_AS_NOBODY, folder / "x.duckdb").stdout.readline()
    assert f"the user with id {user} may not" in said


def test_who_holds_a_database_is_told_by_its_note(tmp_path: Path, start_python: Any) -> None:
    path = tmp_path / "held.duckdb"
    holder = start_python(HOLD, path)
    assert holder.stdout.readline() == "open\n"
    with noted(path, "http://127.0.0.1:4318", NOW):
        note = json.loads(note_path(path).read_text())
        note_path(path).write_text(json.dumps({**note, "pid": holder.pid}))
        said = refusal_of(path)
    assert f"open in process {holder.pid} on {socket.gethostname()}" in said
    assert f"at http://127.0.0.1:4318 since {NOW:%Y-%m-%d %H:%M:%S} UTC" in said


@pytest.mark.parametrize(
    "note",
    [
        '{"pid": 1, "host": "elsewhere", "since": "2020", "address": "http://x"}',
        "{",
        "[1]",
        '{"pid": 1}',
        "\xff",
        "[" * 4000,
        '{"pid": "1", "host": "", "since": "", "address": ""}',
    ],
)
def test_a_note_of_a_process_that_is_gone_or_nobody_can_read_is_not_believed(
    tmp_path: Path, start_python: Any, note: str
) -> None:
    path = tmp_path / "held.duckdb"
    holder = start_python(HOLD, path)
    assert holder.stdout.readline() == "open\n"
    note_path(path).write_text(note, encoding="latin-1")
    said = refusal_of(path)
    assert f"open in process {holder.pid}." in said
    assert "elsewhere" not in said


def test_a_holder_that_cannot_be_seen_is_told_by_what_its_note_says(tmp_path: Path) -> None:
    failure = duckdb.IOException("Could not set lock on file: Conflicting lock is held in (PID 0)")
    unknown = explained(tmp_path / "a.duckdb", failure)
    assert isinstance(unknown, StoreLocked)
    assert "another machine or container" in str(unknown)
    with noted(tmp_path / "a.duckdb", "http://10.0.0.1:4318", NOW):
        assert f"process {os.getpid()} on {socket.gethostname()}" in str(explained(tmp_path / "a.duckdb", failure))


def test_a_note_ends_with_its_process_and_lies_beside_the_real_file(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link.duckdb").symlink_to(tmp_path / "disk/real.duckdb")
    with noted(tmp_path / "link.duckdb", "http://127.0.0.1:1", NOW):
        assert noted_holder(tmp_path / "disk/real.duckdb") == noted_holder(tmp_path / "link.duckdb") is not None
    assert list((tmp_path / "disk").iterdir()) == []


def test_a_note_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    with noted(tmp_path / "nowhere" / "a.duckdb", "http://127.0.0.1:1", NOW):
        assert noted_holder(tmp_path / "nowhere" / "a.duckdb") is None
