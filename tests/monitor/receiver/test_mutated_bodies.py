"""A thousand bodies with something wrong in them, over real HTTP: each is answered in its language and counted."""

import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from tests.samples.mutations import JSON, Sent, items_in, mutated, originals
from tests.samples.otlp import NOW
from tests.samples.servers import running_api, wait_until

MUTATIONS = 1000
REFUSALS = {400, 413}
RESPONSES: dict[str, Any] = {"/v1/traces": ExportTraceServiceResponse, "/v1/logs": ExportLogsServiceResponse}


@pytest.fixture
def client(make_service: Any) -> Iterator[httpx.Client]:
    with running_api(make_service(NOW)) as url, httpx.Client(base_url=url, timeout=30) as connected:
        yield connected


def send(client: httpx.Client, sent: Sent) -> httpx.Response:
    headers = {"Content-Type": sent.content_type}
    if sent.encoding:
        headers["Content-Encoding"] = sent.encoding
    return client.post(sent.path, content=sent.body, headers=headers)


def reason(answer: httpx.Response) -> str:
    if answer.headers["content-type"] == JSON:
        return str(answer.json()["message"])
    return str(Status.FromString(answer.content).message)


def rejected(sent: Sent, answer: httpx.Response) -> int:
    """How many items the answer says are rejected; it can be read in the sender's language."""
    if sent.content_type == JSON:
        partial = answer.json().get("partialSuccess", {})
        return int(partial.get("rejectedSpans", 0)) + int(partial.get("rejectedLogRecords", 0))
    partial = RESPONSES[sent.path].FromString(answer.content).partial_success
    return int(partial.rejected_spans if sent.path == "/v1/traces" else partial.rejected_log_records)


def test_each_is_refused_with_a_reason_or_stored_and_the_counters_add_up(
    client: httpx.Client, totals: Any, caplog: pytest.LogCaptureFixture
) -> None:
    answers: Counter[int] = Counter()
    received = not_stored = 0
    for sent in mutated(MUTATIONS):
        answer = send(client, sent)
        answers[answer.status_code] += 1
        assert answer.headers["content-type"] == sent.content_type
        if answer.status_code == 200:
            received += items_in(sent)
            not_stored += rejected(sent, answer)
        else:
            assert answer.status_code in REFUSALS
            assert len(reason(answer)) > 20
    refused = sum(answers[status] for status in REFUSALS)
    wait_until(lambda: sum_of(totals(), "rejected_request_") == refused, 10)
    found = totals()
    stored = found["spans_committed"] + found["spans_duplicate"] + found["logs_committed"] + found["logs_duplicate"]
    assert (stored, sum_of(found, "rejected_") - refused) == (received - not_stored, not_stored)
    assert min(answers[200], refused) > MUTATIONS / 5
    assert not_stored > 0
    assert not [each.message for each in caplog.records if each.levelno >= logging.ERROR]


def sum_of(outcomes: dict[str, int], prefix: str) -> int:
    return sum(items for outcome, items in outcomes.items() if outcome.startswith(prefix))


def test_the_service_works_as_before_afterwards(client: httpx.Client, totals: Any) -> None:
    for sent in mutated(100, seed=8):
        send(client, sent)
    before = totals().get("spans_committed", 0)
    (whole,) = [sent for sent in originals() if sent.path == "/v1/traces" and b"answer-0" in sent.body]
    answer = send(client, whole)
    assert (answer.status_code, rejected(whole, answer)) == (200, 0)
    assert totals()["spans_committed"] + totals().get("spans_duplicate", 0) >= before + 6
