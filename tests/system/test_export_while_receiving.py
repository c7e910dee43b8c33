"""An export of a service that receives meanwhile: whole files, with every answer that was acknowledged before."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from tests.samples.filled_stores import dump
from tests.samples.fresh_stores import fresh_store
from tests.samples.monitors import Monitor
from tests.samples.otlp import PROTOBUF, rag_trace, traces

from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import utc_now
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.ends import LocalEnd
from ragvigil_monitor.transfer.exporting import Format
from ragvigil_monitor.transfer.listed_files import listed_files
from ragvigil_monitor.transfer.reading_files import import_file
from ragvigil_monitor.transfer.remote import RemoteEnd
from ragvigil_monitor.transfer.writing_files import export_to

SPANS_OF_AN_ANSWER = 6


def send(monitor: Monitor, first: int, stop: threading.Event, most: int) -> int:
    """Send answers until told to stop; how many were acknowledged."""
    with httpx.Client(base_url=monitor.url, headers=PROTOBUF, timeout=60) as client:
        for sent in range(most):
            body = traces(*rag_trace(first + sent, started_at=datetime.now(UTC))).SerializeToString()
            client.post("/v1/traces", content=body).raise_for_status()
            if stop.is_set():
                return sent + 1
    return most


@pytest.fixture
def export(monitor: Monitor, tmp_path: Path) -> Callable[[Format], Path]:
    """Exports what the monitor has while it receives more."""

    def make(form: Format) -> Path:
        stop = threading.Event()
        sender = threading.Thread(target=send, args=[monitor, 1_000, stop, 100_000])
        sender.start()
        try:
            with RemoteEnd(monitor.url, monitor.serving.keys.by_role[Role.ADMIN]) as source:
                export_to(tmp_path / "out", source, form, Within(), utc_now(), lambda *_: None)
        finally:
            stop.set()
            sender.join()
        return tmp_path / "out"

    return make


@pytest.fixture
def store() -> Iterator[Store]:
    store = fresh_store()
    yield store
    store.close()


@pytest.mark.parametrize("form", Format)
def test_an_export_is_one_moment_with_everything_that_was_acknowledged_before(
    monitor: Monitor, export: Callable[[Format], Path], store: Store, form: Format
) -> None:
    send(monitor, 0, threading.Event(), 50)
    reports = [import_file(file, LocalEnd(store, utc_now), 1 << 25) for file in listed_files([export(form)])]
    assert all(report.is_complete for report in reports)
    answers = {(row["trace_id"], row["span_id"]): row["answer_id"] for row in dump(store, BY_NAME["answers"])}
    assert set(answers.values()) >= {f"answer-{number}" for number in range(50)}
    spans = dump(store, BY_NAME["spans"])
    found = Counter((row["trace_id"], row["answer_span_id"] or row["span_id"]) for row in spans)
    assert found == dict.fromkeys(answers, SPANS_OF_AN_ANSWER)
    vectors = {(row["trace_id"], row["answer_span_id"]) for row in dump(store, BY_NAME["query_vectors"])}
    assert vectors == set(answers)


def test_both_forms_together_are_stored_once(
    monitor: Monitor, export: Callable[[Format], Path], store: Store, tmp_path: Path
) -> None:
    send(monitor, 0, threading.Event(), 10)
    for form in Format:
        export(form).rename(tmp_path / form.value)
    reports = [
        import_file(file, LocalEnd(store, utc_now), 1 << 25)
        for file in listed_files([tmp_path / form.value for form in Format])
    ]
    assert all(report.is_complete for report in reports)
    spans = [(row["trace_id"], row["span_id"]) for row in dump(store, BY_NAME["spans"])]
    assert len(spans) == len(set(spans))
