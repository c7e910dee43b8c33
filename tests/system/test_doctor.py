"""`ragvigil doctor` against a real monitor, before and after a real application has sent something."""

import json
import os
import subprocess
import sys
from typing import Any, NamedTuple

from ragvigil.attributes import DOCTOR_SERVICE

# As the installed command does, also where the distribution was installed before there was a doctor.
COMMAND = """
import argparse, sys
from ragvigil.doctor.command import command
parser = argparse.ArgumentParser()
command.configure(parser)
sys.exit(command.run(parser.parse_args()))
"""


class Examined(NamedTuple):
    """Exit status, and the findings that are not ok."""

    status: int
    found: list[dict[str, str]]
    said: str

    def verdict_on(self, check: str) -> str:
        """The verdict of the only finding of a check."""
        (verdict,) = [finding["verdict"] for finding in self.found if finding["check"] == check]
        return verdict


def examine(monitor: Any, *arguments: str, **environ: str) -> Examined:
    keys = str(monitor.database.with_suffix(".duckdb.keys.json"))
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "--json", "--endpoint", monitor.url, "--key-file", keys, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environ},
    )
    return Examined(done.returncode, json.loads(done.stdout)["findings"], done.stdout)


def test_the_test_trace_arrives_and_is_nobodys_traffic(monitor: Any) -> None:
    found = examine(monitor)
    assert (found.status, found.verdict_on("arrival"), found.verdict_on("sending logs")) == (0, "ok", "ok")
    assert found.verdict_on("services") == "warning"
    monitor.run_jobs()
    assert monitor.get("/answers") == monitor.get("/completeness") == monitor.get("/instrumentation") == []
    status = monitor.get("/status")
    assert (status["answers_last_24h"], status["last_answer_at"]) == (0, None)
    assert monitor.get("/ingest") == [{"service": DOCTOR_SERVICE, "outcome": "spans_committed", "items": 1}]


def test_an_application_that_is_well_instrumented_has_nothing_to_mend(monitor: Any, start_shop: Any) -> None:
    shop = start_shop()
    shop.get("/ask", params={"question": "dates"})
    shop.post("/flush")
    found = examine(monitor, "--service", "shop", OTEL_SERVICE_NAME="shop")
    assert found.status == 0
    assert {finding["verdict"] for finding in found.found} == {"ok"}
    said = [finding["detail"] for finding in found.found if finding["check"] == "service shop"]
    assert said == [
        "4 of 4 spans of 1 processes are stored, 0 were lost in them",
        "1 answers in the last 24 h",
        "1 searches with their filters and documents",
    ]


def test_what_an_application_leaves_out_is_told_with_what_to_do(monitor: Any, start_shop: Any) -> None:
    shop = start_shop()
    for _ in range(2):
        shop.get("/careless")
    shop.post("/flush")
    found = examine(monitor)
    advised = {finding["detail"]: finding["advice"] for finding in found.found if finding["verdict"] == "warning"}
    assert "answer.set(question=...)" in advised["2 of 2 answers have no question"]
    assert "filter=" in advised["the filter of 2 of 4 searches is unknown"]
    assert "relevance" in advised["no role is declared for the filter fields lang (2)"]


def test_a_wrong_key_is_told(monitor: Any) -> None:
    keys = json.loads(monitor.database.with_suffix(".duckdb.keys.json").read_text())
    wrong = monitor.database.with_name("wrong.json")
    wrong.write_text(json.dumps({**keys, "oncall": keys["reviewer"]}))
    found = examine(monitor, "--key-file", str(wrong))
    assert found.status == 1
    assert keys["reviewer"] not in found.said
    assert any("refuses the API key (HTTP 403)" in finding["detail"] for finding in found.found)
