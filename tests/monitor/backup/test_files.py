"""Files that are whole or not there."""

import os
import subprocess
from pathlib import Path

import pytest

from ragvigil_monitor.backup.files import RESERVE_BYTES, require_space, whole_file
from ragvigil_monitor.errors import BackupFailed


def left_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    with whole_file(tmp_path / "whole", replace=False) as partial:
        partial.write_text("half")
        assert not (tmp_path / "whole").exists()
    assert left_in(tmp_path) == ["whole"]


def test_nothing_is_left_of_a_write_that_fails(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("old")

    def fail() -> None:
        with whole_file(tmp_path / "kept", replace=True) as partial:
            partial.write_text("half")
            partial.with_name(partial.name + ".wal").write_text("log")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert left_in(tmp_path) == ["kept"]
    assert (tmp_path / "kept").read_text() == "old"


def test_what_exists_is_replaced_only_on_request(tmp_path: Path) -> None:
    target = tmp_path / "there"
    target.write_text("old")
    with pytest.raises(BackupFailed, match="--force"), whole_file(target, replace=False):
        raise AssertionError
    with whole_file(target, replace=True) as partial:
        partial.write_text("new")
    assert target.read_text() == "new"


def test_what_appears_meanwhile_is_not_replaced_either(tmp_path: Path) -> None:
    target = tmp_path / "there"

    def write_late() -> None:
        with whole_file(target, replace=False) as partial:
            partial.write_text("mine")
            target.write_text("another's")

    with pytest.raises(BackupFailed, match="--force"):
        write_late()
    assert target.read_text() == "another's"


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    for process in (ended.pid, os.getppid()):
        (tmp_path / f".b[1].db.{process}.partial").write_text("half")
    with whole_file(tmp_path / "b[1].db", replace=False) as partial:
        partial.write_text("whole")
    assert left_in(tmp_path) == sorted(["b[1].db", f".b[1].db.{os.getppid()}.partial"])


@pytest.mark.parametrize(("name", "said"), [("nowhere/b", "no folder"), (".", "folder")])
def test_a_place_that_is_none_is_named(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(BackupFailed, match=said), whole_file(tmp_path / name, replace=True):
        raise AssertionError


def test_space_is_asked_for_beyond_what_is_needed(tmp_path: Path) -> None:
    require_space(tmp_path, 1_000_000, "It", lambda _: RESERVE_BYTES + 1_000_000)
    with pytest.raises(BackupFailed, match=r"It may need 1\.0 MB.* has 68\.1 MB") as refused:
        require_space(tmp_path, 1_000_000, "It", lambda _: RESERVE_BYTES + 999_999)
    assert refused.value.status == 507
