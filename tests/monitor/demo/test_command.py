import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.samples.servers import free_port

from ragvigil_monitor.demo.incidents import INCIDENTS

LIMIT_S = 240
SCALED = ("--seed", "7", "--days", "14", "--answers", "6000")
ENDED = ("--end", "2026-06-22T08:30+02:00")


def demo(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ragvigil", "demo", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env={**os.environ, **environment},
    )


@pytest.mark.slow
def test_a_smaller_run_loses_nothing_and_finds_what_needs_no_long_history(tmp_path: Path) -> None:
    """Two weeks are too short to learn what people ask, and a two-day incident for reviews to come in."""
    file = tmp_path / "report.json"
    done = demo("--headless", *SCALED, "--report", file)
    assert done.stderr == ""
    report = json.loads(file.read_text(encoding="utf-8"))
    assert report["spans_sent"] == report["spans_stored"] > 8 * report["answers"]
    assert report["answers"] == pytest.approx(6000, rel=0.08)
    delays_h = {incident["kind"]: incident["delay_h"] for incident in report["incidents"]}
    assert set(delays_h) == {incident.kind for incident in INCIDENTS}
    found = {kind for kind, delay_h in delays_h.items() if delay_h is not None and 0 < delay_h < 96}
    assert {"slow_reranker", "cost_rise", "unsupported_claims"} <= found
    assert report["false_alarms"] == []
    assert report["reviews"]["labelled"] == report["reviews"]["served"] > 300
    exclusion = report["false_exclusion"]
    assert exclusion["lower_999"] <= exclusion["true_rate"] <= exclusion["upper_999"]
    assert report["lost_at_stage"]["filter"] > 0


@pytest.mark.slow
def test_the_same_seed_and_end_give_the_same_report(tmp_path: Path) -> None:
    reports = []
    for name in ("one.json", "two.json"):
        demo("--headless", "--seed", 3, *ENDED, "--days", 3, "--answers", 500, "--report", tmp_path / name)
        reports.append(json.loads((tmp_path / name).read_text(encoding="utf-8")))
        assert reports[-1].pop("wall_s") > 0
    assert reports[0] == reports[1]
    assert reports[0]["end"] == "2026-06-22T06:30:00+00:00"
    assert reports[0]["reviews"]["served"] > 20


@pytest.mark.slow
def test_a_run_too_small_to_find_anything_says_so_and_fails(tmp_path: Path) -> None:
    done = demo("--headless", "--seed", 7, "--days", 3, "--answers", 40, "--db", tmp_path / "kept.duckdb")
    assert done.returncode == 1
    assert "FAILED: slow_reranker was not found by latency_p95." in done.stdout
    assert (tmp_path / "kept.duckdb").stat().st_size > 0
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".yaml"] == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--report", "/no/such/folder/report.json"), "There is no folder"),
        (("--days", "0"), "0 is not between 0 and 365"),
        (("--days", "soon"), "invalid"),
        (("--answers", "-1"), "-1 is not between 1 and 10,000,000"),
        (("--end", "yesterday"), "yesterday is no time such as 2026-11-30T12:00Z"),
        (("--end", "0001-01-01T00:00+23:00"), "is no time such as"),
        (("--end", "9999-01-01"), "--end 9999-01-01T00:00:00+00:00 is not between"),
    ],
    ids=["folder", "no days", "not a number", "answers", "no time", "no time in UTC", "future"],
)
def test_what_cannot_work_is_refused_at_once(arguments: tuple[str, ...], sentence: str) -> None:
    done = demo("--headless", *arguments)
    assert done.returncode in {1, 2}
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_help_says_that_a_smaller_run_is_a_scaled_one() -> None:
    said = " ".join(demo("--help", COLUMNS="200").stdout.split())
    assert said.count("a scaled run, incidents scaled with it") == 2
    for option in ("--seed", "--end", "--headless", "--report", "--db", "--port", "--page-port", "--review-page-port"):
        assert option in said


def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "sklearn.py").write_text("raise ModuleNotFoundError(\"No module named 'sklearn'\", name='sklearn')")
    done = demo("--headless", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "pip install 'ragvigil[demo]'" in done.stderr


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "ragvigil", "demo", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def processes_in_session_of(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended while we looked
            continue
        if int(fields[3]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def terminate(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGTERM)


def press_ctrl_c(process: subprocess.Popen[str]) -> None:
    """As a terminal does it: to the children too."""
    os.killpg(process.pid, signal.SIGINT)


@pytest.mark.slow
@pytest.mark.parametrize("stop", [terminate, press_ctrl_c], ids=["SIGTERM", "Ctrl-C"])
def test_pages_stay_until_a_signal_and_leave_no_process(
    stop: Callable[[subprocess.Popen[str]], None],
) -> None:
    ports = ("--port", "0", "--page-port", str(free_port()), "--review-page-port", str(free_port()))
    scaled = ("--seed", "7", "--days", "2", "--answers", "60", *ports)
    with running(*scaled) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        assert next((line for line in lines if "Ctrl-C stops everything" in line), None)
        assert len(processes_in_session_of(process.pid)) >= 3
        stop(process)
        assert process.wait(60) == 1
        assert processes_in_session_of(process.pid) == []


@pytest.mark.slow
def test_a_signal_during_the_simulation_stops_it_in_order() -> None:
    with running("--headless", "--days", "42", "--answers", "60000") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Simulating 42 days")
        process.send_signal(signal.SIGINT)
        output, problems = process.communicate(timeout=60)
        assert process.returncode == 130, output
        assert problems == "Stopped before the end.\n"
        assert processes_in_session_of(process.pid) == []
