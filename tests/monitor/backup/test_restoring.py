"""What a restore puts where, and what it leaves alone."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from tests.samples.otlp import NOW
from tests.samples.rows_of import rows_of, schema_of

from ragvigil_monitor.backup.restoring import _reserved, restore
from ragvigil_monitor.errors import BackupFailed, NotABackup, StoreLocked
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.copying import copy_file

AT = datetime(2026, 12, 1, 4, 5, 6, tzinfo=UTC)


@pytest.fixture
def backup(database: Path, tmp_path: Path) -> Path:
    copy_file(database, tmp_path / "a.backup", "1.2.3", NOW)
    return tmp_path / "a.backup"


def test_a_restored_database_is_the_one_that_was_copied(database: Path, backup: Path, tmp_path: Path) -> None:
    restored = restore(backup, tmp_path / "new.duckdb", AT)
    assert restored.set_aside is None
    assert restored.manifest.rows["answers"] == 40
    assert rows_of(tmp_path / "new.duckdb") == rows_of(database)
    assert schema_of(tmp_path / "new.duckdb") == schema_of(database)
    Store.open(tmp_path / "new.duckdb").close()


def test_what_was_there_is_moved_aside_with_its_log(backup: Path, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "old.duckdb"
    store = Store.open(target)
    with store.transaction() as writer:
        writer.execute("set_watermark", job="unsaved", done_up_to=NOW)
    copy, log = target.read_bytes(), target.with_name("old.duckdb.wal").read_bytes()
    store.close()
    target.write_bytes(copy)
    target.with_name("old.duckdb.wal").write_bytes(log)

    restored = restore(backup, target, AT)

    assert restored.set_aside == tmp_path / "old.duckdb.before-restore-20261201T040506Z"
    assert rows_of(restored.set_aside)["job_watermarks"] == [("unsaved", NOW.replace(tzinfo=None))]
    assert rows_of(target) == rows_of(database)


def test_the_log_of_a_deleted_database_is_moved_aside(backup: Path, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "deleted.duckdb"
    target.with_name("deleted.duckdb.wal").write_bytes(b"of another file")
    aside = tmp_path / "deleted.duckdb.before-restore-20261201T040506Z.wal"
    assert restore(backup, target, AT).set_aside == aside
    assert aside.read_bytes() == b"of another file"
    assert rows_of(target) == rows_of(database)
    Store.open(target).close()


def test_logs_that_were_set_aside_are_not_written_over(backup: Path, tmp_path: Path) -> None:
    target = tmp_path / "deleted.duckdb"
    for content in (b"first", b"second"):
        target.unlink(missing_ok=True)
        target.with_name("deleted.duckdb.wal").write_bytes(content)
        restore(backup, target, AT)
    assert {path.read_bytes() for path in tmp_path.glob("deleted.duckdb.before-restore-*")} == {b"first", b"second"}


def test_two_restores_in_a_second_keep_both(backup: Path, tmp_path: Path) -> None:
    aside = [restore(backup, tmp_path / "a.duckdb", AT).set_aside for _ in range(3)]
    assert aside[0] is None
    assert len({path for path in aside[1:] if path is not None and path.exists()}) == 2


def test_a_link_stays_one(backup: Path, database: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link, real = tmp_path / "link.duckdb", tmp_path / "disk/real.duckdb"
    real.write_bytes(database.read_bytes())
    link.symlink_to(real)
    restored = restore(backup, link, AT)
    assert link.is_symlink()
    assert restored.set_aside is not None
    assert restored.set_aside.parent == real.parent
    assert rows_of(real) == rows_of(database)


def test_a_damaged_database_can_be_replaced(backup: Path, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "damaged.duckdb"
    target.write_bytes(b"\x00" * 5000)
    restored = restore(backup, target, AT)
    assert restored.set_aside is not None
    assert restored.set_aside.read_bytes() == b"\x00" * 5000
    assert rows_of(target) == rows_of(database)


def test_a_database_that_a_process_has_open_stays(backup: Path, held: Path) -> None:
    before = held.read_bytes()
    with pytest.raises(StoreLocked, match="Stop it first"):
        restore(backup, held, AT)
    assert held.read_bytes() == before


def test_a_service_that_starts_meanwhile_keeps_its_new_file(
    backup: Path, tmp_path: Path, is_held: Callable[[Path], bool]
) -> None:
    target = tmp_path / "new.duckdb"

    def start(_: Path) -> int:
        assert is_held(target)
        return 2**40

    with pytest.raises(StoreLocked, match="meanwhile"):
        restore(backup, target, AT, start)
    assert not list(tmp_path.glob("*before-restore*"))
    assert not list(tmp_path.glob(".*partial"))
    with pytest.raises(StoreLocked, match="Stop it first"):
        restore(backup, target, AT)


def test_a_name_that_is_held_for_the_restored_file_cannot_be_taken_and_does_not_stay(
    backup: Path, tmp_path: Path, is_held: Callable[[Path], bool]
) -> None:
    target = tmp_path / "new.duckdb"

    def fail_while_another_starts() -> None:
        with _reserved(target):
            assert not is_held(target)
            raise KeyError

    with pytest.raises(KeyError):
        fail_while_another_starts()
    assert not target.exists()
    restore(backup, target, AT)


def folder_of(path: Path) -> set[str]:
    return {file.name for file in path.parent.iterdir()}


def test_a_damaged_backup_changes_nothing(backup: Path, database: Path) -> None:
    with duckdb.connect(str(backup)) as connection:
        connection.execute("DELETE FROM spans")
    before, names = database.read_bytes(), folder_of(database)
    with pytest.raises(NotABackup):
        restore(backup, database, AT)
    assert database.read_bytes() == before
    assert folder_of(database) == names


def test_a_full_disk_changes_nothing(backup: Path, database: Path) -> None:
    before, names = database.read_bytes(), folder_of(database)
    with pytest.raises(BackupFailed, match="Free some space"):
        restore(backup, database, AT, free=lambda _: 1000)
    assert database.read_bytes() == before
    assert folder_of(database) == names


def test_a_backup_is_not_restored_onto_itself(backup: Path) -> None:
    with pytest.raises(BackupFailed, match="itself"):
        restore(backup, backup, AT)
    restore(backup, Path(shutil.copy(backup, backup.with_name("copied"))), AT)


def test_a_folder_is_not_replaced(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(BackupFailed, match="no file"):
        restore(backup, tmp_path / "folder", AT)
