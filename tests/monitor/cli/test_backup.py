"""`ragvigil backup` and `ragvigil restore` as a person or cron runs them."""

import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from tests.samples.otlp import PROTOBUF, rag_trace, traces
from tests.samples.rows_of import rows_of

from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.store.holder import note_path


def send(serving: ServeProcess, *numbers: int) -> None:
    for number in numbers:
        body = traces(*rag_trace(number, started_at=datetime.now(UTC))).SerializeToString()
        assert httpx.post(f"{serving.url}/v1/traces", content=body, headers=PROTOBUF).status_code == 200


def test_a_running_service_is_backed_up_moved_and_started_elsewhere(
    serving: ServeProcess, tmp_path: Path, ragvigil: Any
) -> None:
    send(serving, 1, 2, 3)
    asked = ("--api", serving.url, "--key-file", serving.keys_path)
    taken = ragvigil("backup", "night.backup", *asked)
    assert (taken.returncode, taken.stderr) == (0, "")
    assert "night.backup (" in taken.stdout
    assert "3 answers, 18 spans, newest answer 20" in taken.stdout
    assert "every block is sound" in taken.stdout
    assert stat.S_IMODE((tmp_path / "night.backup").stat().st_mode) == 0o600

    restored = ragvigil("restore", "night.backup", "--db", "moved.duckdb")
    assert (restored.returncode, restored.stderr) == (0, "")
    assert "moved.duckdb: 3 answers" in restored.stdout
    assert stat.S_IMODE((tmp_path / "moved.duckdb").stat().st_mode) == 0o600
    assert "moved.duckdb.keys.json" in restored.stdout
    moved = start_serve(db=tmp_path / "moved.duckdb", port=0)
    send(moved, 4)
    moved.stop()
    assert len(rows_of(tmp_path / "moved.duckdb")["answers"]) == 4


def test_the_settings_lead_to_the_service(tmp_path: Path, ragvigil: Any, serving: ServeProcess) -> None:
    (tmp_path / "c.yaml").write_text(f"server: {{port: {serving.url.rpartition(':')[2]}}}\nstore: {{path: a.duckdb}}\n")
    send(serving, 1)
    taken = ragvigil("backup", "night.backup", "--config", "c.yaml")
    assert taken.returncode == 0
    assert "1 answers" in taken.stdout


def test_a_service_that_listens_elsewhere_is_found(tmp_path: Path, ragvigil: Any, serving: ServeProcess) -> None:
    (tmp_path / "c.yaml").write_text("server: {port: 9}\n")
    done = ragvigil("backup", "b", "--config", "c.yaml", "--db", "a.duckdb")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_service_that_says_not_where_it_listens_is_asked_for(
    tmp_path: Path, ragvigil: Any, serving: ServeProcess
) -> None:
    note_path(tmp_path / "a.duckdb").unlink()
    (tmp_path / "c.yaml").write_text("server: {port: 9}\n")
    failed = ragvigil("backup", "b", "--config", "c.yaml", "--db", "a.duckdb")
    assert failed.returncode == 1
    assert f"open in process {serving.child.pid}" in failed.stderr
    assert "--api" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".b", "b"))] == []


def test_a_store_at_rest_is_backed_up_without_a_service(serving: ServeProcess, tmp_path: Path, ragvigil: Any) -> None:
    send(serving, 1)
    serving.stop()
    assert ragvigil("backup", "b", "--db", "a.duckdb").returncode == 0
    again = ragvigil("backup", "b", "--db", "a.duckdb")
    assert (again.returncode, again.stdout) == (1, "")
    assert "--force" in again.stderr
    assert ragvigil("backup", "b", "--db", "a.duckdb", "--force").returncode == 0
    moved_aside = ragvigil("restore", "b", "--db", "a.duckdb")
    assert moved_aside.returncode == 0
    (aside,) = tmp_path.glob("a.duckdb.before-restore-*")
    assert str(aside) in moved_aside.stdout
    assert rows_of(aside) == rows_of(tmp_path / "a.duckdb")


def test_a_running_service_is_not_restored_over(serving: ServeProcess, tmp_path: Path, ragvigil: Any) -> None:
    ragvigil("backup", "b", "--api", serving.url, "--key-file", serving.keys_path)
    refused = ragvigil("restore", "b", "--db", "a.duckdb")
    assert refused.returncode == 1
    assert "Stop it first" in refused.stderr
    send(serving, 1)


def test_the_database_of_a_running_service_is_not_written_over(
    serving: ServeProcess, tmp_path: Path, ragvigil: Any
) -> None:
    send(serving, 1)
    asked = ("--api", serving.url, "--key-file", serving.keys_path)
    for arguments in (("a.duckdb", "--db", "a.duckdb"), ("a.duckdb", *asked), ("a.duckdb.wal", *asked)):
        for force in ((), ("--force",)):
            refused = ragvigil("backup", *arguments, *force)
            assert (refused.returncode, refused.stdout) == (1, "")
            assert "--force" not in refused.stderr
    send(serving, 2)
    serving.stop()
    assert len(rows_of(tmp_path / "a.duckdb")["answers"]) == 2


def test_what_cannot_be_is_said_in_a_line(tmp_path: Path, ragvigil: Any) -> None:
    (tmp_path / "notes.txt").write_text("no backup")
    for arguments in (
        ("backup", "b", "--db", "nowhere.duckdb"),
        ("backup", "b", "--db", "notes.txt"),
        ("backup", "b", "--api", "http://127.0.0.1:9"),
        ("restore", "notes.txt", "--db", "a.duckdb"),
        ("restore", "nowhere", "--db", "a.duckdb"),
    ):
        failed = ragvigil(*arguments)
        assert (failed.returncode, failed.stdout) == (1, "")
        assert len(failed.stderr.splitlines()) == 1
