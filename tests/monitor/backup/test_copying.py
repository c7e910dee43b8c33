"""What is in a copy of the store, and which files are taken for one."""

import stat
import threading
from pathlib import Path

import duckdb
import pytest
from tests.samples.otlp import NOW
from tests.samples.rows_of import rows_of

from ragvigil_monitor.errors import BackupFailed, NotABackup, StoreError, StoreTooNew
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.copying import check_backup, copy_file, read_backup


@pytest.fixture
def backup(database: Path, tmp_path: Path) -> Path:
    copy_file(database, tmp_path / "a.backup", "1.2.3", NOW)
    return tmp_path / "a.backup"


def changed(backup: Path, *statements: str) -> Path:
    with duckdb.connect(str(backup)) as connection:
        for statement in statements:
            connection.execute(statement)
    return backup


def test_a_backup_holds_every_row_and_says_what_it_is(database: Path, backup: Path) -> None:
    manifest = check_backup(backup)
    assert (manifest.program, manifest.taken_at, manifest.rows["answers"]) == ("1.2.3", NOW, 40)
    assert manifest.newest_answer_at is not None
    assert (NOW - manifest.newest_answer_at).total_seconds() == 12
    assert manifest.rows["spans"] == 200
    assert rows_of(backup) == rows_of(database)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_a_file_at_rest_is_only_read(database: Path, tmp_path: Path) -> None:
    changed(database, "DELETE FROM schema_migrations WHERE number > 13", "DROP TABLE spans_removed CASCADE")
    before = database.read_bytes()
    manifest = copy_file(database, tmp_path / "old.backup", "1.2.3", NOW)
    assert database.read_bytes() == before
    assert manifest.schema_number == 13


def test_the_log_of_a_killed_service_is_in_the_copy(database: Path, tmp_path: Path) -> None:
    store = Store.open(database)
    with store.transaction() as writer:
        writer.execute("set_watermark", job="late", done_up_to=NOW)
    crashed = tmp_path / "crashed.duckdb"
    crashed.write_bytes(database.read_bytes())
    log = database.with_name(database.name + ".wal")
    crashed.with_name(crashed.name + ".wal").write_bytes(log.read_bytes())
    store.close()
    copy_file(crashed, tmp_path / "crashed.backup", "1.2.3", NOW)
    assert check_backup(tmp_path / "crashed.backup").rows["job_watermarks"] == 1


def test_what_is_written_while_the_copy_is_made_is_not_in_it_and_not_held_up(database: Path, tmp_path: Path) -> None:
    store = Store.open(database)
    stop = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        while not stop.is_set():
            with store.transaction() as writer:
                writer.execute("set_watermark", job=str(written), done_up_to=NOW)
                writer.execute("add_audit", happened_at=NOW, role="r", actor="a", action="b", subject=str(written))
            written += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        manifest = store.copy_to(tmp_path / "live.backup", program="1.2.3", taken_at=NOW)
        before = written
    finally:
        stop.set()
        thread.join()
        store.close()
    assert manifest.rows["job_watermarks"] == manifest.rows["audit"]
    assert manifest.rows["audit"] <= before + 1
    assert check_backup(tmp_path / "live.backup") == manifest


def test_a_store_that_closes_gives_up_the_copy(database: Path, tmp_path: Path) -> None:
    store = Store.open(database)
    with store.transaction() as writer:
        writer._cursor.execute(
            "INSERT INTO audit SELECT now()::TIMESTAMP, 'r', 'a', md5(i::VARCHAR), md5((7 * i)::VARCHAR) "
            "FROM range(1_200_000) AS numbers(i)"
        )
    failures: list[BaseException] = []

    def copy() -> None:
        try:
            store.copy_to(tmp_path / "late.backup", program="1.2.3", taken_at=NOW)
        except BackupFailed as failure:
            failures.append(failure)

    thread = threading.Thread(target=copy)
    thread.start()
    while not (tmp_path / "late.backup").exists():
        threading.Event().wait(0.001)
    store.close()
    thread.join(20)
    assert not thread.is_alive()
    assert len(failures) == 1


def test_one_copy_at_a_time(database: Path, tmp_path: Path) -> None:
    store = Store.open(database)
    with store._copy_lock, pytest.raises(BackupFailed, match="already") as refused:
        store.copy_to(tmp_path / "second", program="1", taken_at=NOW)
    store.copy_to(tmp_path / "third", program="1", taken_at=NOW)
    store.close()
    assert refused.value.status == 409


def test_a_database_is_not_taken_for_a_backup(database: Path) -> None:
    with pytest.raises(NotABackup, match="no backup"):
        read_backup(database)


@pytest.mark.parametrize("content", [b"", b"{}", b"\x00" * 20_000, b"PK\x03\x04" + bytes(9000)])
def test_other_files_are_no_backups(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(NotABackup):
        read_backup(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == content


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotABackup, match="There is no file"):
        read_backup(tmp_path / "nowhere")


def test_a_backup_by_a_newer_version_is_refused_with_that_version(backup: Path) -> None:
    changed(backup, "UPDATE ragvigil_backup.about SET schema_number = 999, program = '9.0'")
    with pytest.raises(StoreTooNew, match=r"schema 999.*9\.0"):
        check_backup(backup)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM answers WHERE answer_id = (SELECT min(answer_id) FROM answers)",
        "DROP TABLE spans_removed CASCADE",
        "CREATE TABLE more (x INTEGER)",
        "DELETE FROM ragvigil_backup.row_counts WHERE table_name = 'spans'",
        "DELETE FROM ragvigil_backup.about",
        "UPDATE ragvigil_backup.about SET schema_number = NULL",
        "DROP TABLE ragvigil_backup.row_counts",
        "ALTER TABLE ragvigil_backup.about ALTER taken_at TYPE VARCHAR",
    ],
)
def test_a_backup_that_was_changed_is_refused(backup: Path, statement: str) -> None:
    with pytest.raises(NotABackup):
        check_backup(changed(backup, statement))


def test_a_flipped_byte_and_a_cut_end_are_found(backup: Path) -> None:
    whole = backup.read_bytes()
    for place in range(12_288 + 40_000, len(whole), len(whole) // 6):
        backup.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert is_refused(backup) or rows_survive(backup, whole)
    for share in (0.2, 0.5, 0.9):
        backup.write_bytes(whole[: int(len(whole) * share)])
        assert is_refused(backup)


def is_refused(backup: Path) -> bool:
    try:
        check_backup(backup)
    except NotABackup:
        return True
    return False


def rows_survive(backup: Path, whole: bytes) -> bool:
    """Whether the byte lay where nothing is stored."""
    found = rows_of(backup)
    backup.write_bytes(whole)
    return found == rows_of(backup)


def test_a_database_of_others_is_not_copied(tmp_path: Path) -> None:
    changed(tmp_path / "others.duckdb", "CREATE TABLE theirs (x INTEGER)")
    with pytest.raises(StoreError, match="not one of Ragvigil"):
        copy_file(tmp_path / "others.duckdb", tmp_path / "copy", "1", NOW)


def test_a_backup_can_make_nobody_read_other_files(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text(
        "program,schema_number,taken_at,newest_answer_at\nx,1,2026-01-01 00:00:00,2026-01-01 00:00:00\n"
    )
    changed(
        backup,
        "DROP TABLE ragvigil_backup.about",
        f"CREATE VIEW ragvigil_backup.about AS FROM read_csv('{tmp_path}/secret.csv')",
    )
    with pytest.raises(NotABackup):
        read_backup(backup)
