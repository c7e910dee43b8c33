"""The list of an export: what it says, and what an import makes of files that are not as it says."""

import errno
import json
import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.monitor.transfer.conftest import NOW, Opened
from tests.samples.filled_stores import ROWS, dump
from tests.samples.small_disks import small_disk

from ragvigil_monitor.errors import FileRefused, StoreUnavailable, TransferFailed
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.migrate import newest_schema
from ragvigil_monitor.store.movable import BY_NAME, MOVABLE
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.ends import End, LocalEnd
from ragvigil_monitor.transfer.exporting import Format, Part
from ragvigil_monitor.transfer.listed_files import check_schema, listed_files
from ragvigil_monitor.transfer.reading_files import FileReport, import_file
from ragvigil_monitor.transfer.writing_files import export_to

MAX_BYTES = 1 << 25
Change = Callable[[Path], object]


@pytest.fixture
def out(full: Store, tmp_path: Path) -> Path:
    """A whole export."""
    export_to(tmp_path / "out", LocalEnd(full, lambda: NOW), Format.PARQUET, Within(), NOW, lambda *_: None)
    return tmp_path / "out"


def imported(out: Path, store: Store) -> dict[str, FileReport]:
    reports = [import_file(file, LocalEnd(store, lambda: NOW), MAX_BYTES) for file in listed_files([out])]
    return {str(report.path.relative_to(out)): report for report in reports}


def change_list(out: Path, **values: object) -> None:
    said = json.loads((out / "export.json").read_text())
    (out / "export.json").write_text(json.dumps(said | values))


@pytest.mark.parametrize("form", Format)
def test_the_list_says_what_is_in_the_files(full: Store, opened: Opened, tmp_path: Path, form: Format) -> None:
    period = Within(NOW - timedelta(days=900), NOW + timedelta(days=2))
    with opened(full) as source:
        export_to(tmp_path, source, form, period, NOW, lambda *_: None)
    said = json.loads((tmp_path / "export.json").read_text())
    assert (said["format"], said["schema_number"]) == (form.value, newest_schema())
    assert said["made_by"].startswith("ragvigil ")
    assert [said["from"], said["until"]] == ["2024-06-13T03:00:00Z", "2026-12-02T03:00:00Z"]
    for file in said["files"]:
        content = (tmp_path / file["name"]).read_bytes()
        assert (file["bytes"], file["sha256"]) == (len(content), sha256(content).hexdigest())
        is_parquet = form is Format.PARQUET
        assert file["rows"] == (
            pq.read_metadata(tmp_path / file["name"]).num_rows if is_parquet else content.count(b"\n")
        )
    rows: dict[str, int] = {}
    for file in said["files"]:
        rows[file["table"]] = rows.get(file["table"], 0) + file["rows"]
    assert {name: table["rows"] for name, table in said["tables"].items()} == rows
    assert all(table["meaning"] for table in said["tables"].values())


def test_every_table_is_explained(out: Path) -> None:
    tables: dict[str, Any] = json.loads((out / "export.json").read_text())["tables"]
    assert list(tables) == [table.name for table in MOVABLE]
    assert tables["spans"] == {"meaning": "a span", "rows": ROWS, "cut_by": "started_at"}


def test_tables_of_a_newer_schema_are_refused(out: Path) -> None:
    change_list(out, schema_number=newest_schema() + 1)
    with pytest.raises(
        TransferFailed, match=rf"schema {newest_schema() + 1}.*up to {newest_schema()}.*nothing was imp"
    ):
        check_schema(listed_files([out]), newest_schema())
    check_schema(listed_files([out]), newest_schema() + 1)
    change_list(out, format="otlp")
    check_schema(listed_files([out]), newest_schema())


def test_a_service_says_which_schema_it_has(memory_store: Store, opened: Opened) -> None:
    with opened(memory_store) as end:
        assert end.schema_number() == newest_schema()


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "named"),
    [(Path.unlink, "is missing"), (cut, "is cut off"), (lengthen, "was changed"), (damage, "was changed or damaged")],
    ids=["missing", "cut off", "longer", "damaged"],
)
def test_a_file_that_is_not_as_it_was_is_told_and_the_others_are_imported(
    out: Path, memory_store: Store, change: Change, named: str
) -> None:
    change(out / "audit.parquet")
    reports = imported(out, memory_store)
    failure = reports.pop("audit.parquet").failure
    assert failure is not None
    assert named in failure
    assert dump(memory_store, BY_NAME["audit"]) == []
    assert all(report.is_complete for report in reports.values())
    assert dump(memory_store, BY_NAME["spans"]) != []


def test_what_the_list_lacks_is_left_out_unless_it_is_named(out: Path, memory_store: Store) -> None:
    other = out / "spans" / "2020-01-01.parquet"
    other.write_bytes((out / "audit.parquet").read_bytes())
    change_list(out, files=[])
    reports = imported(out, memory_store)
    assert "not in the export.json" in str(reports["spans/2020-01-01.parquet"].failure)
    assert dump(memory_store, BY_NAME["audit"]) == []
    (file,) = listed_files([other])
    assert import_file(file, LocalEnd(memory_store, lambda: NOW), MAX_BYTES).rows.new == ROWS


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"{",
        b"[]",
        b"null",
        b"\0" * 100,
        b'{"format": "parquet"}',
        b"[" * 100_000,
        b'{"schema_number": 1e999}',
    ],
    ids=lambda content: repr(content[:20]),
)
def test_a_list_that_is_none_is_named(out: Path, content: bytes) -> None:
    (out / "export.json").write_bytes(content)
    with pytest.raises(FileRefused, match=r"export\.json is not what an export"):
        listed_files([out])


@pytest.mark.parametrize("field", ["rows", "bytes"])
@pytest.mark.parametrize("value", [-1, "many", None, float("inf")])
def test_a_list_with_wrong_values_is_named(out: Path, field: str, value: object) -> None:
    files = json.loads((out / "export.json").read_text())["files"]
    files[0][field] = value
    change_list(out, files=files)
    with pytest.raises(FileRefused, match=field):
        listed_files([out])


@pytest.mark.parametrize("name", ["../a.parquet", "/etc/passwd", "spans/../../a"])
def test_a_list_names_nothing_outside_its_directory(out: Path, name: str) -> None:
    change_list(out, files=[{"name": name, "table": "spans", "rows": 1, "bytes": 1, "sha256": ""}])
    with pytest.raises(FileRefused, match="elsewhere"):
        listed_files([out])


def test_an_export_is_not_written_over_another(full: Store, out: Path) -> None:
    before = sorted(out.rglob("*"))
    with pytest.raises(TransferFailed, match="holds an export already"):
        export_to(out, LocalEnd(full, lambda: NOW), Format.OTLP, Within(), NOW, lambda *_: None)
    assert sorted(out.rglob("*")) == before


def test_an_unfinished_export_is_neither_imported_nor_gone_on_with(full: Store, out: Path) -> None:
    (out / "export.json").rename(out / "export.json.part")
    with pytest.raises(TransferFailed, match="not finished"):
        listed_files([out])
    with pytest.raises(TransferFailed, match="not finished"):
        export_to(out, LocalEnd(full, lambda: NOW), Format.OTLP, Within(), NOW, lambda *_: None)


def test_a_directory_with_nothing_in_it_is_named(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("")
    with pytest.raises(TransferFailed, match="nothing to import"):
        listed_files([tmp_path])


def test_a_full_disk_is_named_and_given_back(full: Store, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 100 << 10) as disk:
        out = disk.folder / "out"
        with pytest.raises(TransferFailed, match=r"no room for the export in .*disk/out"):
            export_to(out, LocalEnd(full, lambda: NOW), Format.PARQUET, Within(), NOW, lambda *_: None)
        assert [path for path in out.rglob("*") if path.is_file()] == []


class Failing:
    """A store whose export ends with an error behind its first file of spans."""

    def __init__(self, end: End, failure: Exception) -> None:
        self._end = end
        self._failure = failure

    def __getattr__(self, name: str) -> Any:
        return getattr(self._end, name)

    def files(self, form: Format, within: Within) -> Iterator[tuple[Part, Iterator[bytes]]]:
        for part, content in self._end.files(form, within):
            yield part, content
            if part.name == "spans":
                raise self._failure


@pytest.mark.parametrize(
    ("failure", "named"),
    [(OSError(errno.ENOSPC, "No space"), "no room"), (OSError(errno.EIO, "Input/output"), "cannot be written"),
     (StoreUnavailable("The database is full."), "database is full")],
    ids=["disk full", "disk broken", "store"],
)  # fmt: skip
def test_an_export_that_fails_leaves_nothing_of_its_own(
    full: Store, tmp_path: Path, failure: Exception, named: str
) -> None:
    (tmp_path / "spans").mkdir()
    (tmp_path / "spans" / "mine.txt").write_text("mine")
    source = Failing(LocalEnd(full, lambda: NOW), failure)
    with pytest.raises((TransferFailed, StoreUnavailable), match=named):
        export_to(tmp_path, source, Format.PARQUET, Within(), NOW, lambda *_: None)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "spans" / "mine.txt"]
