"""`kill -9` of the service while clients send: whatever was acknowledged is in the file, once."""

from pathlib import Path

import pytest
from tests.samples.killed_services import Aftermath, Start, kill_services, start_command, start_forked


def assert_sound(after: Aftermath, kills: int) -> None:
    assert len(after.acknowledged) >= kills
    assert after.lost == set()
    assert after.never_sent == set()
    assert after.stored.is_sound
    assert after.leftovers == []


@pytest.mark.parametrize(
    ("kills", "start"), [(2, start_command), (20, start_forked)], ids=["as a command", "many times"]
)
def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path, kills: int, start: Start) -> None:
    assert_sound(kill_services(kills, 5, tmp_path, start), kills)


def test_a_kill_during_a_backup_leaves_no_half_one(tmp_path: Path) -> None:
    after = kill_services(6, 5, tmp_path, start_forked, backup_mib=8)
    assert_sound(after, 6)
    assert after.backups.taken + after.backups.missed + after.backups.interrupted == 6
    assert after.backups.interrupted >= 1
    assert (after.backups.half, after.backups.incomplete) == (0, 0)
