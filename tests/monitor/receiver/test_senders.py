"""Requests of stock senders, recorded on the wire, sent once more and compared in the store."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import orjson
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from tests.samples.otlp import NOW
from tests.samples.senders.expected import BEGAN, assert_is_the_answer
from tests.samples.senders.recorded import Recorded, recordings
from tests.samples.servers import running_api

from ragvigil import attributes as names
from ragvigil_monitor.keys import Role
from ragvigil_monitor.store import Store

RECORDED = recordings()
TRACES = [name for name, each in RECORDED.items() if each.path == "/v1/traces"]
LOGS = [name for name, each in RECORDED.items() if each.path == "/v1/logs"]


@pytest.fixture
def api(make_service: Any) -> Iterator[httpx.Client]:
    """A client with the key of on-call; senders need none here."""
    service = make_service(NOW)
    headers = {"Authorization": f"Bearer {service.keys.by_role[Role.ONCALL]}"}
    with running_api(service) as address, httpx.Client(base_url=address, headers=headers) as client:
        yield client


def send(api: httpx.Client, recorded: Recorded) -> httpx.Response:
    return recorded.send(str(api.base_url))


def only_answer(api: httpx.Client) -> dict[str, Any]:
    (row,) = api.get("/api/v1/answers").raise_for_status().json()
    (answer,) = api.get(f"/api/v1/answers/{row['trace_id']}").raise_for_status().json()
    return dict(answer)


def service_of(name: str) -> str:
    return f"shop-{name.partition('-')[0].replace('javascript', 'js')}"


def is_full_success(recorded: Recorded, content: bytes) -> bool:
    """Whether an answer in the sender's language has no partial success, which OTLP wants left out then."""
    if recorded.headers["content-type"] == "application/json":
        return bool(orjson.loads(content) == {})
    kind = ExportTraceServiceResponse if recorded.path == "/v1/traces" else ExportLogsServiceResponse
    return not kind.FromString(content).HasField("partial_success")


@pytest.mark.parametrize("name", TRACES)
def test_an_answer_of_a_stock_sdk_is_stored_value_by_value_and_once(api: httpx.Client, totals: Any, name: str) -> None:
    for _ in range(2):
        answer = send(api, RECORDED[name])
        assert answer.status_code == 200
        assert answer.headers["content-type"] == RECORDED[name].headers["content-type"]
        assert is_full_success(RECORDED[name], answer.content)
    assert totals() == {"spans_committed": 3, "spans_duplicate": 3}
    assert_is_the_answer(only_answer(api), service_of(name))


@pytest.mark.parametrize("name", LOGS)
def test_log_records_of_the_collector_are_stored_once(
    api: httpx.Client, memory_store: Store, totals: Any, name: str
) -> None:
    for _ in range(2):
        answer = send(api, RECORDED[name])
        assert answer.status_code == 200
        assert is_full_success(RECORDED[name], answer.content)
    assert totals() == {"logs_committed": 2, "logs_duplicate": 2}
    found = memory_store.row("feedback_waiting", event_name=names.EVENT_FEEDBACK, parked_since=BEGAN)
    assert found["arrived"]


def test_traces_go_through_a_collector_with_its_headers(api: httpx.Client) -> None:
    # Made by hand: the recorded Collector has no receiver of traces, but it writes the same messages.
    collected, sent = RECORDED["collector-proto-gzip"], RECORDED["java-gzip"]
    assert send(api, replace(sent, headers=collected.headers)).status_code == 200
    assert_is_the_answer(only_answer(api), "shop-java")


def test_every_kind_of_sender_is_recorded() -> None:
    assert {name.partition("-")[0] for name in RECORDED} == {"python", "javascript", "java", "collector"}
    used = {(each.headers["content-type"], each.headers.get("content-encoding")) for each in RECORDED.values()}
    forms = ("application/x-protobuf", "application/json")
    assert used == {(form, coding) for form in forms for coding in (None, "gzip")} | {(forms[0], "zstd")}
    assert any(each.headers.get("transfer-encoding") == "chunked" for each in RECORDED.values())


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_names_no_machine(name: str) -> None:
    said = " ".join([*RECORDED[name].headers, *RECORDED[name].headers.values()])
    assert not re.search(r"host|cookie|authorization|/(home|root|work|tmp)/|\d+\.\d+\.\d+\.\d+:", said, re.IGNORECASE)
    assert BEGAN < NOW
