"""`ragvigil.testing`, which users' tests rest on too."""

import http.client
from urllib.parse import urlsplit
from uuid import UUID

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil.export.exporter import ACCEPTED, Signal
from ragvigil.ids import RandomIds, random_uuid
from ragvigil.testing import InMemoryExporter, ManualClock, Receiver, Reply, SequentialIds, describe, receiving


def test_a_manual_clock_moves_only_when_told() -> None:
    clock = ManualClock(wall_ns=1000)
    before = (clock.wall_ns(), clock.monotonic_ns())
    assert before == (clock.wall_ns(), clock.monotonic_ns()) == (1000, 0)
    clock.advance(1.5)
    assert (clock.wall_ns(), clock.monotonic_ns()) == (1_500_001_000, 1_500_000_000)
    clock.set_wall_ns(7)
    assert (clock.wall_ns(), clock.monotonic_ns()) == (7, 1_500_000_000)


def test_sequential_ids_count() -> None:
    ids = SequentialIds()
    assert [ids.generate_trace_id(), ids.generate_trace_id(), ids.generate_span_id()] == [1, 2, 1]


def test_random_ids_are_distinct_and_large() -> None:
    ids = RandomIds()
    trace_ids = {ids.generate_trace_id() for _ in range(10_000)}
    span_ids = {ids.generate_span_id() for _ in range(10_000)}
    assert len(trace_ids) == len(span_ids) == 10_000
    assert all(0 < number < 1 << 128 for number in trace_ids)
    assert all(0 < number < 1 << 64 for number in span_ids)
    assert RandomIds().generate_trace_id() not in trace_ids


def test_random_uuids_are_distinct_and_valid() -> None:
    made = [random_uuid() for _ in range(10_000)]
    assert len(set(made)) == len(made)
    assert all(str(UUID(text)) == text and UUID(text).version == 4 for text in made)


def test_spans_are_found_by_name() -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter)
    for name in ("a", "b", "b"):
        with ragvigil.stage(name):
            pass
    assert ragvigil.flush()
    assert exporter.one("a").name == "a"
    assert len(exporter.named("b")) == 2
    for name in ("b", "c"):
        with pytest.raises(ValueError, match="unpack"):
            exporter.one(name)


def test_a_description_shows_all_of_a_span(clock: ManualClock) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, clock=clock, ids=SequentialIds())

    @ragvigil.stage("retrieve")
    def search() -> None:
        ragvigil.current_stage().set(query="files")
        ragvigil.current_stage().add_event("retried", {"attempt": 2})
        clock.advance(0.25)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        search()
    assert ragvigil.flush()
    lines = describe(exporter.spans).splitlines()
    assert lines[:3] == [
        "retrieve [0000000000000001] 0.25 s error ValueError: no",
        "    input.value = 'files'",
        "    gen_ai.retrieval.query.text = 'files'",
    ]
    assert "  event retried" in lines
    assert "    attempt = 2" in lines
    assert f"    {names.EXCEPTION_TYPE} = 'ValueError'" in lines


def test_an_empty_request_has_nothing_to_show() -> None:
    exporter = InMemoryExporter()
    assert exporter.export(Signal.TRACES, b"") is ACCEPTED
    assert exporter.export(Signal.LOGS, b"") is ACCEPTED
    exporter.close()
    assert (exporter.spans, exporter.logs) == ([], [])


def post(receiver: Receiver, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(receiver.endpoint).netloc, timeout=5)
    try:
        connection.request("POST", path, b"body", {"X-Test": "1"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_a_receiver_keeps_requests_and_answers_as_told(receiver: Receiver) -> None:
    receiver.answers = [Reply(503, {"Retry-After": "1"}, b"later")]
    assert post(receiver, "/v1/traces?x=1") == (503, b"later")
    assert post(receiver, "/other") == (200, b"")
    first, second = receiver.requests
    assert (first.path, first.body, first.headers["X-Test"]) == ("/v1/traces?x=1", b"body", "1")
    assert receiver.to("/other") == [second]


def test_a_receiver_runs_only_inside_its_block() -> None:
    with receiving() as receiver:
        assert post(receiver, "/x")[0] == 200
    with pytest.raises(OSError, match="refused"):
        post(receiver, "/x")
