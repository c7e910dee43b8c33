"""`ragvigil serve`: starts, says where, stops in order; says in one line why it cannot start."""

import os
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
from tests.samples.otlp import PROTOBUF, rag_trace, trace_id, traces

from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.keys import Role
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.holder import noted_holder


def refusal(finished: Any) -> str:
    """The one line on stderr of a command that could not start."""
    assert finished.returncode == 1
    assert finished.stdout == ""
    (line,) = finished.stderr.splitlines()
    return str(line)


@contextmanager
def usual_umask() -> Iterator[None]:
    """What most machines have: files are readable by everybody."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def send_an_answer(serving: ServeProcess) -> None:
    body = traces(*rag_trace(0, started_at=datetime.now(UTC))).SerializeToString()
    assert httpx.post(f"{serving.url}/v1/traces", content=body, headers=PROTOBUF).status_code == 200


def modes_of(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


def test_it_listens_on_a_free_port_and_answers(serving: ServeProcess) -> None:
    assert httpx.get(f"{serving.url}/readyz").json() == {"status": "ready"}


def test_it_writes_keys_that_only_the_owner_can_read(serving: ServeProcess, tmp_path: Path) -> None:
    assert serving.keys_path == tmp_path / "a.duckdb.keys.json"
    assert stat.S_IMODE(serving.keys_path.stat().st_mode) == 0o600
    headers = {"Authorization": f"Bearer {serving.keys.by_role[Role.ONCALL]}"}
    assert httpx.get(f"{serving.url}/api/v1/whoami", headers=headers).json() == {"role": "oncall"}


def test_only_the_owner_can_read_a_new_database_and_its_log(tmp_path: Path) -> None:
    with usual_umask():
        serving = start_serve(db=tmp_path / "a.duckdb", port=0)
    send_an_answer(serving)
    modes = modes_of(tmp_path)
    serving.stop()
    assert {modes["a.duckdb"], modes["a.duckdb.wal"]} == {0o600}


def test_a_database_that_is_there_keeps_its_mode_and_its_log_has_the_same(tmp_path: Path) -> None:
    Store.open(tmp_path / "a.duckdb").close()
    (tmp_path / "a.duckdb").chmod(0o640)
    with usual_umask():
        serving = start_serve(db=tmp_path / "a.duckdb", port=0)
    send_an_answer(serving)
    modes = modes_of(tmp_path)
    serving.stop()
    assert {modes["a.duckdb"], modes["a.duckdb.wal"]} == {0o640}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_it_stops_in_order_and_what_it_acknowledged_is_in_the_file(
    serving: ServeProcess, tmp_path: Path, number: signal.Signals
) -> None:
    now, hour = datetime.now(UTC), timedelta(hours=1)
    body = traces(*rag_trace(0, started_at=now)).SerializeToString()
    assert httpx.post(f"{serving.url}/v1/traces", content=body, headers=PROTOBUF).status_code == 200
    os.kill(serving.child.pid, number)
    assert serving.stop() == 0
    assert not (tmp_path / "a.duckdb.wal").exists()
    store = Store.open(tmp_path / "a.duckdb")
    spans = store.rows("spans_of_trace", trace_id=trace_id(1), start=now - hour, end=now + hour, limit=10)
    store.close()
    assert len(spans) == 6


def begin_to_send(serving: ServeProcess, path: str) -> socket.socket:
    """A request of which one byte of 2,000 has come."""
    host, port = serving.url.removeprefix("http://").split(":")
    sender = socket.create_connection((host, int(port)), timeout=30)
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {PROTOBUF['Content-Type']}\r\n"
    sender.sendall(f"{head}Content-Length: 2000\r\n\r\n.".encode())
    return sender


@pytest.mark.slow
def test_who_still_sends_when_it_stops_is_told_to_come_again(serving: ServeProcess, capfd: Any) -> None:
    senders = [begin_to_send(serving, path) for path in ("/v1/traces", "/v1/logs", "/v1/metrics")]
    assert httpx.get(f"{serving.url}/readyz").status_code == 200
    os.kill(serving.child.pid, signal.SIGTERM)
    for sender in senders:
        with sender:
            answer = b"".join(iter(partial(sender.recv, 4096), b"")).decode()
        assert answer.startswith("HTTP/1.1 503 ")
        assert "retry-after: " in answer.lower()
    serving.stop()
    assert "Traceback" not in capfd.readouterr().err


def test_the_keys_stay_the_same_after_a_restart(tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        serving = start_serve(db=tmp_path / "a.duckdb", port=0)
        keys.append(serving.keys.by_role)
        serving.stop()
    assert keys[0] == keys[1]


def test_a_port_in_use_is_named(ragvigil: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refusal(ragvigil("serve", "--port", str(port)))
    assert f"127.0.0.1 port {port}: it is in use" in line
    assert "--port" in line


def test_an_address_that_is_not_ours_is_named(ragvigil: Any) -> None:
    assert "192.0.2.1" in refusal(ragvigil("serve", "--host", "192.0.2.1", "--port", "0"))


def test_a_second_service_on_the_same_file_says_who_has_it(
    serving: ServeProcess, tmp_path: Path, ragvigil: Any
) -> None:
    line = refusal(ragvigil("serve", "--db", tmp_path / "a.duckdb", "--port", "0"))
    assert f"open in process {serving.child.pid} on {socket.gethostname()}" in line
    assert f"at {serving.url} since {datetime.now(UTC):%Y-}" in line


def test_a_second_service_on_the_same_port_and_file_says_who_has_both(
    serving: ServeProcess, tmp_path: Path, ragvigil: Any
) -> None:
    line = refusal(ragvigil("serve", "--db", tmp_path / "a.duckdb", "--port", serving.url.rpartition(":")[2]))
    assert "it is in use" in line
    assert f"names process {serving.child.pid} on" in line


def test_after_a_kill_the_next_service_starts_and_is_the_one_that_is_named(tmp_path: Path, ragvigil: Any) -> None:
    killed = start_serve(db=tmp_path / "a.duckdb", port=0)
    os.kill(killed.child.pid, signal.SIGKILL)
    killed.stop()
    assert noted_holder(tmp_path / "a.duckdb") is not None
    following = start_serve(db=tmp_path / "a.duckdb", port=0)
    line = refusal(ragvigil("serve", "--db", tmp_path / "a.duckdb", "--port", "0"))
    following.stop()
    assert f"open in process {following.child.pid} on" in line
    assert noted_holder(tmp_path / "a.duckdb") is None


def test_a_store_from_a_newer_version_is_refused(tmp_path: Path, ragvigil: Any) -> None:
    path = tmp_path / "newer.duckdb"
    Store.open(path).close()
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (999, 'from_the_future', now()::TIMESTAMP)")
    assert "schema 999" in refusal(ragvigil("serve", "--db", path, "--port", "0"))


def test_a_file_that_is_no_database_is_refused(tmp_path: Path, ragvigil: Any) -> None:
    (tmp_path / "notes.txt").write_text("Not a database. " * 1000)
    assert "notes.txt cannot be opened" in refusal(ragvigil("serve", "--db", "notes.txt", "--port", "0"))


def test_a_missing_configuration_is_named(ragvigil: Any) -> None:
    assert (
        "there is no configuration file nowhere.yaml" in refusal(ragvigil("serve", "--config", "nowhere.yaml")).lower()
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("server: [", "YAML"),
        ("server: {max_body_bytes: many}", "server.max_body_bytes"),
        ("sever: {}", "sever"),
        (b"\xff\xfe\x00", "YAML"),
        ("- a", "does not name settings"),
        ("alarms: {days_off: [2026-13-45]}", "month must be in 1..12"),
    ],
    ids=["broken", "wrong type", "unknown", "not text", "list", "no date"],
)
def test_a_wrong_configuration_is_explained_without_a_traceback(
    tmp_path: Path, ragvigil: Any, text: str | bytes, named: str
) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    finished = ragvigil("serve", "--config", file, "--port", "0")
    assert finished.returncode == 1
    assert named in finished.stderr
    assert "Traceback" not in finished.stderr


def test_keys_that_cannot_be_read_are_named(tmp_path: Path, ragvigil: Any) -> None:
    (tmp_path / "a.duckdb.keys.json").write_text("{")
    assert "a.duckdb.keys.json" in refusal(ragvigil("serve", "--db", tmp_path / "a.duckdb", "--port", "0"))


def test_options_override_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(f"server: {{port: 1}}\nstore: {{path: {tmp_path}/elsewhere.duckdb}}\n")
    serving = start_serve(config=file, port=0)
    serving.stop()
    assert (tmp_path / "elsewhere.duckdb").exists()
