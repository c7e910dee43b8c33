"""The route behind `ragvigil backup`."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from tests.samples.rows_of import rows_of
from tests.samples.servers import running_api, running_service
from tests.samples.stores import sample

from ragvigil_monitor.backup.asking import Source, download
from ragvigil_monitor.backup.files import free_bytes
from ragvigil_monitor.backup.serving import _prefix, open_snapshot, remove_leftovers
from ragvigil_monitor.errors import BackupFailed
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.copying import check_backup

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A service with a database file, whose snapshots lie elsewhere."""
    folder = tmp_path / "snapshots"
    folder.mkdir()
    store = Store.open(tmp_path / "a.duckdb")
    sample(NOW, days=1, per_day=20).sent.insert(store)
    settings = Settings.load(store={"snapshot_directory": folder})
    with running_service(store, Keys.generate(), lambda: NOW) as running:
        yield replace(running, settings=settings)
    store.close()


@pytest.fixture
def source(service: Service) -> Iterator[Source]:
    with running_api(service) as url:
        yield Source(url, service.keys.by_role[Role.ADMIN])


def snapshots(service: Service) -> list[Path]:
    folder = service.settings.store.snapshot_directory
    assert folder is not None
    return list(folder.iterdir())


def test_a_snapshot_comes_whole_and_leaves_nothing_behind(service: Service, source: Source, tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    download(source, tmp_path / "b", lambda *progress: heard.append(progress))
    size = (tmp_path / "b").stat().st_size
    assert heard[-1] == (size, size)
    assert check_backup(tmp_path / "b").taken_at == NOW
    service.store.close()
    assert rows_of(tmp_path / "b") == rows_of(tmp_path / "a.duckdb")
    assert snapshots(service) == []


@pytest.mark.parametrize("role", [Role.INGEST, Role.ONCALL, Role.REVIEWER])
def test_only_the_owner_gets_one(service: Service, source: Source, role: Role, tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match=r"403.*key of admin"):
        download(Source(source.url, service.keys.by_role[role]), tmp_path / "b", lambda *_: None)
    assert not (tmp_path / "b").exists()


def test_a_wrong_key_and_a_wrong_address_are_named(source: Source, tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match="401"):
        download(Source(source.url, "wrong"), tmp_path / "b", lambda *_: None)
    with pytest.raises(BackupFailed, match=r"127\.0\.0\.1:9"):
        download(Source("http://127.0.0.1:9", "any"), tmp_path / "b", lambda *_: None)
    with pytest.raises(BackupFailed, match="UnsupportedProtocol"):
        download(Source("nonsense", "any"), tmp_path / "b", lambda *_: None)


def test_a_second_one_at_the_same_time_is_refused(service: Service, source: Source, tmp_path: Path) -> None:
    with service.store._copy_lock, pytest.raises(BackupFailed, match=r"409.*already"):
        download(source, tmp_path / "b", lambda *_: None)


def test_no_room_where_it_is_written_is_said_before_anything_is_written(source: Source, tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match="Free some space"):
        download(source, tmp_path / "b", lambda *_: None, lambda _: 1000)
    assert not (tmp_path / "b").exists()


def test_no_room_beside_the_store_is_said_too(service: Service) -> None:
    with pytest.raises(BackupFailed, match="Free some space") as refused:
        open_snapshot(service, free=lambda _: 1000)
    assert refused.value.status == 507
    assert snapshots(service) == []


def test_a_folder_that_takes_no_file_is_a_problem_of_the_request_only(service: Service, source: Source) -> None:
    folder = service.settings.store.snapshot_directory
    assert folder is not None
    folder.rmdir()
    answer = httpx.post(f"{source.url}/api/v1/admin/backup", headers={"Authorization": f"Bearer {source.key}"})
    assert answer.status_code == 500
    assert str(folder) in answer.json()["detail"]
    folder.mkdir()
    assert free_bytes(folder) > 0
    open_snapshot(service).close()


def test_a_receiver_that_leaves_early_leaves_nothing_behind(service: Service, source: Source) -> None:
    headers = {"Authorization": f"Bearer {source.key}"}
    with (
        httpx.Client(base_url=source.url, headers=headers) as client,
        client.stream("POST", "/api/v1/admin/backup") as answer,
    ):
        next(answer.iter_raw(1000))
    assert snapshots(service) == []
    open_snapshot(service).close()


HOLD = "import sys, duckdb\nheld = duckdb.connect(sys.argv[1])\nprint('open', flush=True)\nsys.stdin.read()"


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Another process has the database open and was not stopped."""
    command = [sys.executable, "-c", HOLD, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    try:
        yield
    finally:
        process.communicate()


def test_what_a_killed_service_left_is_removed_at_the_next_start(service: Service) -> None:
    folder, own = service.settings.store.snapshot_directory, _prefix(service)
    assert folder is not None
    other = "a.duckdb.snapshot-0123456789ab-11"
    for name in (f"{own}11", f"{own}11.wal", f"{own}22.wal", other, f"{other}.wal", "a.duckdb"):
        (folder / name).touch()
    remove_leftovers(service)
    assert sorted(path.name for path in snapshots(service)) == ["a.duckdb", other, f"{other}.wal"]


def test_databases_of_the_same_name_have_snapshots_of_different_names(service: Service, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Store.open(tmp_path / "other/a.duckdb")
    assert _prefix(replace(service, store=other)) != _prefix(service)
    other.close()


@pytest.mark.parametrize("in_memory", [False, True])
def test_a_snapshot_that_another_process_writes_stays(service: Service, memory_store: Store, in_memory: bool) -> None:
    starting = replace(service, store=memory_store) if in_memory else service
    folder = service.settings.store.snapshot_directory
    assert folder is not None
    running, ended = (folder / f"{_prefix(starting)}{name}" for name in ("11", "22"))
    ended.touch()
    with written(running):
        running.with_name(f"{running.name}.wal").touch()
        remove_leftovers(starting)
        assert sorted(path.name for path in snapshots(service)) == [running.name, f"{running.name}.wal"]
    remove_leftovers(starting)
    assert snapshots(service) == []
