"""Segments of a spool directory: stored once, deleted after the commit, left alone while somebody writes them."""

import logging
import os
import random
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.samples.otlp import NOW, logs, rag_trace, record, span, traces
from tests.samples.servers import wait_until

from ragvigil.counts import Counters
from ragvigil.export.exporter import Signal
from ragvigil.spool.frames import HEADER, Frame, Kind, packed
from ragvigil.spool.framing import packed_frames
from ragvigil.spool.writer import SegmentWriter
from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.receiver import spool
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.columns import AT
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.spool import SpoolReader, open_spool_reader
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

Totals = Callable[[], dict[str, int]]


def request(number: int) -> bytes:
    return traces(*rag_trace(number)).SerializeToString()


def written(directory: Path, *payloads: bytes, name: str = "p-000001.spool", tail: bytes = b"") -> Path:
    directory.mkdir(exist_ok=True)
    unnamed = directory / f"{name}.unnamed"  # a reader that is quick takes an empty segment for an orphan
    unnamed.write_bytes(HEADER + b"".join(packed(Kind.TRACES, payload) for payload in payloads) + tail)
    return unnamed.rename(directory / name)


@pytest.fixture
def service(make_service: Any) -> Service:
    made: Service = make_service(NOW)
    return made


@pytest.fixture
def reader(service: Service, tmp_path: Path) -> SpoolReader:
    return SpoolReader(service, tmp_path, 0.05)


def answers(store: Store) -> list[str]:
    day = timedelta(days=1)
    rows = store.rows("answers_newest", start=NOW - day, end=NOW + day, intent=None, limit=1000)
    return sorted(row["answer_id"] for row in rows)


def test_what_a_segment_holds_is_stored_and_the_segment_deleted(
    reader: SpoolReader, memory_store: Store, tmp_path: Path, totals: Totals
) -> None:
    written(tmp_path, *(request(number) for number in range(200)))
    assert reader.read_all() == 1
    assert answers(memory_store) == sorted(f"answer-{number}" for number in range(200))
    assert totals() == {"spans_committed": 1200}
    assert list(tmp_path.iterdir()) == []


def test_log_records_are_read_too(reader: SpoolReader, tmp_path: Path, totals: Totals) -> None:
    payload = logs(record()).SerializeToString()
    (tmp_path / "p-1.spool").write_bytes(HEADER + packed(Kind.LOGS, payload) + packed(Kind.TRACES, request(1)))
    assert reader.read_all() == 1
    assert totals() == {"logs_committed": 1, "spans_committed": 6}


def test_what_came_over_http_already_is_counted_once(
    reader: SpoolReader, service: Service, memory_store: Store, tmp_path: Path, totals: Totals, batch_of: Any
) -> None:
    service.committer.submit(batch_of(*rag_trace(1))).result(20)
    written(tmp_path, request(1), request(1))
    written(tmp_path, request(1), name="q-000001.spool")
    assert reader.read_all() == 2
    assert answers(memory_store) == ["answer-1"]
    assert totals() == {"spans_committed": 6, "spans_duplicate": 18}


def test_a_segment_that_is_being_written_is_left_alone(reader: SpoolReader, tmp_path: Path, totals: Totals) -> None:
    writer = SegmentWriter(tmp_path, "living", 1 << 25, Counters())
    writer.append(packed_frames(Signal.TRACES, request(1)))
    assert reader.read_all() == 0
    assert totals() == {}
    writer.close()
    assert reader.read_all() == 1
    assert totals() == {"spans_committed": 6}


def test_two_readers_do_not_read_the_same_segment(service: Service, tmp_path: Path, totals: Totals) -> None:
    for number in range(20):
        written(tmp_path, request(number), name=f"p-{number:06d}.spool")
    done: list[int] = []
    readers = [SpoolReader(service, tmp_path, 0.05) for _ in range(3)]
    threads = [threading.Thread(target=lambda each=each: done.append(each.read_all())) for each in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(done) == 20
    assert totals() == {"spans_committed": 120}


@pytest.mark.parametrize("cut", [1, 5, 9, 200], ids=lambda cut: f"{cut} bytes")
def test_a_torn_tail_is_kept_aside_and_counted(
    reader: SpoolReader, memory_store: Store, tmp_path: Path, totals: Totals, cut: int
) -> None:
    written(tmp_path, request(1), request(2), tail=packed(Kind.TRACES, request(3))[:cut])
    assert reader.read_all() == 1
    wait_until(lambda: totals() == {"spans_committed": 12, "rejected_spool_damaged": 1})
    assert answers(memory_store) == ["answer-1", "answer-2"]
    assert [file.name for file in tmp_path.iterdir()] == ["p-000001.spool.corrupt"]
    assert reader.read_all() == 0


def test_random_damage_never_stops_the_reader_and_loses_no_frame_before_it(
    reader: SpoolReader, memory_store: Store, tmp_path: Path
) -> None:
    chance = random.Random(7)
    frame_bytes = len(packed(Kind.TRACES, request(1)))
    expected: set[str] = set()
    for number in range(30):
        payloads = [request(3 * number + each) for each in range(3)]
        whole = HEADER + b"".join(packed(Kind.TRACES, payload) for payload in payloads)
        at = chance.randrange(len(HEADER), len(whole))
        damaged = bytearray(whole)
        damaged[at] ^= chance.randrange(1, 256)
        (tmp_path / f"p-{number:06d}.spool").write_bytes(damaged)
        expected |= {f"answer-{3 * number + each}" for each in range((at - len(HEADER)) // (frame_bytes + 60))}
    assert reader.read_all() == 30
    assert expected <= set(answers(memory_store))
    assert len(list(tmp_path.glob("*.corrupt"))) == 4


@pytest.mark.parametrize(
    "content",
    [b"", HEADER, b"RVSP", b"RVSP0002" + b"\x01" * 50, b"\x00" * 5000, os.urandom(500), HEADER + b"\x01" + b"\xff" * 8],
    ids=["empty", "header", "half a header", "another version", "zeros", "noise", "a frame of 4 GB"],
)
def test_what_is_no_segment_is_read_without_harm(reader: SpoolReader, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.spool").write_bytes(content)
    written(tmp_path, request(1))
    assert reader.read_all() == 2
    assert reader.read_all() == 0
    assert list(tmp_path.glob("*.spool")) == []


def test_a_frame_that_is_no_request_is_counted_and_its_neighbours_stored(
    reader: SpoolReader, tmp_path: Path, totals: Totals
) -> None:
    written(tmp_path, request(1), b"\xff no protobuf", request(2))
    assert reader.read_all() == 1
    wait_until(lambda: totals() == {"spans_committed": 12, "rejected_request_400": 1})


@pytest.mark.parametrize("failure", [RecursionError, OverflowError, KeyError])
def test_a_frame_that_defeats_decoding_holds_nothing_up(
    reader: SpoolReader, tmp_path: Path, totals: Totals, monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    odd = request(2)

    def failing(payload: bytes, *arguments: Any, **named: Any) -> Batch:
        if payload == odd:
            raise failure
        return decode_traces(payload, *arguments, **named)

    monkeypatch.setattr(spool, "decode_traces", failing)
    written(tmp_path, request(1), odd, request(3))
    written(tmp_path, request(4), name="q-000001.spool")
    assert reader.read_all() == 2
    wait_until(lambda: totals() == {"spans_committed": 18, "rejected_spool_damaged": 1})
    assert [file.name for file in tmp_path.iterdir()] == ["p-000001.spool.corrupt"]
    assert reader.read_all() == 0


def test_what_is_no_regular_file_is_left_alone(reader: SpoolReader, tmp_path: Path) -> None:
    (tmp_path / "folder.spool").mkdir()
    (tmp_path / "link.spool").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe.spool")
    assert reader.read_all() == 0
    assert len(list(tmp_path.iterdir())) == 3


def test_a_segment_stays_while_the_store_takes_nothing(
    reader: SpoolReader, service: Service, tmp_path: Path, totals: Totals, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, request(1))

    def full(*_: object) -> None:
        raise StoreUnavailable("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(Committer, "_write", full)
        assert reader.read_all() == 0
    assert file.exists()
    assert reader.read_all() == 1
    assert totals() == {"spans_committed": 6}


def test_a_directory_that_does_not_exist_yet_is_waited_for(service: Service, tmp_path: Path, totals: Totals) -> None:
    with SpoolReader(service, tmp_path / "later", 0.02):
        written(tmp_path / "later", request(1))
        wait_until(lambda: totals() == {"spans_committed": 6})


def test_a_directory_that_cannot_be_read_is_told_once(
    service: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    reader = SpoolReader(service, tmp_path / "file", 0.05)
    with caplog.at_level(logging.WARNING):
        assert reader.read_all() == reader.read_all() == 0
    assert caplog.text.count("cannot be read") == 1


def test_a_directory_that_is_not_there_is_told_once_and_read_when_it_is(
    service: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory = tmp_path / "later"
    with caplog.at_level(logging.WARNING), SpoolReader(service, directory, 0.01):
        wait_until(lambda: bool(caplog.text))
        path = written(directory, request(0))
        wait_until(lambda: not path.exists())
    assert caplog.text.count(f"There is no directory {directory}; nothing is read until there is.") == 1


def test_more_frames_than_may_wait_are_stored_all_the_same(
    make_service: Any, memory_store: Store, tmp_path: Path, totals: Totals
) -> None:
    committer = Committer(memory_store, clock=lambda: NOW, max_waiting=4)
    made = make_service(NOW)
    written(tmp_path, *(request(number) for number in range(100)))
    with committer:
        service = Service(memory_store, made.settings, made.keys, committer, made.clock)
        assert SpoolReader(service, tmp_path, 0.05).read_all() == 1
    assert totals() == {"spans_committed": 600}


def test_a_stop_leaves_the_rest_for_the_next_run(service: Service, tmp_path: Path, totals: Totals) -> None:
    for number in range(30):
        written(tmp_path, *(request(30 * number + each) for each in range(30)), name=f"p-{number:06d}.spool")
    with SpoolReader(service, tmp_path, 0.02):
        wait_until(lambda: totals() != {})
    left = len(list(tmp_path.glob("*.spool")))
    assert SpoolReader(service, tmp_path, 0.02).read_all() == left
    assert totals()["spans_committed"] == 5400


def test_the_settings_name_the_directory(make_service: Any, tmp_path: Path) -> None:
    assert open_spool_reader(make_service(NOW)) is None
    assert open_spool_reader(make_service(NOW, spool={"directory": tmp_path})) is not None


def test_a_frame_that_no_table_takes_does_not_keep_its_group_out(
    reader: SpoolReader, memory_store: Store, tmp_path: Path, totals: Totals, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = SpoolReader._decoded

    def poisoned(each: SpoolReader, frame: Frame) -> Batch:
        batch = decoded(each, frame)
        if frame.payload == request(2):
            for row in batch.spans:
                row[AT["attributes"]] = '{"cut": '
        return batch

    monkeypatch.setattr(SpoolReader, "_decoded", poisoned)
    written(tmp_path, *(request(number) for number in range(5)))
    assert reader.read_all() == 1
    assert answers(memory_store) == ["answer-0", "answer-1", "answer-3", "answer-4"]
    assert totals() == {"spans_committed": 24, "rejected_not_storable": 6}


def test_a_span_that_is_rejected_does_not_keep_its_neighbours_out(
    reader: SpoolReader, tmp_path: Path, totals: Totals
) -> None:
    written(tmp_path, request(1), traces(span(1, trace_id=b"short")).SerializeToString())
    assert reader.read_all() == 1
    assert totals() == {"spans_committed": 6, "rejected_bad_id": 1}
