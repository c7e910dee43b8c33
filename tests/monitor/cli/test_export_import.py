"""`ragvigil export` and `ragvigil import`, with a store that nobody serves and with a running service."""

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.samples.collector_files import json_line
from tests.samples.filled_stores import dump, fill
from tests.samples.otlp import PROTOBUF, rag_trace, traces

from ragvigil_monitor.cli.processes import ServeProcess
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.holder import note_path
from ragvigil_monitor.store.movable import BY_NAME

Run = Callable[..., Any]
NOW = datetime.now(UTC)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A store that nobody serves, with rows in every table."""
    store = Store.open(tmp_path / "full.duckdb")
    fill(store, NOW)
    store.close()
    return tmp_path / "full.duckdb"


def rows(database: Path, table: str) -> list[dict[str, Any]]:
    store = Store.open(database)
    try:
        return dump(store, BY_NAME[table])
    finally:
        store.close()


def test_a_store_is_exported_and_imported_into_a_new_one(ragvigil: Run, database: Path, tmp_path: Path) -> None:
    first = ragvigil("export", "--to", "out", "--db", database)
    assert (first.returncode, first.stderr) == (0, "")
    assert "files are in out" in first.stdout
    second = ragvigil("import", "out", "--db", "new.duckdb")
    assert (second.returncode, second.stderr) == (0, "")
    assert rows(tmp_path / "new.duckdb", "review_labels") == rows(database, "review_labels")
    assert rows(tmp_path / "new.duckdb", "spans") == rows(database, "spans")
    third = ragvigil("import", "out", "--db", "new.duckdb")
    assert third.returncode == 0
    assert "rows: 0 new" in third.stdout


@pytest.mark.parametrize("form", ["parquet", "otlp"])
def test_a_running_service_is_exported_and_imported(
    ragvigil: Run, serving: ServeProcess, tmp_path: Path, form: str
) -> None:
    body = traces(*rag_trace(1, started_at=NOW)).SerializeToString()
    httpx.post(f"{serving.url}/v1/traces", content=body, headers=PROTOBUF).raise_for_status()
    reach = ("--api", serving.url, "--key-file", serving.keys_path)
    exported = ragvigil("export", "--to", "out", "--format", form, *reach)
    assert (exported.returncode, exported.stderr) == (0, "")
    into_new = ragvigil("import", "out", "--db", "new.duckdb")
    assert (into_new.returncode, into_new.stderr) == (0, "")
    again = ragvigil("import", "out", *reach)
    assert again.returncode == 0
    assert "0 new" in again.stdout if form == "parquet" else "0 spans new, 6 known" in again.stdout
    assert len(rows(tmp_path / "new.duckdb", "spans")) == 6


def test_the_service_that_has_the_store_open_is_found(ragvigil: Run, tmp_path: Path, serving: ServeProcess) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_line(traces(*rag_trace(1, started_at=NOW))))
    config = tmp_path / "c.yaml"
    config.write_text(f"server: {{port: {httpx.URL(serving.url).port}}}\nstore: {{path: {tmp_path}/a.duckdb}}\n")
    done = ragvigil("import", "a.jsonl", "--config", config)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "Read 1 requests: 6 spans new, 0 known."


def test_only_the_owner_can_read_a_store_that_an_import_makes(ragvigil: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_line(traces(*rag_trace(1, started_at=NOW))))
    before = os.umask(0o022)
    try:
        assert ragvigil("import", "a.jsonl", "--db", "new.duckdb").returncode == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.duckdb").stat().st_mode) == 0o600


@pytest.mark.parametrize("arguments", [("export", "--to", "out"), ("import", "a.jsonl")], ids=["export", "import"])
def test_a_service_that_listens_elsewhere_is_found(
    ragvigil: Run, tmp_path: Path, serving: ServeProcess, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_line(traces(*rag_trace(1, started_at=NOW))))
    done = ragvigil(*arguments, "--db", "a.duckdb")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [("export", "--to", "out"), ("import", "a.jsonl")], ids=["export", "import"])
def test_a_service_that_says_not_where_it_listens_is_asked_for(
    ragvigil: Run, tmp_path: Path, serving: ServeProcess, arguments: tuple[str, ...]
) -> None:
    note_path(tmp_path / "a.duckdb").unlink()
    (tmp_path / "a.jsonl").write_bytes(json_line(traces(*rag_trace(1, started_at=NOW))))
    (tmp_path / "c.yaml").write_text("server: {port: 9}\n")
    failed = ragvigil(*arguments, "--config", "c.yaml", "--db", "a.duckdb")
    assert failed.returncode == 1
    for word in ("127.0.0.1:9", f"open in process {serving.child.pid}", "--api", "--key-file"):
        assert word in failed.stderr


def test_a_store_without_keys_that_is_open_is_explained(ragvigil: Run, serving: ServeProcess) -> None:
    serving.keys_path.unlink()
    failed = ragvigil("export", "--to", "out", "--db", "a.duckdb")
    assert failed.returncode == 1
    (line,) = failed.stderr.splitlines()
    assert f"open in process {serving.child.pid}" in line
    assert "--key-file" in line


def test_a_range_of_time_is_exported(ragvigil: Run, database: Path, tmp_path: Path) -> None:
    start, end = NOW - timedelta(days=2, hours=1), NOW - timedelta(hours=1)
    done = ragvigil("export", "--to", "out", "--db", database, "--from", start.isoformat(), "--until", end.isoformat())
    assert done.returncode == 0
    days = {file.stem for file in (tmp_path / "out" / "spans").iterdir()}
    assert days == {f"{(NOW - timedelta(days=number)).date()}" for number in (1, 2)}


@pytest.mark.parametrize("until", ["2026-12-01", "2026-12-05", "2026-12-05T01:00+01:00"])
def test_a_range_of_time_that_ends_before_it_starts_is_refused(ragvigil: Run, tmp_path: Path, until: str) -> None:
    Store.open(tmp_path / "a.duckdb").close()
    done = ragvigil("export", "--to", "out", "--db", "a.duckdb", "--from", "2026-12-05", "--until", until)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("--until 2026-12-0")
    assert line.endswith("is not after --from 2026-12-05T00:00:00+00:00.")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("export", "--to", "out", "--db", "nowhere.duckdb"), "no store nowhere.duckdb"),
        (("export", "--to", "out", "--api", "http://127.0.0.1:9"), "RAGVIGIL_API_KEY"),
        (("import", "nowhere.jsonl"), "no nowhere.jsonl"),
        (("import", "empty", "--db", "new.duckdb"), "nothing to import in empty"),
        (("import", "out/export.json", "--db", "new.duckdb"), "name its directory"),
        (("export", "--to", "out", "--db", "a.duckdb"), "out holds an export already"),
    ],
    ids=["no store", "no key", "no file", "nothing in it", "the list", "an export there"],
)
def test_what_cannot_be_done_is_said_in_one_line(
    ragvigil: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], named: str
) -> None:
    monkeypatch.delenv("RAGVIGIL_API_KEY", raising=False)
    (tmp_path / "empty").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "export.json").write_text("{}")
    Store.open(tmp_path / "a.duckdb").close()
    done = ragvigil(*arguments)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert named in line
    assert not (tmp_path / "new.duckdb").exists()


def test_a_file_of_another_kind_is_named_once(ragvigil: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Not telemetry.\n" * 10)
    done = ragvigil("import", "notes.txt", "--db", "new.duckdb")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("notes.txt is neither lines")


def test_a_service_that_is_not_there_is_named(ragvigil: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGVIGIL_API_KEY", "key")
    done = ragvigil("export", "--to", "out", "--api", "http://127.0.0.1:9")
    assert done.returncode == 1
    assert "http://127.0.0.1:9" in done.stderr


def test_only_the_admin_key_opens_it(ragvigil: Run, serving: ServeProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    for role, key in serving.keys.by_role.items():
        monkeypatch.setenv("RAGVIGIL_API_KEY", key)
        done = ragvigil("export", "--to", "out", "--api", serving.url)
        assert done.returncode == (0 if role == "admin" else 1), role


@pytest.mark.parametrize("time", ["yesterday", "2026-13-01"])
def test_a_time_that_is_none_is_refused(ragvigil: Run, time: str) -> None:
    done = ragvigil("export", "--to", "out", "--from", time)
    assert done.returncode == 2
    assert time in done.stderr
