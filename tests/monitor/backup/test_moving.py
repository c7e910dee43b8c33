"""A restore that is killed at any of its steps is told by the next start and finished by the next restore."""

import errno
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.samples.otlp import NOW
from tests.samples.rows_of import rows_of

from ragvigil_monitor.backup.moving import marked, planned, undo_interrupted
from ragvigil_monitor.backup.restoring import restore
from ragvigil_monitor.errors import BackupFailed, StoreError, StoreLocked
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.copying import copy_file
from ragvigil_monitor.store.half_restored import mark_path

AT = datetime(2026, 12, 1, 4, 5, 6, tzinfo=UTC)
LATER = datetime(2026, 12, 1, 5, 0, 0, tzinfo=UTC)
MOST_STEPS = 40
KILLED = """
import os, sys
from datetime import datetime
from pathlib import Path
from ragvigil_monitor.backup.restoring import restore
backup, folders, at = Path(sys.argv[1]), Path(sys.argv[2]), datetime.fromisoformat(sys.argv[3])

def dying(real, left):
    def call(*arguments, **named):
        if not left[0]:
            os._exit(9)
        left[0] -= 1
        return real(*arguments, **named)
    return call

for step in range(int(sys.argv[4])):
    child = os.fork()
    if not child:
        left = [step]
        for name in ("rename", "replace", "unlink", "fsync"):
            setattr(os, name, dying(getattr(os, name), left))
        restore(backup, folders / str(step) / "a.duckdb", at)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
    if not os.waitstatus_to_exitcode(status):
        break
"""


@pytest.fixture
def backup(database: Path, tmp_path: Path) -> Path:
    copy_file(database, tmp_path / "a.backup", "1.2.3", NOW)
    return tmp_path / "a.backup"


def unsaved(path: Path) -> None:
    """Write a database whose last row is in its log only, as after a kill."""
    store = Store.open(path)
    with store.transaction() as writer:
        writer.execute("set_watermark", job="unsaved", done_up_to=NOW)
    log = path.with_name(path.name + ".wal")
    contents = path.read_bytes(), log.read_bytes()
    store.close()
    path.write_bytes(contents[0])
    log.write_bytes(contents[1])


def orphan(path: Path) -> None:
    """Write a log whose database is gone."""
    path.with_name(path.name + ".wal").write_bytes(b"of another file")


@pytest.mark.parametrize("left_there", [unsaved, orphan], ids=["a database and its log", "a log alone"])
def test_a_kill_at_any_step_loses_nothing_and_is_finished_by_the_next_restore(
    backup: Path, database: Path, tmp_path: Path, left_there: Callable[[Path], None]
) -> None:
    (tmp_path / "0").mkdir()
    left_there(tmp_path / "0" / "a.duckdb")
    for step in range(1, MOST_STEPS):
        shutil.copytree(tmp_path / "0", tmp_path / str(step))
    command = [sys.executable, "-c", KILLED, str(backup), str(tmp_path), AT.isoformat(), str(MOST_STEPS)]
    codes = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.split()
    assert codes[-1] == "0"
    assert set(codes[:-1]) == {"9"}
    assert len(codes) > 6
    expected = rows_of(database)
    refused = sum(_refused_or_whole(tmp_path / str(step), expected, left_there) for step in range(len(codes)))
    assert refused >= 3
    for step in range(len(codes)):
        restore(backup, tmp_path / str(step) / "a.duckdb", LATER)
        assert rows_of(tmp_path / str(step) / "a.duckdb") == expected
        assert _is_kept(tmp_path / str(step), left_there)
        assert not list((tmp_path / str(step)).glob("*.restoring.json"))


def _refused_or_whole(folder: Path, expected: object, left_there: Callable[[Path], None]) -> bool:
    """Whether opening is refused, with what to do; what can be opened is all old or all new."""
    path = folder / "a.duckdb"
    if mark_path(path).exists():
        with pytest.raises(StoreError, match=f"Run `ragvigil restore BACKUP --db {path}` again"):
            Store.open(path)
        return True
    if path.exists() and rows_of(path) != expected:
        assert rows_of(path)["job_watermarks"] == [("unsaved", NOW.replace(tzinfo=None))]
    elif not path.exists():
        assert left_there is orphan
    return False


def _is_kept(folder: Path, left_there: Callable[[Path], None]) -> bool:
    logs = [path for path in folder.glob("a.duckdb.before-restore-*.wal") if path.read_bytes() == b"of another file"]
    if left_there is orphan:
        return len(logs) == 1
    databases = [path for path in folder.glob("a.duckdb.before-restore-*Z") if path.name.endswith("Z")]
    kept = [rows_of(path)["job_watermarks"] for path in databases]
    return [("unsaved", NOW.replace(tzinfo=None))] in kept


def test_a_restore_that_is_under_way_is_not_undone(backup: Path, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "b.duckdb"
    with marked(target, planned(target, AT, is_new=True)):
        with pytest.raises(StoreLocked, match="under way"):
            restore(backup, target, AT)
        with pytest.raises(StoreError, match="is being restored"):
            Store.open(target)
    restore(backup, target, AT)
    assert rows_of(target) == rows_of(database)


def test_a_backup_of_what_is_half_restored_is_refused(backup: Path, tmp_path: Path) -> None:
    target = Path(shutil.copy(backup, tmp_path / "b.duckdb"))
    mark_path(target).write_text("{}")
    with pytest.raises(StoreError, match="Nothing is lost"):
        copy_file(target, tmp_path / "copy", "1.2.3", NOW)


def test_what_fails_on_the_way_is_undone_at_once(database: Path, tmp_path: Path) -> None:
    move = planned(database, AT, is_new=False)
    before = rows_of(database)
    with pytest.raises(FileNotFoundError), marked(database, move):
        database.rename(database.with_name(move.aside)).with_name("not there").unlink()
    assert rows_of(database) == before
    assert not mark_path(database).exists()


@pytest.mark.parametrize("fails", ["fcntl.flock", "os.fsync", "json.dumps", "ragvigil_monitor.backup.moving.sync"])
@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=str)
def test_a_mark_that_cannot_be_written_does_not_stay(
    database: Path, monkeypatch: pytest.MonkeyPatch, fails: str, failure: BaseException
) -> None:
    def failing(*_: object) -> None:
        raise failure

    before = rows_of(database)
    monkeypatch.setattr(fails, failing)
    with pytest.raises(type(failure)), marked(database, planned(database, AT, is_new=False)):
        pytest.fail("The files would be moved without a mark.")
    monkeypatch.undo()
    assert not mark_path(database).exists()
    assert rows_of(database) == before


def test_the_second_of_two_restores_to_one_new_name_says_so(tmp_path: Path) -> None:
    target = tmp_path / "b.duckdb"
    move = planned(target, AT, is_new=True)
    with marked(target, move):
        with pytest.raises(StoreLocked, match="under way"), marked(target, move):
            pytest.fail("Two restores move files at once.")
        assert mark_path(target).exists()
    assert not mark_path(target).exists()


def test_a_mark_that_was_removed_before_it_was_held_is_not_relied_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "b.duckdb"

    def removed(*_: object) -> None:
        mark_path(target).unlink()
        mark_path(target).write_bytes(b"of another restore")

    monkeypatch.setattr("fcntl.flock", removed)
    with pytest.raises(StoreLocked, match="under way"), marked(target, planned(target, AT, is_new=True)):
        pytest.fail("Another restore moves files too.")
    assert mark_path(target).read_bytes() == b"of another restore"


@pytest.mark.parametrize("content", [b"", b"{", b'{"target": "it', b"\xff\xfe"])
def test_a_restore_that_ended_while_it_wrote_its_mark_had_moved_nothing(
    backup: Path, database: Path, content: bytes
) -> None:
    mark_path(database).write_bytes(content)
    before = rows_of(backup)
    restore(backup, database, AT)
    assert rows_of(database) == before
    assert not mark_path(database).exists()


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b"{}",
        b"\xff\xfe",
        json.dumps({"target": "other", "aside": "other.before-restore-1", "is_new": False}).encode(),
        json.dumps({"target": "b.duckdb", "aside": "../../etc/passwd", "is_new": False}).encode(),
    ],
)
def test_a_mark_that_nobody_can_read_moves_nothing_and_is_told(tmp_path: Path, content: bytes) -> None:
    target = tmp_path / "b.duckdb"
    target.write_bytes(b"content")
    (tmp_path / "b.duckdb.before-restore-1").write_bytes(b"before")
    mark_path(target).write_bytes(content)
    with pytest.raises(BackupFailed, match="does not say what it moved"):
        undo_interrupted(target)
    assert {path.name for path in tmp_path.iterdir()} == {
        "b.duckdb",
        "b.duckdb.before-restore-1",
        "b.duckdb.restoring.json",
    }
    assert target.read_bytes() == b"content"
