"""API keys: one a role, in a file that only its owner can read."""

import stat
from pathlib import Path

import pytest

from ragvigil_monitor.errors import ConfigurationError
from ragvigil_monitor.keys import Keys, Role, keys_path


def test_keys_lie_beside_the_database(tmp_path: Path) -> None:
    assert keys_path(tmp_path / "rag.duckdb") == tmp_path / "rag.duckdb.keys.json"


def test_fresh_keys_are_written_for_the_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    Keys.read_or_create(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_keys_survive_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    assert Keys.read_or_create(file).by_role == Keys.read_or_create(file).by_role == Keys.read(file).by_role


def test_a_folder_in_which_they_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=f"needs to write in {tmp_path}/nowhere"):
        Keys.read_or_create(tmp_path / "nowhere" / "keys.json")


def test_each_role_has_a_key_of_its_own() -> None:
    keys = Keys.generate()
    assert {keys.role_of(key) for key in keys.by_role.values()} == set(Role)
    assert len(set(keys.by_role.values())) == len(Role)


@pytest.mark.parametrize("presented", ["", "wrong", "schlüssel", "\x00"])
def test_an_unknown_key_has_no_role(presented: str) -> None:
    assert Keys.generate().role_of(presented) is None


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"root": "x"}', b"\xff\xfe", b"null"],
    ids=["empty", "cut", "list", "role", "bytes", "null"],
)
def test_a_damaged_file_is_named_and_kept(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "keys.json"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match="does not hold API keys"):
        Keys.read_or_create(file)
    assert file.read_bytes() == content


def test_keys_that_cannot_be_read_are_not_to_be_removed(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as told:
        Keys.read_or_create(tmp_path)
    assert (
        str(told.value) == f"The API keys in {tmp_path} cannot be read (Is a directory). Let this user read that file."
    )


def test_missing_keys_are_not_to_be_removed(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no file .*nowhere\.json with API keys; `ragvigil serve` writes one"):
        Keys.read(tmp_path / "nowhere.json")


def test_keys_are_not_shown_by_accident() -> None:
    keys = Keys.generate()
    assert keys.by_role[Role.ADMIN] not in repr(keys)
