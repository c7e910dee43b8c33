"""Files of requests into a store or a service: lines, bodies, frames, spool segments, compressed or not."""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import zstandard
from tests.monitor.transfer.conftest import NOW, Opened
from tests.samples.collector_files import frame, json_line, zstd_frame
from tests.samples.filled_stores import dump
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import logs, rag_trace, record, span, traces, unlinked_trace

from ragvigil.spool.frames import HEADER, Kind, packed
from ragvigil_monitor.errors import TransferFailed
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer import reading_files
from ragvigil_monitor.transfer.ends import LocalEnd
from ragvigil_monitor.transfer.exporting import Format
from ragvigil_monitor.transfer.listed_files import ListedFile, listed_files
from ragvigil_monitor.transfer.reading_files import FileReport, import_file
from ragvigil_monitor.transfer.words import file_line, total_line
from ragvigil_monitor.transfer.writing_files import export_to

MAX_BYTES = 200_000
REQUESTS = [traces(*rag_trace(1)), logs(record(), record("other")), traces(*rag_trace(2)), traces(*rag_trace(3))]
BODIES = [request.SerializeToString() for request in REQUESTS]
LINES = [json_line(request) for request in REQUESTS]
EVERYTHING = {"spans_committed": 18, "logs_committed": 2}
SEGMENT = HEADER + b"".join(packed(Kind.LOGS if place == 1 else Kind.TRACES, body) for place, body in enumerate(BODIES))
FILES = {
    "lines": b"".join(LINES),
    "lines without an end": b"".join(LINES).rstrip(b"\n"),
    "frames": b"".join(map(frame, BODIES)),
    "frames of json": b"".join(frame(line) for line in LINES),
    "frames of zstd": b"".join(map(zstd_frame, BODIES)),
    "segment": SEGMENT,
    "gzip": gzip.compress(b"".join(LINES)),
    "zstd": b"".join(map(zstandard.ZstdCompressor().compress, LINES)),
    "zstd of frames": zstandard.ZstdCompressor().compress(b"".join(map(frame, BODIES))),
}


def imported(opened: Opened, store: Store, *files: Path) -> list[FileReport]:
    with opened(store) as target:
        return [import_file(ListedFile(file), target, MAX_BYTES) for file in files]


def written(folder: Path, content: bytes, name: str = "file") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
def test_every_format_is_read_and_a_second_time_adds_nothing(
    memory_store: Store, opened: Opened, tmp_path: Path, content: bytes
) -> None:
    first, second = imported(opened, memory_store, *[written(tmp_path, content)] * 2)
    assert first.is_complete
    assert (first.requests, dict(first.outcomes)) == (4, EVERYTHING)
    assert dict(second.outcomes) == {"spans_duplicate": 18, "logs_duplicate": 2}
    assert len(dump(memory_store, BY_NAME["answers"])) == 3


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (BODIES[0], {"spans_committed": 6}),
        (BODIES[1], {"logs_committed": 2}),
        (json.dumps(json.loads(LINES[0]), indent=2).encode(), {"spans_committed": 6}),
        (LINES[0].rstrip(b"\n"), {"spans_committed": 6}),
    ],
    ids=["protobuf traces", "protobuf logs", "json over lines", "one line"],
)
def test_a_file_may_be_one_request(
    memory_store: Store, opened: Opened, tmp_path: Path, content: bytes, expected: dict[str, int]
) -> None:
    (report,) = imported(opened, memory_store, written(tmp_path, content))
    assert dict(report.outcomes) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LINES[0] + b"{cut\n" + LINES[2], {"spans_committed": 12, "rejected_line_unreadable": 1}),
        (LINES[0] + b"x" * 500_000 + b"\n" + LINES[2], {"spans_committed": 12, "rejected_line_too_long": 1}),
        (LINES[0] + LINES[2][:-50], {"spans_committed": 6, "rejected_request_400": 1}),
        (SEGMENT[:-20], {"spans_committed": 12, "logs_committed": 2, "rejected_spool_damaged": 1}),
        (frame(BODIES[0]) + b"\x00\x00\x10\x00abc", {"spans_committed": 6, "rejected_file_damaged": 1}),
        (
            HEADER
            + packed(Kind.TRACES, BODIES[0])
            + packed(Kind.TRACES, b"\x0a\x05no")
            + packed(Kind.TRACES, BODIES[2]),
            {"spans_committed": 12, "rejected_request_400": 1},
        ),
        (
            json_line(traces(span(1, trace_id=b"short"), *rag_trace(1))),
            {"spans_committed": 6, "rejected_bad_id": 1},
        ),
    ],
    ids=["a bad line", "a long line", "a cut line", "a torn segment", "a cut frame", "a bad frame", "a bad span"],
)
def test_what_is_damaged_is_counted_and_the_rest_imported(
    memory_store: Store, opened: Opened, tmp_path: Path, content: bytes, expected: dict[str, int]
) -> None:
    (report,) = imported(opened, memory_store, written(tmp_path, content))
    assert not report.is_complete
    assert report.failure is None
    assert {outcome: items for outcome, items in report.outcomes.items() if "duplicate" not in outcome} == expected


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "is empty"),
        (b"Dear diary,\ntoday nothing.\n" * 10_000, "neither"),
        (b"\x89PNG\r\n\x1a\n" + bytes(500), "neither"),
        (gzip.compress(b"".join(LINES))[:-50], "cannot be decompressed"),
        (b"\x28\xb5\x2f\xfd" + bytes(50), "cannot be decompressed"),
        (b"\xff\xfe{\x00", "neither"),
    ],
    ids=["empty", "text", "picture", "cut gzip", "no zstd", "utf-16"],
)
def test_what_is_no_file_of_requests_is_refused(
    memory_store: Store, opened: Opened, tmp_path: Path, content: bytes, named: str
) -> None:
    (report,) = imported(opened, memory_store, written(tmp_path, content))
    assert report.failure is not None
    assert named in report.failure
    assert dump(memory_store, BY_NAME["spans"]) == []


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TransferFailed, match=r"no .*nowhere"):
        listed_files([tmp_path / "nowhere"])


def test_old_spans_are_taken_and_stages_linked_that_lie_apart(
    memory_store: Store, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_files, "GROUP_BYTES", 1)
    *stages, answer = unlinked_trace(1, started_at=NOW - timedelta(days=900))
    content = b"".join(json_line(traces(each)) for each in (*stages, answer))
    (report,) = imported(opened, memory_store, written(tmp_path, content))
    assert dict(report.outcomes) == {"spans_committed": 6}
    assert {row["answer_span_id"] for row in dump(memory_store, BY_NAME["spans"])} == {answer.span_id}


def test_an_otlp_export_is_imported_to_the_same_tables(memory_store: Store, opened: Opened, tmp_path: Path) -> None:
    other = fresh_store()
    (tmp_path / "in").mkdir()
    imported(opened, memory_store, written(tmp_path / "in", SEGMENT))
    with opened(memory_store) as source:
        export_to(tmp_path / "out", source, Format.OTLP, Within(), NOW, lambda *_: None)
    names = {str(file.path.relative_to(tmp_path / "out")) for file in listed_files([tmp_path / "out"])}
    assert names == {"traces/2026-11-30.jsonl", "logs/2026-11-30.jsonl"}
    imported(opened, other, *(file.path for file in listed_files([tmp_path / "out"])))
    for name in ("spans", "answers", "query_vectors", "log_events"):
        assert dump(other, BY_NAME[name]) == dump(memory_store, BY_NAME[name])
    other.close()


def test_reports_say_what_became_of_everything(tmp_path: Path) -> None:
    outcomes = {"spans_committed": 96_320, "spans_duplicate": 12, "rejected_bad_id": 3, "flawed_bad_time": 2}
    report = FileReport(Path("a.jsonl"), requests=1_204, outcomes=Counter(outcomes))
    said = "1,204 requests: 96,320 spans new, 12 known, 3 rejected (bad_id 3), 2 kept without a value (bad_time 2)"
    assert file_line(report) == f"a.jsonl: {said}"
    assert total_line([report]) == f"Read {said}."
    assert total_line([]) == "Read nothing."


def test_the_committed_counts_are_in_the_store(memory_store: Store, tmp_path: Path) -> None:
    import_file(ListedFile(written(tmp_path, SEGMENT)), LocalEnd(memory_store, lambda: NOW), MAX_BYTES)
    totals = {row["outcome"]: row["items"] for row in memory_store.rows("ingest_totals")}
    assert totals == EVERYTHING


@pytest.mark.parametrize("attributes", ["[null]", "[5]", '["x"]', "[[]]"])
def test_attributes_that_are_none_refuse_their_request_and_no_other(
    memory_store: Store, opened: Opened, tmp_path: Path, attributes: str
) -> None:
    bad = b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":%b}]}]}]}\n' % attributes.encode()
    files = [written(tmp_path, LINES[0] + bad + LINES[2], "a"), written(tmp_path, LINES[3], "b")]
    first, second = imported(opened, memory_store, *files)
    assert dict(first.outcomes) == {"spans_committed": 12, "rejected_request_400": 1}
    assert (first.is_complete, second.is_complete) == (False, True)


@pytest.mark.parametrize("bomb", [gzip.compress, zstandard.ZstdCompressor().compress], ids=["gzip", "zstd"])
def test_a_file_that_becomes_far_too_large_is_refused(
    memory_store: Store, opened: Opened, tmp_path: Path, bomb: Callable[[bytes], bytes]
) -> None:
    content = bomb(LINES[0] + b" " * (10 << 20)) + bomb(b" " * (64 << 20)) * 6
    (report,) = imported(opened, memory_store, written(tmp_path, content))
    assert "becomes more than" in str(report.failure)
    assert dict(report.outcomes) == {}
