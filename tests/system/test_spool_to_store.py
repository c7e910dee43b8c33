"""An app without any network to its monitor: what it writes to a directory is stored, and shown to be complete."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.samples.monitors import running_monitor
from tests.samples.servers import free_port, wait_until

APP = """
import sys, ragvigil
ragvigil.configure(service_name="shop", endpoint=sys.argv[1], spool_dir=sys.argv[2], secret_key=b"secret of the shop")
for number in range(25):
    with ragvigil.pipeline("ask") as answer, ragvigil.stage("retrieve"):
        pass
ragvigil.feedback("thumbs_down", answer=answer)
"""


@pytest.mark.parametrize("runs", [1, 3])
def test_everything_arrives_by_way_of_the_directory(tmp_path: Path, runs: int) -> None:
    spool, config = tmp_path / "spool", tmp_path / "ragvigil.yaml"
    config.write_text(f"spool: {{directory: {spool}, poll_s: 0.1}}\n", encoding="utf-8")
    nowhere = f"http://127.0.0.1:{free_port()}"
    for _ in range(runs):
        subprocess.run([sys.executable, "-c", APP, nowhere, str(spool)], check=True, stderr=subprocess.DEVNULL)
    with running_monitor(tmp_path / "a.duckdb", config) as monitor:
        wait_until(lambda: not list(spool.iterdir()))
        processes = monitor.get("/completeness")
        assert [(row["started"], row["spooled"], row["stored"], row["share"]) for row in processes] == [
            (50, 50, 50, 1.0)
        ] * runs
        outcomes = monitor.outcomes()
    assert outcomes["spans_committed"] == 50 * runs
    assert outcomes["logs_committed"] == 2 * runs  # feedback and counters
