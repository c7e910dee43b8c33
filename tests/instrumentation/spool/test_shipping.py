"""Delivery from segments: oldest first, in large requests, deleted only when all of it was taken."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragvigil import attributes as names
from ragvigil.counts import Counters, SpoolCounts
from ragvigil.export.exporter import ACCEPTED, Delivery, Outcome, Signal
from ragvigil.spool.claim import claim
from ragvigil.spool.framing import Contents, packed_frames
from ragvigil.spool.shipping import BATCH_BYTES, Shipper
from ragvigil.spool.writer import SegmentWriter

RETRY = Delivery(Outcome.RETRY)
REFUSED = Delivery(Outcome.REFUSED)
Write = Callable[..., SegmentWriter]


def traces(number: int, spans: int = 2, padding: int = 0) -> bytes:
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for each in range(spans):
        scope.spans.add(trace_id=number.to_bytes(16), span_id=(each + 1).to_bytes(8), name="x" * padding)
    return request.SerializeToString()


def feedback(events: int) -> bytes:
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    for _ in range(events):
        scope.log_records.add(event_name=names.EVENT_FEEDBACK)
    scope.log_records.add(event_name=names.EVENT_PROCESS_COUNTS)
    return request.SerializeToString()


class Answers:
    """Keeps what is attempted, and answers as told, else yes."""

    def __init__(self, *answers: Delivery) -> None:
        self.answers = list(answers)
        self.taken: list[tuple[Signal, bytes]] = []

    def __call__(self, signal: Signal, payload: bytes) -> Delivery:
        answer = self.answers.pop(0) if self.answers else ACCEPTED
        if answer.outcome is Outcome.ACCEPTED:
            self.taken.append((signal, payload))
        return answer

    def trace_numbers(self) -> list[int]:
        requests = [ExportTraceServiceRequest.FromString(p) for signal, p in self.taken if signal is Signal.TRACES]
        groups = [group for request in requests for group in request.resource_spans]
        return [int.from_bytes(group.scope_spans[0].spans[0].trace_id) for group in groups]


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def write(tmp_path: Path, counters: Counters) -> Write:
    """Writes a closed segment of these requests."""

    def written(*requests: tuple[Signal, bytes], instance: str = "p") -> SegmentWriter:
        writer = SegmentWriter(tmp_path, instance, 1 << 30, counters)
        for signal, payload in requests:
            frames = packed_frames(signal, payload)
            for packed in frames:
                counters.add_spooled(packed.contents.spans)
                counters.add_feedback("spooled", packed.contents.feedback)
            writer.append(frames)
        writer.close()
        return writer

    return written


def shipped(shipper: Shipper, answers: Answers) -> None:
    while shipper.ship(answers):
        pass


def test_all_of_it_is_delivered_in_order_and_deleted(write: Write, counters: Counters, tmp_path: Path) -> None:
    writer = write(*((Signal.TRACES, traces(number)) for number in range(100)))
    answers = Answers()
    shipped(Shipper(tmp_path, writer.ledger, counters), answers)
    assert answers.trace_numbers() == list(range(100))
    assert len(answers.taken) == 1
    assert list(tmp_path.iterdir()) == []
    assert counters.read().spool == SpoolCounts(delivered=100)


def test_requests_are_bounded_and_of_one_kind(write: Write, counters: Counters, tmp_path: Path) -> None:
    large = [(Signal.TRACES, traces(number, padding=BATCH_BYTES // 5)) for number in range(8)]
    writer = write(*large, (Signal.LOGS, feedback(2)), (Signal.TRACES, traces(99)))
    answers = Answers()
    shipped(Shipper(tmp_path, writer.ledger, counters), answers)
    assert [signal for signal, _ in answers.taken][-2:] == [Signal.LOGS, Signal.TRACES]
    assert all(len(payload) <= BATCH_BYTES for _, payload in answers.taken)
    assert answers.trace_numbers() == [*range(8), 99]


def test_what_is_not_taken_stays_and_can_be_taken_by_others(write: Write, counters: Counters, tmp_path: Path) -> None:
    writer = write((Signal.TRACES, traces(1)))
    shipper = Shipper(tmp_path, writer.ledger, counters)
    assert not shipper.ship(Answers(RETRY))
    (file,) = tmp_path.iterdir()
    taken = claim(file)
    assert taken is not None
    assert not shipper.ship(Answers())
    taken.release()
    answers = Answers()
    shipped(shipper, answers)
    assert answers.trace_numbers() == [1]


def test_what_is_refused_is_lost_for_this_process(write: Write, counters: Counters, tmp_path: Path) -> None:
    writer = write((Signal.TRACES, traces(1, spans=3)), (Signal.LOGS, feedback(2)))
    shipped(Shipper(tmp_path, writer.ledger, counters), Answers(REFUSED, REFUSED))
    counts = counters.read()
    assert (counts.spooled, counts.dropped) == (0, 3)
    assert (counts.feedback.spooled, counts.feedback.dropped) == (0, 2)
    assert counts.spool == SpoolCounts(refused=5)
    assert list(tmp_path.iterdir()) == []


def test_what_is_rejected_of_a_request_is_lost_too(write: Write, counters: Counters, tmp_path: Path) -> None:
    writer = write((Signal.TRACES, traces(1, spans=3)))
    shipped(Shipper(tmp_path, writer.ledger, counters), Answers(Delivery(Outcome.ACCEPTED, rejected=2)))
    counts = counters.read()
    assert (counts.spooled, counts.dropped) == (1, 2)
    assert counts.spool == SpoolCounts(delivered=1, refused=2)


def test_what_another_process_lost_is_not_counted_as_ours(write: Write, counters: Counters, tmp_path: Path) -> None:
    write((Signal.TRACES, traces(1)), instance="another")
    own = SegmentWriter(tmp_path, "own", 1 << 30, counters)
    shipped(Shipper(tmp_path, own.ledger, counters), Answers(REFUSED))
    assert (counters.read().spooled, counters.read().dropped) == (2, 0)
    assert counters.read().spool == SpoolCounts(refused=2)


def test_a_torn_segment_is_delivered_up_to_there_and_kept_aside(
    write: Write, counters: Counters, tmp_path: Path
) -> None:
    writer = write((Signal.TRACES, traces(1)), (Signal.TRACES, traces(2)))
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-3])
    answers = Answers()
    shipped(Shipper(tmp_path, writer.ledger, counters), answers)
    assert answers.trace_numbers() == [1]
    assert [left.name for left in tmp_path.iterdir()] == [f"{file.name}.corrupt"]
    assert counters.read().spool == SpoolCounts(delivered=1, corrupt=1)


def test_spans_of_one_request_are_framed_by_trace() -> None:
    request = ExportTraceServiceRequest.FromString(traces(1) + traces(2))
    request.resource_spans.add(schema_url="s").scope_spans.add().spans.add(trace_id=(1).to_bytes(16), name="late")
    frames = packed_frames(Signal.TRACES, request.SerializeToString())
    assert [packed.contents for packed in frames] == [Contents(spans=3), Contents(spans=2)]


def test_an_empty_directory_and_a_missing_one_have_nothing_to_ship(counters: Counters, tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "missing"):
        ledger = SegmentWriter(directory, "p", 1 << 30, counters).ledger
        assert not Shipper(directory, ledger, counters).ship(Answers())


def test_what_was_refused_before_a_failure_is_counted_once(write: Write, counters: Counters, tmp_path: Path) -> None:
    half = BATCH_BYTES * 2 // 3
    writer = write((Signal.TRACES, traces(1, padding=half // 2)), (Signal.TRACES, traces(2, padding=half // 2)))
    shipper = Shipper(tmp_path, writer.ledger, counters)
    answers = Answers(REFUSED, RETRY)
    shipped(shipper, answers)
    shipped(shipper, answers)
    assert answers.trace_numbers() == [2]
    assert counters.read().spool == SpoolCounts(delivered=1, refused=2)
    assert (counters.read().spooled, counters.read().dropped) == (2, 2)
    assert list(tmp_path.iterdir()) == []


def test_another_file_of_the_same_name_is_read_from_its_beginning(
    write: Write, counters: Counters, tmp_path: Path
) -> None:
    half = BATCH_BYTES * 2 // 3
    writer = write((Signal.TRACES, traces(1, padding=half // 2)), (Signal.TRACES, traces(2, padding=half // 2)))
    shipper = Shipper(tmp_path, writer.ledger, counters)
    shipped(shipper, Answers(ACCEPTED, RETRY))
    (file,) = tmp_path.iterdir()
    file.unlink()
    write(*((Signal.TRACES, traces(number, padding=half // 2)) for number in (3, 4)))
    answers = Answers()
    shipped(shipper, answers)
    assert answers.trace_numbers() == [3, 4]


def test_a_segment_that_cannot_be_deleted_is_delivered_once_and_holds_up_no_other(
    write: Write, counters: Counters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = write((Signal.TRACES, traces(1)))
    (stuck,) = tmp_path.iterdir()
    os.utime(stuck, ns=(1, 1))
    write((Signal.TRACES, traces(2)), instance="q")
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path == stuck:
            raise PermissionError("not allowed")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    shipper, answers = Shipper(tmp_path, writer.ledger, counters), Answers()
    with pytest.raises(PermissionError):
        shipped(shipper, answers)
    shipped(shipper, answers)
    shipped(shipper, answers)
    assert answers.trace_numbers() == [1, 2]
    assert list(tmp_path.iterdir()) == [stuck]
