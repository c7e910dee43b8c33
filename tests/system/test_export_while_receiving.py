"""An export of a service that receives meanwhile: whole files, with every answer that was acknowledged before."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import httpx
from tests.samples.filled_stores import dump
from tests.samples.monitors import Monitor
from tests.samples.otlp import PROTOBUF, rag_trace, traces

from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import utc_now
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.ends import LocalEnd
from ragvigil_monitor.transfer.exporting import Format
from ragvigil_monitor.transfer.reading_files import files_of, import_file
from ragvigil_monitor.transfer.remote import RemoteEnd
from ragvigil_monitor.transfer.writing_files import export_to


def send(monitor: Monitor, first: int, stop: threading.Event, most: int) -> int:
    """Send answers until told to stop; how many were acknowledged."""
    with httpx.Client(base_url=monitor.url, headers=PROTOBUF, timeout=60) as client:
        for sent in range(most):
            body = traces(*rag_trace(first + sent, started_at=datetime.now(UTC))).SerializeToString()
            client.post("/v1/traces", content=body).raise_for_status()
            if stop.is_set():
                return sent + 1
    return most


def test_what_was_acknowledged_before_is_in_the_export_and_imports(monitor: Monitor, tmp_path: Path) -> None:
    stop = threading.Event()
    send(monitor, 0, stop, 50)
    sender = threading.Thread(target=send, args=[monitor, 1_000, stop, 100_000])
    sender.start()
    try:
        with RemoteEnd(monitor.url, monitor.serving.keys.by_role[Role.ADMIN]) as source:
            for form in Format:
                export_to(tmp_path / "out" / form.value, source, form, Within(), utc_now(), lambda *_: None)
    finally:
        stop.set()
        sender.join()
    store = Store.open(None)
    try:
        reports = [import_file(file, LocalEnd(store, utc_now), 1 << 25) for file in files_of([tmp_path / "out"])]
        assert all(report.is_complete for report in reports)
        answers = {row["answer_id"] for row in dump(store, BY_NAME["answers"])}
        assert answers >= {f"answer-{number}" for number in range(50)}
        spans = [(row["trace_id"], row["span_id"]) for row in dump(store, BY_NAME["spans"])]
        assert len(spans) == len(set(spans)), "what is in both forms is stored once"
    finally:
        store.close()
