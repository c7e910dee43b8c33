"""Segments as they are written: one open and locked, bounded in number of bytes, the oldest deleted first."""

import os
from pathlib import Path

import pytest

from ragvigil.counts import Counters, SpoolCounts
from ragvigil.spool.claim import Claim, claim
from ragvigil.spool.directory import MAX_ASIDE, segment_name, segments, set_aside
from ragvigil.spool.frames import HEADER, Kind, packed
from ragvigil.spool.framing import Contents, Packed
from ragvigil.spool.writer import SegmentWriter, SpoolFull

LIMIT = 40_000
BIG = 1 << 30


def frame(size: int = 1000, spans: int = 3) -> Packed:
    return Packed(packed(Kind.TRACES, b"x" * size), Contents(spans=spans))


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def writer(tmp_path: Path, counters: Counters) -> SegmentWriter:
    return SegmentWriter(tmp_path, "process-1", LIMIT, counters)


def sizes(directory: Path) -> int:
    return sum(file.stat().st_size for file in directory.iterdir())


def test_names_are_instance_and_number(writer: SegmentWriter, tmp_path: Path) -> None:
    for _ in range(11):
        writer.append([frame()])
    assert [file.path.name for file in segments(tmp_path)] == ["process-1-000001.spool", "process-1-000002.spool"]


@pytest.mark.parametrize("hostile", ["../up", "/etc/passwd", "a\x00b", "", ".", "..", "ä" * 500, "a b\n"], ids=repr)
def test_any_instance_id_gives_a_plain_name(hostile: str) -> None:
    name = segment_name(hostile, 1)
    assert Path(name).name == name
    assert not name.startswith(".")
    assert name.isascii()
    assert len(name) < 120


def test_the_open_segment_is_locked_and_a_closed_one_is_not(writer: SegmentWriter, tmp_path: Path) -> None:
    writer.append([frame()])
    (file,) = tmp_path.iterdir()
    assert claim(file) is None
    writer.close()
    taken = claim(file)
    assert taken is not None
    assert claim(file) is None
    taken.release()


def test_a_claim_of_what_another_reader_deleted_is_none(writer: SegmentWriter, tmp_path: Path) -> None:
    writer.append([frame()])
    writer.close()
    (file,) = tmp_path.iterdir()
    taken = claim(file)
    assert taken is not None
    with taken:
        taken.delete()
    assert claim(file) is None


def test_a_segment_is_closed_before_it_grows_too_large(writer: SegmentWriter, tmp_path: Path) -> None:
    writer.append([frame() for _ in range(30)])
    assert all(file.size <= LIMIT / 4 for file in segments(tmp_path))
    assert len(segments(tmp_path)) == 4


def test_the_oldest_goes_first_and_its_spans_are_lost(
    writer: SegmentWriter, counters: Counters, tmp_path: Path
) -> None:
    counters.add_spooled(3 * 100)
    for _ in range(100):
        writer.append([frame()])
        assert sizes(tmp_path) <= LIMIT
    counts = counters.read()
    kept = sum(len(list(taken.frames())) for taken in _claims(tmp_path, writer))
    assert counts.spool.evicted == 100 - kept
    assert counts.dropped == 3 * (100 - kept)
    assert counts.spooled == 3 * kept
    assert segments(tmp_path)[-1].path.name == segment_name("process-1", 12)


def test_a_segment_of_another_process_is_evicted_and_counted_in_traces_only(
    writer: SegmentWriter, counters: Counters, tmp_path: Path
) -> None:
    other = SegmentWriter(tmp_path, "another", BIG, Counters())
    other.append([frame() for _ in range(36)])
    other.close()
    writer.append([frame()])
    assert counters.read().spool == SpoolCounts(evicted=36)
    assert counters.read().dropped == 0
    assert [file.path.name for file in segments(tmp_path)] == ["process-1-000001.spool"]


def test_what_others_have_open_is_never_deleted(writer: SegmentWriter, tmp_path: Path) -> None:
    other = SegmentWriter(tmp_path, "another", BIG, Counters())
    other.append([frame() for _ in range(36)])
    with pytest.raises(SpoolFull, match="all of it in use"):
        writer.append([frame()])
    other.close()
    writer.append([frame()])


def test_damaged_files_go_before_telemetry_does(writer: SegmentWriter, tmp_path: Path) -> None:
    writer.append([frame() for _ in range(20)])
    (tmp_path / "old.spool.corrupt").write_bytes(b"x" * LIMIT)
    writer.append([frame() for _ in range(10)])
    assert not (tmp_path / "old.spool.corrupt").exists()
    assert len(segments(tmp_path)) == 4


def test_only_the_newest_damaged_files_are_kept(tmp_path: Path) -> None:
    for number in range(MAX_ASIDE + 3):
        file = tmp_path / f"{number}.spool"
        file.write_bytes(b"damaged")
        os.utime(file, ns=(number, number))
        set_aside(file)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        f"{number}.spool.corrupt" for number in range(3, MAX_ASIDE + 3)
    ]


def test_a_write_that_fails_in_the_middle_leaves_no_half_frame(
    writer: SegmentWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.append([frame()])
    write, calls = os.write, []

    def failing(descriptor: int, data: memoryview) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[:100])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", failing)
        with pytest.raises(OSError, match="No space"):
            writer.append([frame()])
    writer.append([frame(spans=1)])
    writer.close()
    (taken,) = _claims(tmp_path, writer)
    assert len(list(taken.frames())) == 2


def test_a_batch_that_fails_counts_as_not_written_at_all(
    writer: SegmentWriter, counters: Counters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.append([frame(spans=1)])
    write, failing = os.write, frame(spans=7)

    def full(descriptor: int, data: memoryview) -> int:
        if bytes(data) == failing.data:
            raise OSError(28, "No space left on device")
        return write(descriptor, data)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            writer.append([frame(900, spans=5), frame(800, spans=6), failing])
    counters.add_spooled(1)
    (file,) = tmp_path.iterdir()
    assert file.stat().st_size == len(HEADER) + len(frame().data)
    writer.ledger.lose(file.name)
    assert (counters.read().spooled, counters.read().dropped) == (0, 1)


def test_nothing_follows_a_half_frame_that_cannot_be_taken_away(
    writer: SegmentWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> int:
        raise OSError(5, "Input/output error")

    writer.append([frame()])
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", broken)
        patched.setattr(os, "ftruncate", broken)
        with pytest.raises(OSError, match="Input/output"):
            writer.append([frame()])
    writer.append([frame()])
    assert len(list(tmp_path.iterdir())) == 2


def test_a_full_disk_leaves_no_empty_files(
    writer: SegmentWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        for _ in range(5):
            with pytest.raises(OSError, match="No space"):
                writer.append([frame()])
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken_is_skipped(writer: SegmentWriter, tmp_path: Path) -> None:
    (tmp_path / "process-1-000001.spool").write_bytes(b"of an earlier process with the same id")
    writer.append([frame()])
    assert (tmp_path / "process-1-000002.spool").exists()
    assert (tmp_path / "process-1-000001.spool").read_bytes() == b"of an earlier process with the same id"


def _claims(directory: Path, writer: SegmentWriter) -> list[Claim]:
    writer.close()
    return [taken for file in segments(directory) if (taken := claim(file.path)) is not None]
