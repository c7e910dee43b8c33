"""What is said of the free space, and when nothing is written."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.samples.otlp import NOW

from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.disk import Disk, Limits, Trouble

LIMITS = Limits(stop_bytes=1000, warn_bytes=5000)


class Meter:
    """A disk with so many bytes free, and a clock."""

    def __init__(self, free: int = 10_000) -> None:
        self.free = free
        self.now_s = 0.0

    def disk(self, file: Path = Path("nowhere/a.duckdb"), limits: Limits = LIMITS) -> Disk:
        return Disk(file, limits, lambda _: self.free, lambda: self.now_s)


def parts(disk: Disk, at: datetime = NOW) -> list[str]:
    return [trouble.part for trouble in disk.troubles(at)]


@pytest.mark.parametrize(
    ("free", "wrong"),
    [(10_000, []), (5000, []), (4999, ["disk space"]), (1000, ["disk space"]), (999, ["store", "disk space"])],
)
def test_the_limits_decide(free: int, wrong: list[str]) -> None:
    assert parts(Meter(free).disk()) == wrong


def test_a_shortage_that_gets_worse_has_not_ended() -> None:
    meter = Meter(4999)
    disk = meter.disk()
    (short,) = disk.troubles(NOW)
    meter.free = 999
    later = {trouble.part: trouble for trouble in disk.troubles(NOW + timedelta(hours=1))}
    assert later[short.part].since == NOW


def test_nothing_is_written_below_the_limit_and_the_sentence_says_why() -> None:
    Meter(1000).disk().require_room()
    with pytest.raises(StoreUnavailable, match=r"nowhere/a\.duckdb.*goes on by itself"):
        Meter(999).disk().require_room()


def test_the_log_needs_room_too(tmp_path: Path) -> None:
    (tmp_path / "a.duckdb.wal").write_bytes(bytes(2000))
    meter = Meter(2999)
    with pytest.raises(StoreUnavailable):
        meter.disk(tmp_path / "a.duckdb").require_room()
    meter.free = 3000
    meter.disk(tmp_path / "a.duckdb").require_room()


def test_a_limit_of_zero_is_none() -> None:
    disk = Meter(0).disk(limits=Limits())
    disk.require_room()
    assert parts(disk) == []


def test_a_shortage_has_a_beginning_and_does_not_flutter() -> None:
    meter = Meter(4999)
    disk, later = meter.disk(), NOW + timedelta(minutes=5)
    assert disk.troubles(NOW)[0].since == NOW
    meter.free = 5001
    (trouble,) = disk.troubles(later)
    assert (trouble.part, trouble.since) == ("disk space", NOW)
    meter.free = 5500
    assert disk.troubles(later) == []
    meter.free = 4999
    assert disk.troubles(later)[0].since == later


def test_a_refusal_is_shown_until_telemetry_is_stored() -> None:
    meter = Meter()
    disk = meter.disk()
    disk.note("quota exceeded")
    assert disk.troubles(NOW) == [Trouble("store", NOW, "quota exceeded")]
    disk.note(None)
    assert parts(disk) == ["store"]
    disk.stored_telemetry()
    assert parts(disk) == []


def test_a_refusal_is_over_when_other_writes_succeed_for_a_minute() -> None:
    meter = Meter()
    disk = meter.disk()
    disk.note("quota exceeded")
    meter.now_s = 59.0
    disk.note(None)
    assert parts(disk) == ["store"]
    meter.now_s = 61.0
    disk.note(None)
    assert parts(disk) == []


def test_a_disk_that_does_not_answer_stops_nothing() -> None:
    def vanished(_: Path) -> int:
        raise FileNotFoundError

    disk = Disk(Path("a.duckdb"), LIMITS, vanished)
    disk.require_room()
    assert disk.free_bytes() is None
    assert parts(disk) == []


def test_a_store_in_memory_has_no_disk(memory_store: Store) -> None:
    assert memory_store.disk.free_bytes() is None
    assert parts(memory_store.disk) == []


def test_a_store_below_its_limit_reads_and_refuses_to_write(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "a.duckdb", limits=Limits(stop_bytes=2**60))
    with pytest.raises(StoreUnavailable), store.transaction():
        raise AssertionError
    assert store.rows("first_answer_time") == [{"first_answer_at": None}]
    assert parts(store.disk) == ["store"]
    store.close()
