"""What a backup is never written over."""

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from tests.samples.otlp import NOW

from ragvigil_monitor.backup.taking import Order, take
from ragvigil_monitor.errors import BackupFailed, MonitorError
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store.manifest import Manifest


def back_up(database: Path, target: Path, *, force: bool = True) -> Manifest:
    settings = Settings.load(store={"path": database})
    return take(Order(target, None, force), settings, NOW, lambda *_: None)


def itself(database: Path) -> Path:
    return database


def relative(database: Path) -> Path:
    return Path(os.path.relpath(database))


def symlink(database: Path) -> Path:
    link = database.with_name("link")
    link.symlink_to(database)
    return link


def hard_link(database: Path) -> Path:
    link = database.with_name("hard")
    link.hardlink_to(database)
    return link


def through_a_folder(database: Path) -> Path:
    (database.parent / "folder").symlink_to(database.parent)
    return database.parent / "folder" / database.name


def log(database: Path) -> Path:
    return database.with_name(f"{database.name}.wal")


def keys(database: Path) -> Path:
    path = database.with_name(f"{database.name}.keys.json")
    path.write_text("{}")
    return path


def beside_a_log(database: Path) -> Path:
    database.with_name("old.duckdb.wal").write_bytes(b"theirs")
    return database.with_name("old.duckdb")


def another(database: Path) -> Path:
    path = database.with_name("another")
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE theirs (x INTEGER)")
    return path


def damaged(database: Path) -> Path:
    path = database.with_name("damaged")
    path.write_bytes(database.read_bytes()[:9000])
    return path


FORBIDDEN = [itself, relative, symlink, hard_link, through_a_folder, log, keys, beside_a_log, another, damaged]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("place", FORBIDDEN)
def test_no_database_is_written_over(database: Path, place: Callable[[Path], Path], force: bool) -> None:
    target = place(database)
    before = contents(database.parent)
    with pytest.raises(BackupFailed) as refused:
        back_up(database, target, force=force)
    assert contents(database.parent) == before
    assert "--force" not in str(refused.value)


def test_a_database_that_has_another_name_by_a_link_is_safe_by_both(database: Path) -> None:
    link = symlink(database)
    for target in (database, log(database), link, log(link)):
        with pytest.raises(BackupFailed):
            back_up(link, target)


def test_a_database_that_appears_meanwhile_stays(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "late"

    def free(_: Path) -> int:
        another(database).rename(target)
        return 2**40

    with pytest.raises(BackupFailed, match="no sound backup"):
        take(Order(target, None, force=True), Settings.load(store={"path": database}), NOW, lambda *_: None, free)
    with duckdb.connect(str(target)) as connection:
        assert connection.execute("FROM theirs").fetchall() == []


def test_backups_and_other_files_are_replaced_on_request(database: Path, tmp_path: Path) -> None:
    (tmp_path / "b").write_text("notes")
    for _ in range(2):
        assert back_up(database, tmp_path / "b").rows["answers"] == 40
    with duckdb.connect(str(tmp_path / "b")) as connection:
        connection.execute("UPDATE ragvigil_backup.about SET schema_number = 999")
    assert back_up(database, tmp_path / "b").rows["answers"] == 40


def test_a_backup_that_another_process_has_open_stays(database: Path, held: Path) -> None:
    before = held.read_bytes()
    with pytest.raises(MonitorError, match="open in process"):
        back_up(database, held)
    assert held.read_bytes() == before
