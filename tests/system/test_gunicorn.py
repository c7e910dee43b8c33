"""A FastAPI app under gunicorn, four workers forked after `configure`, sending to `ragvigil serve`."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import pytest
from tests.samples.monitors import Monitor, running_monitor
from tests.samples.servers import free_port, wait_until

from ragvigil.integrations.asgi import TOKEN_HEADER

WORKERS = 4
ROUND = 40
MOST_ROUNDS = 10


@contextmanager
def gunicorn(receiver: str) -> Iterator[str]:
    """The app under gunicorn; yields its address. In the end, it and all its workers have ended."""
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "gunicorn", "--preload", "--workers", str(WORKERS), "--worker-class", "asgi"]
    process = subprocess.Popen(
        [*command, "--bind", address, "--log-level", "warning", "--no-control-socket", "chat_app:app"],
        cwd=Path(__file__).parent,
        env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver},
        start_new_session=True,
    )
    try:
        wait_until(lambda: process.poll() is not None or _is_up(f"http://{address}"))
        yield f"http://{address}"
        process.terminate()
        assert process.wait(30) == 0
    finally:
        _kill_group(process)


def _is_up(address: str) -> bool:
    try:
        return httpx.get(f"{address}/docs").is_success
    except httpx.TransportError:
        return False


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait(10)


@dataclass(frozen=True)
class Finished:
    """A monitor, and the responses of the app by question; gunicorn has ended, and what it recorded is stored."""

    monitor: Monitor
    responses: dict[str, httpx.Response]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    with running_monitor(tmp_path_factory.mktemp("gunicorn") / "a.duckdb") as monitor:
        with gunicorn(monitor.url) as address:
            _leave_midway(address)
            responses = _ask_all_workers(address)
        yield Finished(monitor, responses)


def _leave_midway(address: str) -> None:
    with httpx.stream("GET", f"{address}/endless", params={"question": "endless"}, timeout=30) as response:
        assert next(response.iter_text()).startswith("word")


def _ask_all_workers(address: str) -> dict[str, httpx.Response]:
    """Ask in concurrent rounds until every worker has answered."""
    responses: dict[str, httpx.Response] = {}
    with ThreadPoolExecutor(16) as pool:
        for round_number in range(MOST_ROUNDS):
            questions = [f"question {round_number * ROUND + number}" for number in range(ROUND)]
            responses |= zip(questions, pool.map(partial(_ask, address), questions), strict=True)
            if len({response.headers["x-pid"] for response in responses.values()}) == WORKERS:
                return responses
    raise AssertionError("some worker never answered")


def _ask(address: str, question: str) -> httpx.Response:
    path = "/stream" if int(question.split()[1]) % 2 else "/ask"
    headers = {"x-session": f"of {question}"}
    response = httpx.get(f"{address}{path}", params={"question": question}, headers=headers, timeout=30)
    body = {"token": response.headers[TOKEN_HEADER], "kind": "thumbs_up", "feedback_id": str(uuid.uuid4())}
    assert httpx.post(f"{address}/feedback", json=body, timeout=30).json() == {"recorded": True}
    return response


def test_every_answer_of_every_worker_is_found(finished: Finished) -> None:
    answers = finished.monitor.get("/answers", limit=500)
    assert sorted(answer["question"] for answer in answers) == sorted([*finished.responses, "warm-up", "endless"])


def test_every_worker_counts_for_itself_and_lost_nothing(finished: Finished) -> None:
    processes = finished.monitor.get("/completeness")
    assert len({process["instance_id"] for process in processes}) == len(processes) == WORKERS + 1
    assert [process["share"] for process in processes] == [1.0] * len(processes)
    assert sum(process["stored"] for process in processes) == finished.monitor.outcomes()["spans_committed"]


def test_streams_and_plain_answers_are_whole(finished: Finished) -> None:
    for question in list(finished.responses)[:2]:
        (row,) = [row for row in finished.monitor.get("/answers", limit=500) if row["question"] == question]
        (answer,) = finished.monitor.get(f"/answers/{row['trace_id']}")
        assert answer["session_id"] == f"of {question}"
        assert answer["answer"] in {f"Read {question}-1", f"{question}-1 {question}-2 "}
        assert "retrieve" in [span["stage"] for span in answer["spans"]]


def test_a_client_that_leaves_is_a_cancellation(finished: Finished) -> None:
    (row,) = [row for row in finished.monitor.get("/answers", limit=500) if row["question"] == "endless"]
    (answer,) = finished.monitor.get(f"/answers/{row['trace_id']}")
    assert row["status"] == "unset"
    assert "CancelledError" in str(answer["spans"])


def test_feedback_is_joined_whichever_process_took_it(finished: Finished) -> None:
    finished.monitor.run_jobs()
    (total,) = finished.monitor.get("/feedback")
    assert (total["service"], total["kind"]) == ("chat", "thumbs_up")
    assert total["given"] == total["joined"] == len(finished.responses)
