"""A writer that is killed: what it acknowledged is there, and nothing is there in part."""

import signal
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.samples.otlp import NOW

from ragvigil_monitor.store import Store

BATCH = 50
WRITE = """
import sys
from datetime import datetime
from pathlib import Path
import pyarrow as pa
from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.store import Store
moment = datetime.fromisoformat(sys.argv[3])
empty = dict.fromkeys(tables.LOG_EVENTS.names)
row = {**empty, "event_name": "e", "occurred_at": moment, "observed_at": moment, "service": "shop"}
store = Store.open(Path(sys.argv[1]))
for batch in range(int(sys.argv[2]), 10**9):
    ids = [f"{batch}-{number}" for number in range(50)]
    rows = pa.Table.from_pylist([{**row, "event_id": each} for each in ids], schema=tables.LOG_EVENTS)
    with store.transaction() as writer:
        writer.execute_with("insert_log_events", rows)
    print(batch, flush=True)
"""


def test_three_kills_lose_nothing_that_was_acknowledged(tmp_path: Path, start_python: Any) -> None:
    path = tmp_path / "killed.duckdb"
    acknowledged: set[int] = set()
    for begin, commits in ((0, 1), (1000, 7), (2000, 12)):
        writer = start_python(WRITE, path, str(begin), NOW.replace(tzinfo=None).isoformat())
        acknowledged |= {int(writer.stdout.readline()) for _ in range(commits)}
        writer.send_signal(signal.SIGKILL)
        acknowledged |= {int(line) for line in writer.stdout}
        writer.wait()
        stored = stored_batches(path)
        assert acknowledged <= stored.keys()
        assert set(stored.values()) == {BATCH}
        assert len(stored) <= len(acknowledged) + 3


def stored_batches(path: Path) -> dict[int, int]:
    """How many events of each batch are in the file."""
    candidates = [
        f"{batch}-{number}"
        for begin in (0, 1000, 2000)
        for batch in range(begin, begin + 500)
        for number in range(BATCH)
    ]
    store = Store.open(path)
    hour = timedelta(hours=1)
    with store.transaction() as writer:
        ids = pa.table({"event_id": candidates})
        rows = writer.execute_with("known_log_events", ids, earliest=NOW - hour, latest=NOW + hour)
    store.close()
    return dict(Counter(int(row["event_id"].partition("-")[0]) for row in rows))
