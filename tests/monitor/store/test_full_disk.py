"""A disk that is full: refused as try later, nothing acknowledged lost, and on again when there is space."""

from pathlib import Path
from typing import Any

import duckdb

WRITE = """
import resource, signal, sys
from pathlib import Path
import pyarrow as pa
from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.store import Store

def batch(number):
    text = "".join(chr(97 + (number * 7919 + place * place) % 26) for place in range(400))
    moment = __import__("datetime").datetime(2026, 6, 1)
    row = dict.fromkeys(tables.LOG_EVENTS.names) | {
        "event_name": "e", "occurred_at": moment, "observed_at": moment, "service": "shop", "body": text}
    rows = [row | {"event_id": f"{number}-{each}"} for each in range(100)]
    return pa.Table.from_pylist(rows, schema=tables.LOG_EVENTS)

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store.open(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, resource.RLIM_INFINITY))
refused = 0
for number in range(400):
    try:
        with store.transaction() as writer:
            writer.execute_with("insert_log_events", batch(number))
        print("stored", number, flush=True)
    except StoreUnavailable:
        refused += 1
        print("refused", number, flush=True)
    if refused == 3:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


def test_a_full_disk_loses_nothing_and_is_survived(tmp_path: Path, start_python: Any) -> None:
    path = tmp_path / "full.duckdb"
    output, _ = start_python(WRITE, path).communicate(timeout=120)
    lines = [line.split() for line in output.splitlines()]
    refused = {int(number) for word, number in lines if word == "refused"}
    assert len(lines) == 400
    assert len(refused) == 3
    assert max(refused) < 399
    with duckdb.connect(str(path)) as connection:
        counted = connection.execute("SELECT split_part(event_id, '-', 1), count(*) FROM log_events GROUP BY 1")
        stored = {int(number): events for number, events in counted.fetchall()}
    assert stored == dict.fromkeys(set(range(400)) - refused, 100)
