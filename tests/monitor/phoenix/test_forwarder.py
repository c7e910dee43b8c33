"""Spans on their way to a Phoenix that is well, down, busy, slow, hanging, refusing, or no Phoenix at all."""

import socket
import threading
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)
from tests.samples.otlp import NOW
from tests.samples.servers import free_port, wait_until

from ragvigil import attributes as names
from ragvigil.testing import Receiver, Reply, read_spans, receiving
from ragvigil_monitor.phoenix.forwarder import MOST_STRIKES, Forwarder, open_forwarder
from ragvigil_monitor.phoenix.waiting import ForwardCounts
from ragvigil_monitor.settings import Phoenix


def await_counts(forwarder: Forwarder, **expected: int) -> None:
    wait_until(lambda: forwarder.counts() == ForwardCounts(**expected), 10)


def test_spans_arrive_as_protobuf_with_the_key(phoenix: Receiver, make_forwarder: Any, send_spans: Any) -> None:
    forwarder = make_forwarder(phoenix.endpoint, api_key="px-key")
    send_spans(forwarder, 3)
    await_counts(forwarder, forwarded=3)
    (request,) = phoenix.to("/v1/traces")
    assert request.headers["Content-Type"] == "application/x-protobuf"
    assert request.headers["Authorization"] == "Bearer px-key"
    assert [found.resource[names.PROJECT_NAME] for found in phoenix.spans] == ["shop"] * 3
    assert forwarder.trouble() is None


def test_without_a_key_none_is_sent(phoenix: Receiver, make_forwarder: Any, send_spans: Any) -> None:
    forwarder = make_forwarder(f"{phoenix.endpoint}/below/a/path")
    send_spans(forwarder)
    await_counts(forwarder, forwarded=1)
    assert "Authorization" not in phoenix.to("/below/a/path/v1/traces")[0].headers


def test_one_that_is_down_is_trouble_and_gets_all_when_it_is_back(make_forwarder: Any, send_spans: Any) -> None:
    port = free_port()
    forwarder = make_forwarder(f"http://127.0.0.1:{port}")
    send_spans(forwarder, 2)
    wait_until(lambda: forwarder.trouble() is not None, 10)
    assert forwarder.trouble().since == NOW
    assert "ConnectionRefusedError" in forwarder.trouble().reason
    with receiving(port) as back:
        await_counts(forwarder, forwarded=2)
        assert len(back.spans) == 2
    assert forwarder.trouble() is None


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_one_that_is_busy_is_asked_again(phoenix: Receiver, make_forwarder: Any, send_spans: Any, status: int) -> None:
    phoenix.answers = [Reply(status)] * 3
    forwarder = make_forwarder(phoenix.endpoint)
    send_spans(forwarder)
    await_counts(forwarder, forwarded=1)
    assert len({request.body for request in phoenix.requests}) == 1
    assert len(phoenix.requests) == 4


@pytest.mark.parametrize("status", [301, 401, 403, 404, 408, 415, 500])
def test_what_a_wrong_key_or_address_holds_up_waits_until_it_is_mended(
    phoenix: Receiver, make_forwarder: Any, send_spans: Any, status: int
) -> None:
    phoenix.answers = [Reply(status, body=b"the key is wrong")] * 100_000
    forwarder = make_forwarder(phoenix.endpoint)
    send_spans(forwarder, 4)
    send_spans(forwarder, 3, trace=2)
    wait_until(lambda: len(phoenix.requests) > 2 * MOST_STRIKES, 10)
    assert forwarder.counts() == ForwardCounts(waiting=7)
    assert str(status) in forwarder.trouble().reason
    assert "the key is wrong" in forwarder.trouble().reason
    phoenix.answers.clear()
    await_counts(forwarder, forwarded=7)
    assert forwarder.trouble() is None


@pytest.mark.parametrize("status", [400, 413, 422])
def test_what_is_refused_is_counted_and_not_asked_again(
    phoenix: Receiver, make_forwarder: Any, send_spans: Any, status: int
) -> None:
    phoenix.answers = [Reply(status, body=b"no such span")]
    forwarder = make_forwarder(phoenix.endpoint)
    send_spans(forwarder, 4)
    await_counts(forwarder, refused=4)
    assert str(status) in forwarder.trouble().reason
    assert "no such span" in forwarder.trouble().reason
    send_spans(forwarder)
    await_counts(forwarder, refused=4, forwarded=1)
    assert forwarder.trouble() is None


@pytest.mark.parametrize(("rejected", "refused"), [(1, 1), (99, 3)], ids=["some", "more than were sent"])
def test_what_is_rejected_of_a_request_is_counted(
    phoenix: Receiver, make_forwarder: Any, send_spans: Any, rejected: int, refused: int
) -> None:
    partial = ExportTracePartialSuccess(rejected_spans=rejected)
    phoenix.answers = [Reply(body=ExportTraceServiceResponse(partial_success=partial).SerializeToString())]
    forwarder = make_forwarder(phoenix.endpoint)
    send_spans(forwarder, 3)
    await_counts(forwarder, forwarded=3 - refused, refused=refused)


def test_a_connection_that_was_closed_meanwhile_is_opened_again(
    phoenix: Receiver, make_forwarder: Any, send_spans: Any
) -> None:
    phoenix.answers = [Reply(closes=True)] * 3
    forwarder = make_forwarder(phoenix.endpoint)
    for number in range(1, 4):
        send_spans(forwarder)
        await_counts(forwarder, forwarded=number)
    assert forwarder.trouble() is None


def test_one_that_never_answers_is_trouble_and_holds_up_nobody(
    phoenix: Receiver, make_forwarder: Any, send_spans: Any
) -> None:
    phoenix.released.clear()
    forwarder = make_forwarder(phoenix.endpoint, max_waiting_requests=2)
    for _ in range(5):
        send_spans(forwarder, 2)
    wait_until(lambda: forwarder.trouble() is not None, 10)
    assert "timed out" in forwarder.trouble().reason
    assert forwarder.counts().dropped >= 4
    assert forwarder.counts().waiting <= 6


def test_one_that_hangs_up_without_an_answer_is_trouble(make_forwarder: Any, send_spans: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            for _ in range(20):
                listener.accept()[0].close()

        hanging = threading.Thread(target=hang_up, daemon=True)
        hanging.start()
        forwarder = make_forwarder(f"http://127.0.0.1:{listener.getsockname()[1]}")
        send_spans(forwarder, 2)
        hanging.join(10)
        assert not hanging.is_alive()
        assert forwarder.counts() == ForwardCounts(waiting=2)
        assert forwarder.trouble() is not None


class Poisoned(Receiver):
    """Does not take the first trace, ever; takes all others."""

    def answer_to(self, request: Any) -> Reply:
        super().answer_to(request)
        return Reply(503 if f"{1:032x}" in {found.trace_id for found in read_spans(request.body)} else 200)


def test_a_request_that_always_fails_is_dropped_and_keeps_no_other(
    phoenix: Receiver, make_forwarder: Any, send_spans: Any
) -> None:
    phoenix.__class__ = Poisoned
    forwarder = make_forwarder(phoenix.endpoint)
    send_spans(forwarder, 5, trace=1)
    for trace in range(2, 2 + MOST_STRIKES):
        send_spans(forwarder, 1, trace=trace)
        wait_until(lambda: forwarder.counts().forwarded == trace - 1, 10)  # noqa: B023 - asked at once
    await_counts(forwarder, dropped=5, forwarded=MOST_STRIKES)


def test_however_long_one_is_down_nothing_is_dropped_that_there_is_room_for(
    phoenix: Receiver, make_forwarder: Any, send_spans: Any
) -> None:
    phoenix.answers = [Reply(503)] * 20 * MOST_STRIKES
    forwarder = make_forwarder(phoenix.endpoint)
    for trace in range(1, 4):
        send_spans(forwarder, 2, trace=trace)
    await_counts(forwarder, forwarded=6)
    assert len(phoenix.requests) == 20 * MOST_STRIKES + 3


@pytest.mark.parametrize("url", [f"http://{'a' * 70}.invalid", "http://..", "http://[::1"], ids=["long", "dots", "cut"])
def test_an_address_that_leads_nowhere_is_trouble_not_the_end(make_forwarder: Any, send_spans: Any, url: str) -> None:
    forwarder = Forwarder(Phoenix(share=1), url, clock=lambda: NOW)
    try:
        send_spans(forwarder)
        wait_until(lambda: forwarder.trouble() is not None, 10)
    finally:
        forwarder.close()
    assert forwarder.counts() == ForwardCounts(dropped=1)


def test_what_waits_at_the_end_is_sent_if_that_is_possible(
    phoenix: Receiver, make_forwarder: Any, send_spans: Any
) -> None:
    phoenix.released.clear()
    forwarder = make_forwarder(phoenix.endpoint, timeout_s=5)
    for _ in range(3):
        send_spans(forwarder)
    closing = threading.Thread(target=forwarder.close)
    closing.start()
    phoenix.released.set()
    closing.join()
    assert forwarder.counts() == ForwardCounts(forwarded=3)


def test_what_waits_at_the_end_is_dropped_and_counted_if_not(make_forwarder: Any, send_spans: Any) -> None:
    forwarder = make_forwarder(f"http://127.0.0.1:{free_port()}", again_s=3600)
    for _ in range(3):
        send_spans(forwarder, 2)
    forwarder.close()
    forwarder.close()
    assert forwarder.counts() == ForwardCounts(dropped=6)


def test_without_an_address_nothing_runs() -> None:
    assert open_forwarder(Phoenix(), lambda: NOW) is None
