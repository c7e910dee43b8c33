"""What a Collector writes to files is stored once, however its files grow, rotate, are emptied or damaged."""

import logging
import os
import random
from collections.abc import Callable
from datetime import timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from tests.samples.collector_files import frame, json_line, zstd_frame
from tests.samples.otlp import NOW, logs, rag_trace, record, span, traces, unlinked_trace
from tests.samples.servers import wait_until

from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.receiver import storing
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.receiver.files import pieces
from ragvigil_monitor.receiver.files.collector import CollectorReader, open_collector_reader
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

Totals = Callable[[], dict[str, int]]
Made = Callable[..., CollectorReader]
ROTATED = "otel-2026-11-30T03-00-00.000.json"


def line(number: int) -> bytes:
    return json_line(traces(*rag_trace(number)))


def append(path: Path, *pieces: bytes) -> None:
    with path.open("ab") as file:
        file.write(b"".join(pieces))


@pytest.fixture
def service(make_service: Any) -> Service:
    made: Service = make_service(NOW)
    return made


@pytest.fixture
def new_reader(service: Service, tmp_path: Path) -> Made:
    """A reader as it is after a start of the service: it remembers nothing but what is stored."""
    return lambda **options: CollectorReader(service, tmp_path, 0.05, **options)


@pytest.fixture
def reader(new_reader: Made) -> CollectorReader:
    return new_reader()


def answers(store: Store) -> list[str]:
    day = timedelta(days=1)
    rows = store.rows("answers_newest", start=NOW - day, end=NOW + day, intent=None, limit=10_000)
    return sorted(row["answer_id"] for row in rows)


def named(*numbers: int) -> list[str]:
    return sorted(f"answer-{number}" for number in numbers)


def metrics() -> ExportMetricsServiceRequest:
    request = ExportMetricsServiceRequest()
    metric = request.resource_metrics.add().scope_metrics.add().metrics.add()
    metric.name = "a name as long as"
    metric.gauge.data_points.add().as_int = 1
    return request


def test_lines_of_all_signals_are_read(
    reader: CollectorReader, memory_store: Store, tmp_path: Path, totals: Totals
) -> None:
    append(tmp_path / "otel.json", line(1), json_line(logs(record())), json_line(metrics()), b"\n", b"{}\n", line(2))
    reader.read_all()
    assert totals() == {"spans_committed": 12, "logs_committed": 1, "ignored_metrics": 1}
    assert answers(memory_store) == named(1, 2)


@pytest.mark.parametrize("compressed", [frame, zstd_frame], ids=["plain", "zstd"])
@pytest.mark.parametrize("encoded", [lambda request: request.SerializeToString(), json_line], ids=["proto", "json"])
def test_frames_of_all_signals_are_read(
    reader: CollectorReader, tmp_path: Path, totals: Totals, compressed: Any, encoded: Any
) -> None:
    requests = [traces(*rag_trace(1)), logs(record()), metrics(), traces(*rag_trace(2))]
    append(tmp_path / "otel.bin", *(compressed(encoded(request)) for request in requests), frame(b""))
    reader.read_all()
    assert totals() == {"spans_committed": 12, "logs_committed": 1, "ignored_metrics": 1}


@pytest.mark.parametrize("restarted", [False, True], ids=["the same reader", "after a restart"])
def test_a_file_that_grows_is_read_on_from_where_it_was(
    new_reader: Made, tmp_path: Path, totals: Totals, restarted: bool
) -> None:
    reader = new_reader()
    for number in range(5):
        append(tmp_path / "otel.json", line(number))
        reader = new_reader() if restarted else reader
        reader.read_all()
        reader.read_all()
    assert totals() == {"spans_committed": 30}


@pytest.mark.parametrize("whole", [line(2), frame(line(2))], ids=["line", "frame"])
@pytest.mark.parametrize("cut", [1, 3, 100, -1], ids=lambda cut: f"{cut} bytes")
def test_what_is_half_written_waits_until_it_is_complete(
    new_reader: Made, tmp_path: Path, totals: Totals, whole: bytes, cut: int
) -> None:
    first = line(1) if whole == line(2) else frame(line(1))
    append(tmp_path / "otel.json", first, whole[:cut])
    new_reader().read_all()
    assert totals() == {"spans_committed": 6}
    append(tmp_path / "otel.json", whole[cut:])
    new_reader().read_all()
    assert totals() == {"spans_committed": 12}


def test_a_rotated_file_is_not_read_again_and_its_rest_is(new_reader: Made, tmp_path: Path, totals: Totals) -> None:
    current = tmp_path / "otel.json"
    append(current, line(1), line(2))
    new_reader().read_all()
    append(current, line(3))
    current.rename(tmp_path / "otel-2026-11-30T03-00-00.000.json")
    append(current, line(4))
    new_reader().read_all()
    assert totals() == {"spans_committed": 24}


@pytest.mark.parametrize("after", [1, 3, 6], ids=lambda after: f"{after} lines")
def test_a_file_that_was_emptied_is_read_from_its_start(
    new_reader: Made, tmp_path: Path, memory_store: Store, totals: Totals, after: int
) -> None:
    file = tmp_path / "otel.json"
    append(file, line(1), line(2), line(3))
    new_reader().read_all()
    inode = file.stat().st_ino
    file.write_bytes(b"".join(line(number) for number in range(10, 10 + after)))
    assert file.stat().st_ino == inode
    new_reader().read_all()
    assert answers(memory_store) == named(1, 2, 3, *range(10, 10 + after))
    assert totals() == {"spans_committed": 18 + 6 * after}


def test_a_line_that_is_no_request_is_kept_aside_and_counted_once(
    new_reader: Made, tmp_path: Path, memory_store: Store, totals: Totals
) -> None:
    bad = [b'{"resourceSpans": [{"scopeSpans": 5}]}', b'{"resourceSp', b"\xff\xfe\x00", b'["a"]', b'{"spans": []}']
    append(tmp_path / "otel.json", line(1), b"\n".join(bad), b"\n", line(2))
    new_reader().read_all()
    append(tmp_path / "otel.json", line(3))
    new_reader().read_all()
    assert totals() == {"spans_committed": 18, "rejected_line_unreadable": len(bad)}
    assert (tmp_path / "otel.json.rejected").read_bytes().splitlines() == bad
    assert answers(memory_store) == named(1, 2, 3)


@pytest.mark.parametrize("is_framed", [False, True], ids=["lines", "frames"])
def test_random_damage_never_stops_the_reader_and_loses_nothing_before_it(
    reader: CollectorReader, tmp_path: Path, memory_store: Store, is_framed: bool
) -> None:
    chance = random.Random(7)
    expected: list[int] = []
    for number in range(30):
        each = [frame(line(3 * number + k)) if is_framed else line(3 * number + k) for k in range(3)]
        whole = bytearray(b"".join(each))
        at = chance.randrange(len(whole))
        whole[at : at + chance.choice([1, 1, 5, 500])] = chance.randbytes(chance.choice([0, 1, 1, 40]))
        append(tmp_path / f"{number}.json", bytes(whole))
        ends = accumulate(map(len, each))
        expected += [3 * number + k for k, end in enumerate(ends) if end <= at]
    reader.read_all()
    assert set(named(*expected)) <= set(answers(memory_store))
    assert len(answers(memory_store)) == len(set(answers(memory_store)))


def test_a_whole_line_behind_the_half_of_another_is_read(
    reader: CollectorReader, tmp_path: Path, memory_store: Store, totals: Totals
) -> None:
    append(tmp_path / "otel.json", line(1), line(2)[:700], line(3), line(4)[:20], json_line(logs(record())))
    reader.read_all()
    assert totals() == {"spans_committed": 12, "logs_committed": 1, "rejected_line_unreadable": 2}
    assert answers(memory_store) == named(1, 3)
    assert (tmp_path / "otel.json.rejected").read_bytes().splitlines() == [line(2)[:700], line(4)[:20]]


def test_a_line_longer_than_a_request_may_be_is_passed_over(make_service: Any, tmp_path: Path, totals: Totals) -> None:
    reader = CollectorReader(make_service(NOW, server={"max_body_bytes": 60_000}), tmp_path, 0.05)
    append(tmp_path / "otel.json", line(1), b'{"resourceSpans": "' + b"x" * 5_000_000 + b'"}\n', line(2))
    reader.read_all()
    assert totals() == {"spans_committed": 12, "rejected_line_too_long": 1}
    assert 60_000 <= (tmp_path / "otel.json.rejected").stat().st_size <= 70_000


def test_a_long_line_that_is_not_complete_waits(make_service: Any, tmp_path: Path, totals: Totals) -> None:
    reader = CollectorReader(make_service(NOW, server={"max_body_bytes": 60_000}), tmp_path, 0.05)
    append(tmp_path / "otel.json", line(1), b"x" * 200_000)
    reader.read_all()
    assert totals() == {"spans_committed": 6}
    append(tmp_path / "otel.json", b"x" * 200_000, b"\n", line(2))
    reader.read_all()
    assert totals() == {"spans_committed": 12, "rejected_line_too_long": 1}


def test_a_frame_that_makes_too_much_of_itself_is_refused(make_service: Any, tmp_path: Path, totals: Totals) -> None:
    reader = CollectorReader(make_service(NOW, server={"max_body_bytes": 60_000}), tmp_path, 0.05)
    request = traces(*rag_trace(1)).SerializeToString()
    append(tmp_path / "otel.bin", zstd_frame(b"0" * 500_000_000), frame(b"{" * 100_000), frame(request))
    reader.read_all()
    assert totals() == {"spans_committed": 6, "rejected_frame_too_long": 2}


@pytest.mark.parametrize("broken", [b"\x00\x00\x00\x05hallo", zstd_frame(b"x" * 500)[:-9] + b"\x00" * 9])
def test_a_frame_that_is_no_request_is_refused(
    reader: CollectorReader, tmp_path: Path, totals: Totals, broken: bytes
) -> None:
    append(tmp_path / "otel.bin", broken, frame(traces(*rag_trace(1)).SerializeToString()))
    reader.read_all()
    assert totals() == {"spans_committed": 6, "rejected_frame_unreadable": 1}


@pytest.mark.parametrize("rotation", [1, 2, 3])
@pytest.mark.parametrize("framed", [False, True], ids=["lines", "frames"])
def test_a_file_that_is_emptied_under_its_writer_is_read_behind_the_hole(
    new_reader: Made, tmp_path: Path, memory_store: Store, totals: Totals, framed: bool, rotation: int
) -> None:
    shaped = (lambda number: frame(line(number) + b" " * rotation)) if framed else line
    with (tmp_path / "otel.json").open("wb", buffering=0) as writer:
        writer.write(b"".join(map(shaped, range(5))))
        new_reader().read_all()
        os.truncate(tmp_path / "otel.json", 0)
        for number in range(5, 8):
            writer.write(shaped(number))
            new_reader().read_all()
    assert answers(memory_store) == named(*range(8))
    assert totals() == {"spans_committed": 48}


@pytest.mark.parametrize("size", [1, 3, 300, 5000, 3_000_000])
@pytest.mark.parametrize("shaped", [line, lambda number: frame(line(number))], ids=["lines", "frames"])
def test_zeros_between_requests_are_passed_over(
    new_reader: Made, tmp_path: Path, memory_store: Store, totals: Totals, shaped: Any, size: int
) -> None:
    size = size if shaped is line else max(size, 4)  # fewer are part of a length
    append(tmp_path / "otel.json", shaped(1), bytes(size))
    new_reader().read_all()
    append(tmp_path / "otel.json", shaped(2), shaped(3))
    new_reader().read_all()
    new_reader().read_all()
    assert answers(memory_store) == named(1, 2, 3)
    are_empty_frames = shaped is not line and size == 300
    zeros = {} if are_empty_frames or size == 4 else {"rejected_zeros_in_file": 1}
    assert totals() == {"spans_committed": 18, **zeros}


@pytest.mark.parametrize("size", [100, 4095, 4097, 3_000_000])
def test_zeros_at_the_end_wait_for_what_comes_behind_them(
    new_reader: Made, tmp_path: Path, totals: Totals, size: int
) -> None:
    append(tmp_path / ROTATED, line(1), bytes(size))
    new_reader(delete_rotated=True).read_all()
    assert totals() == {"spans_committed": 6}
    append(tmp_path / ROTATED, line(2))
    new_reader(delete_rotated=True).read_all()
    assert totals() == {"spans_committed": 12, "rejected_zeros_in_file": 1}
    assert not (tmp_path / ROTATED).exists()
    assert not list(tmp_path.glob("*.rejected"))


@pytest.mark.parametrize(("on_disk", "counted"), [(0, 0), (1000, 0), (20_000, 1)])
@pytest.mark.parametrize("shaped", [line, lambda number: frame(line(number))], ids=["lines", "frames"])
def test_a_hole_at_the_start_is_no_loss_and_zeros_on_disk_behind_it_are(
    new_reader: Made,
    tmp_path: Path,
    totals: Totals,
    caplog: pytest.LogCaptureFixture,
    on_disk: int,
    counted: int,
    shaped: Any,
) -> None:
    with (tmp_path / "b.json").open("wb") as file:
        file.truncate(1 << 20)
        file.seek(1 << 20)
        file.write(bytes(on_disk) + shaped(3))
    new_reader().read_all()
    new_reader().read_all()
    assert totals() == {"spans_committed": 6, **({"rejected_zeros_in_file": 1} if counted else {})}
    assert caplog.text.count("has zeros before byte") == counted


def test_a_hole_of_terabytes_costs_nothing(reader: CollectorReader, tmp_path: Path, totals: Totals) -> None:
    for name, content in (("a.json", line(1)), ("b.bin", frame(line(2))), ("c", b"")):
        with (tmp_path / name).open("wb") as file:
            file.truncate(1 << 42)
            file.seek(0, os.SEEK_END)
            file.write(content)
    reader.read_all()
    assert totals() == {"spans_committed": 12}


def test_a_file_whose_lengths_make_no_sense_is_given_up_and_the_others_read(
    reader: CollectorReader, tmp_path: Path, totals: Totals
) -> None:
    good = frame(traces(*rag_trace(1)).SerializeToString())
    append(tmp_path / "a.bin", good, b"\xff" * 5000)
    append(tmp_path / "b.json", line(2))
    reader.read_all()
    reader.read_all()
    assert totals() == {"spans_committed": 12, "rejected_file_damaged": 1}


def test_folders_are_read_and_what_is_no_file_is_left_alone(
    reader: CollectorReader, tmp_path: Path, totals: Totals
) -> None:
    (tmp_path / "team" / "a").mkdir(parents=True)
    append(tmp_path / "team" / "a" / "otel.json", line(1))
    append(tmp_path / ".hidden.json", line(2))
    (tmp_path / "link.json").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe.json")
    reader.read_all()
    assert totals() == {"spans_committed": 6}


@pytest.mark.parametrize("content", [b"PAR1 and more", b"RVSP0001", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"])
def test_a_file_of_another_format_is_left_alone_and_told_once(
    reader: CollectorReader, tmp_path: Path, totals: Totals, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    append(tmp_path / "x", content)
    with caplog.at_level(logging.WARNING):
        reader.read_all()
        append(tmp_path / "x", b"more")
        reader.read_all()
    assert caplog.text.count("in no format") == 1
    assert totals() == {}


@pytest.mark.parametrize("delete", [False, True], ids=["left", "deleted"])
def test_only_rotated_files_that_are_stored_whole_are_deleted_and_only_on_request(
    new_reader: Made, tmp_path: Path, delete: bool
) -> None:
    append(tmp_path / "otel.json", line(1))
    append(tmp_path / "otel-2026-11-30T03-00-00.000.json", line(2))
    append(tmp_path / "otel-2026-11-30T03-00-01.000-size.json", line(3))
    append(tmp_path / "otel-2026-11-30T03-00-02.000.json", line(4), b'{"half')
    new_reader(delete_rotated=delete).read_all()
    left = {file.name for file in tmp_path.iterdir()}
    assert left >= {"otel.json", "otel-2026-11-30T03-00-02.000.json"}
    assert len(left) == (2 if delete else 4)


@pytest.mark.parametrize(
    "pieces",
    [
        [frame(line(1)), b"\xff" * 8, frame(line(2))],
        [frame(line(1)), frame(b"{" * 100_000)],
        [frame(line(1)), frame(b"hallo")],
        [line(1), b'{"resourceSpans": "' + b"x" * 100_000 + b'"}\n', line(2)],
        [line(1), b"no json\n", line(2)],
        [line(2)[:700], line(1)],
    ],
    ids=["damaged", "long frame", "unreadable frame", "long line", "unreadable line", "torn line"],
)
@pytest.mark.parametrize("restarted", [False, True], ids=["rotated before", "rotated after a restart"])
def test_a_rotated_file_of_which_something_was_refused_is_never_deleted(
    make_service: Any, tmp_path: Path, pieces: list[bytes], restarted: bool
) -> None:
    service = make_service(NOW, server={"max_body_bytes": 60_000})
    whole = b"".join(pieces)
    append(tmp_path / ("otel.json" if restarted else ROTATED), whole)
    CollectorReader(service, tmp_path, 0.05, delete_rotated=True).read_all()
    if restarted:
        (tmp_path / "otel.json").rename(tmp_path / ROTATED)
        append(tmp_path / ROTATED, frame(line(3)) if pieces[0] == frame(line(1)) else line(3))
        CollectorReader(service, tmp_path, 0.05, delete_rotated=True).read_all()
    assert (tmp_path / ROTATED).read_bytes().startswith(whole)


def test_a_span_that_is_always_rejected_is_counted_and_told_and_holds_no_file_back(
    new_reader: Made, tmp_path: Path, totals: Totals, caplog: pytest.LogCaptureFixture
) -> None:
    bad = json_line(traces(*rag_trace(2), span(1, trace_id=b"short")))
    append(tmp_path / ROTATED, line(1), bad, bad, line(3))
    with caplog.at_level(logging.WARNING):
        new_reader(delete_rotated=True).read_all()
    assert totals() == {"spans_committed": 18, "spans_duplicate": 6, "rejected_bad_id": 2}
    assert not (tmp_path / ROTATED).exists()
    assert (tmp_path / f"{ROTATED}.rejected").read_bytes() == bad + bad
    assert caplog.text.count("counted as rejected") == 1


def test_of_requests_with_a_rejected_span_only_a_sample_is_kept(
    new_reader: Made, tmp_path: Path, totals: Totals
) -> None:
    many = [json_line(traces(*rag_trace(number), span(1, trace_id=b"short"))) for number in range(300)]
    append(tmp_path / ROTATED, *many)
    new_reader(delete_rotated=True).read_all()
    assert totals() == {"spans_committed": 1800, "rejected_bad_id": 300}
    kept = (tmp_path / f"{ROTATED}.rejected").stat().st_size
    assert 1_000_000 < kept <= 1 << 20 < sum(map(len, many))
    assert not (tmp_path / ROTATED).exists()


def test_a_flawed_file_is_not_read_twice_after_a_restart(new_reader: Made, tmp_path: Path, totals: Totals) -> None:
    append(tmp_path / "otel.json", line(1), b"no json\n")
    for _ in range(3):
        new_reader(delete_rotated=True).read_all()
    assert totals() == {"spans_committed": 6, "rejected_line_unreadable": 1}


def test_nothing_is_passed_over_while_the_store_takes_nothing(
    reader: CollectorReader, tmp_path: Path, totals: Totals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "GROUP_ROWS", 12)
    append(tmp_path / "otel.json", *(line(number) for number in range(20)))
    commits = Committer._write
    failures = iter([False, False, True])

    def sometimes(committer: Committer, *batches: Any) -> None:
        if next(failures, False):
            raise StoreUnavailable("The disk is full.")
        commits(committer, *batches)

    monkeypatch.setattr(Committer, "_write", sometimes)
    reader.read_all()
    assert totals() == {"spans_committed": 24}
    reader.read_all()
    assert totals() == {"spans_committed": 120}


def test_a_piece_that_no_table_takes_is_counted_and_passed_over(
    new_reader: Made, tmp_path: Path, totals: Totals, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = pieces.decoded

    def poisoned(piece: Any, service: Service) -> Any:
        batch = real(piece, service)
        assert isinstance(batch, Batch)
        if b"answer-2" in piece.body:
            batch.spans[0][-1] = '{"cut": '
        return batch

    monkeypatch.setattr("ragvigil_monitor.receiver.files.collector.decoded", poisoned)
    append(tmp_path / "otel.json", *(line(number) for number in range(5)))
    new_reader().read_all()
    new_reader().read_all()
    assert totals() == {"spans_committed": 24, "rejected_not_storable": 6}


def test_stages_that_come_late_and_apart_from_their_answer_are_linked(
    new_reader: Made, memory_store: Store, tmp_path: Path
) -> None:
    long_ago = NOW - timedelta(days=3)
    *stages, answer = unlinked_trace(1, started_at=long_ago)
    append(tmp_path / "a.json", *(json_line(traces(stage)) for stage in stages))
    new_reader().read_all()
    append(tmp_path / "b.json", json_line(traces(answer)))
    new_reader().read_all()
    hour = timedelta(hours=1)
    found = memory_store.rows(
        "spans_of_trace", trace_id=answer.trace_id, start=long_ago - hour, end=long_ago + hour, limit=10
    )
    assert [row["answer_span_id"] for row in found] == [answer.span_id] * 6


def test_the_thread_waits_for_the_directory_and_stops(service: Service, tmp_path: Path, totals: Totals) -> None:
    with CollectorReader(service, tmp_path / "later", 0.02):
        (tmp_path / "later").mkdir()
        append(tmp_path / "later" / "otel.json", line(1))
        wait_until(lambda: totals() == {"spans_committed": 6})


def test_times_are_believed_while_the_clock_is_behind_what_was_stored(
    make_service: Any, tmp_path: Path, memory_store: Store, totals: Totals
) -> None:
    append(tmp_path / "otel.json", line(1))
    CollectorReader(make_service(NOW), tmp_path, 0.05).read_all()
    append(tmp_path / "otel.json", line(1), line(2))
    set_back = make_service(NOW - timedelta(days=2))
    set_back.latest.at = NOW
    CollectorReader(set_back, tmp_path, 0.05).read_all()
    assert totals() == {"spans_committed": 12, "spans_duplicate": 6}


def test_the_settings_name_the_directory(make_service: Any, tmp_path: Path) -> None:
    assert open_collector_reader(make_service(NOW)) is None
    assert open_collector_reader(make_service(NOW, collector={"directory": tmp_path})) is not None
