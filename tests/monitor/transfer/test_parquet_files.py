"""All tables through Parquet files into another store, from a store or a service to a store or a service."""

import json
import random
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.monitor.transfer.conftest import NOW, Opened
from tests.samples.filled_stores import ROWS, dump

from ragvigil_monitor.errors import TransferFailed
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import BY_NAME, MOVABLE
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.ends import LocalEnd
from ragvigil_monitor.transfer.exporting import Format
from ragvigil_monitor.transfer.listed_files import ListedFile, listed_files
from ragvigil_monitor.transfer.parquet import TABLE_KEY, from_ipc, parquet_chunks, row_batches, to_ipc
from ragvigil_monitor.transfer.reading_files import FileReport, import_file
from ragvigil_monitor.transfer.words import file_line
from ragvigil_monitor.transfer.writing_files import export_to

MAX_BYTES = 1 << 25


def exported(full: Store, directory: Path, within: Within = Within()) -> list[Path]:  # noqa: B008 - frozen
    export_to(directory, LocalEnd(full, lambda: NOW), Format.PARQUET, within, NOW, lambda *_: None)
    return [file.path for file in listed_files([directory])]


def imported(opened: Opened, store: Store, files: list[Path]) -> list[FileReport]:
    with opened(store) as target:
        return [import_file(ListedFile(file), target, MAX_BYTES) for file in files]


def test_everything_comes_out_and_goes_in_and_a_second_time_adds_nothing(
    full: Store, memory_store: Store, opened: Opened, tmp_path: Path
) -> None:
    with opened(full) as source:
        export_to(tmp_path / "out", source, Format.PARQUET, Within(), NOW, lambda *_: None)
    files = [file.path for file in listed_files([tmp_path / "out"])]
    reports = imported(opened, memory_store, files)
    assert all(report.is_complete for report in reports)
    assert sum(report.rows.new for report in reports) == ROWS * len(MOVABLE)
    for table in MOVABLE:
        if table.name != "deliveries":
            assert dump(memory_store, table) == dump(full, table), table.name
    again = imported(opened, memory_store, files)
    assert sum(report.rows.known for report in again) == ROWS * len(MOVABLE)
    assert sum(report.rows.new + report.rows.updated + report.rows.differing for report in again) == 0


def test_tables_are_put_in_before_what_the_jobs_wait_for(full: Store, tmp_path: Path) -> None:
    tables = list(
        dict.fromkeys(
            report.parent.name if report.stem[0] == "2" else report.stem for report in exported(full, tmp_path / "out")
        )
    )
    assert tables == [table.name for table in MOVABLE]


def test_other_tools_read_the_files(full: Store, tmp_path: Path) -> None:
    exported(full, tmp_path / "out")
    asked = "SELECT trace_id, started_at FROM read_parquet(?)"
    spans = duckdb.execute(asked, [f"{tmp_path}/out/spans/*.parquet"]).fetchall()
    assert len(spans) == ROWS
    assert {len(trace_id) for trace_id, _ in spans} == {32}
    schema = pq.read_schema(tmp_path / "out" / "answers" / "2026-11-30.parquet")
    assert schema.field("started_at").type == pa.timestamp("us", "UTC")
    assert schema.metadata[TABLE_KEY] == b"answers"


def test_a_range_of_time_is_exported(full: Store, tmp_path: Path) -> None:
    exported(full, tmp_path / "out", Within(NOW - timedelta(days=2, hours=1), NOW - timedelta(hours=1)))
    days = sorted(path.stem for path in (tmp_path / "out" / "spans").iterdir())
    assert days == ["2026-11-28", "2026-11-29"]
    assert pq.read_metadata(tmp_path / "out" / "review_labels.parquet").num_rows == 2
    assert pq.read_metadata(tmp_path / "out" / "drift_references.parquet").num_rows == ROWS


def test_only_the_owner_can_read_the_files_and_the_manifest_comes_last(full: Store, tmp_path: Path) -> None:
    files = exported(full, tmp_path / "out")
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    said = json.loads((tmp_path / "out" / "export.json").read_text())
    assert said["format"] == "parquet"
    assert {str(file.relative_to(tmp_path / "out")) for file in files} == {file["name"] for file in said["files"]}
    assert not list(tmp_path.rglob("*.part"))


def test_an_export_that_cannot_be_written_says_so(full: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TransferFailed, match="cannot be written"):
        exported(full, tmp_path / "file")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"PAR1 and no more", "Parquet"),
        ("nothing", "holds no table"),
        ({"trace_id": ["ab"], "span_id": ["cd"]}, "32 hexadecimal digits"),
        ({"surprise": [1]}, "surprise"),
    ],
    ids=["damaged", "another table", "wrong ids", "other columns"],
)
def test_a_wrong_file_is_named_and_the_others_are_imported(
    full: Store, memory_store: Store, opened: Opened, tmp_path: Path, content: object, named: str
) -> None:
    wrong = tmp_path / "answers.parquet"
    if isinstance(content, bytes):
        wrong.write_bytes(content)
    elif isinstance(content, str):
        wrong = tmp_path / "nothing.parquet"
        pq.write_table(pa.table({"a": [1]}), wrong)
    else:
        pq.write_table(pa.table(content), wrong)
    good = [file for file in exported(full, tmp_path / "out") if file.stem == "review_labels"]
    first, second = imported(opened, memory_store, [wrong, *good])
    assert not first.is_complete
    assert first.failure is not None
    assert named in first.failure
    assert second.rows.new == ROWS


def test_a_file_from_pandas_is_read(memory_store: Store, opened: Opened, tmp_path: Path) -> None:
    label = {"label_id": "l", "lease_id": "x", "item_id": "i", "reviewer": "r", "label": "supported"}
    rows = pa.table({name: [value] for name, value in label.items()} | {"labelled_at": [datetime(2026, 1, 2, 3, 4)]})  # noqa: DTZ001
    pq.write_table(rows, tmp_path / "review_labels.parquet")
    assert imported(opened, memory_store, [tmp_path / "review_labels.parquet"])[0].is_complete
    (found,) = dump(memory_store, BY_NAME["review_labels"])
    assert found["labelled_at"] == datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def test_a_large_table_is_made_and_read_in_portions(tmp_path: Path) -> None:
    batch = pa.record_batch({"text": ["x" * 50_000] * 100})
    reader = pa.RecordBatchReader.from_batches(batch.schema, (batch for _ in range(40)))
    chunks = list(parquet_chunks("spans", reader))
    assert len(chunks) > 5
    (tmp_path / "spans.parquet").write_bytes(b"".join(chunks))
    portions = list(row_batches(tmp_path / "spans.parquet", 1 << 20))
    assert sum(rows.num_rows for rows in portions) == 4000
    assert max(rows.nbytes for rows in portions) < 2 << 20


@pytest.mark.parametrize("body", [b"", b"PAR1", b"\xff" * 100, to_ipc(pa.table({"a": [1]}))[:-40]])
def test_what_is_no_arrow_stream_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match="Arrow"):
        from_ipc(body)


def test_what_is_in_before_a_damaged_part_is_told(
    full: Store, memory_store: Store, opened: Opened, tmp_path: Path
) -> None:
    source, *_ = (file for file in exported(full, tmp_path) if file.parent.name == "log_events")
    rows = pq.read_table(source).slice(0, 1)
    count = 3000
    copies = pa.concat_tables([rows] * count)
    ids = pa.array([f"event-{number}" for number in range(count)])
    copies = copies.set_column(copies.column_names.index("event_id"), "event_id", ids)
    pq.write_table(copies, source, row_group_size=count // 3)
    start = pq.read_metadata(source).row_group(2).column(0).data_page_offset
    damaged = bytearray(source.read_bytes())
    damaged[start - 100 : start + 200] = bytes(300)
    source.write_bytes(damaged)
    (report,) = imported(opened, memory_store, [source])
    assert report.failure is not None
    assert report.rows.new == len(dump(memory_store, BY_NAME["log_events"])) > 0
    assert f"{report.rows.new:,} new" in file_line(report)


def test_long_texts_are_not_held_by_the_thousand(tmp_path: Path) -> None:
    rows = pa.table({"text": ["x" * 100_000] * 2000})
    pq.write_table(rows, tmp_path / "a.parquet")
    del rows
    before = pa.total_allocated_bytes()
    found = [
        (portion.num_rows, pa.total_allocated_bytes() - before)
        for portion in row_batches(tmp_path / "a.parquet", MAX_BYTES)
    ]
    assert sum(count for count, _ in found) == 2000
    assert max(held for _, held in found) < 4 * MAX_BYTES


def test_a_group_of_long_rows_is_not_held_as_a_whole(tmp_path: Path) -> None:
    chance = random.Random(3)
    batch = pa.record_batch({"text": [chance.randbytes(30_000).hex() for _ in range(500)]})
    reader = pa.RecordBatchReader.from_batches(batch.schema, [batch])
    (tmp_path / "spans.parquet").write_bytes(b"".join(parquet_chunks("spans", reader)))
    size = batch.nbytes
    del batch, reader
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in row_batches(tmp_path / "spans.parquet", 4 << 20)]
    assert max(held) < size
