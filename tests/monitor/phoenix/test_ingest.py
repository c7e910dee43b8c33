"""From the receiver to Phoenix: after the commit, beside the acknowledgement, visible on the API."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from tests.samples.fresh_stores import fresh_store
from tests.samples.otlp import NOW, PROTOBUF, logs, rag_trace, record, span, trace_id, traces
from tests.samples.servers import free_port, running_api, running_service, wait_until

from ragvigil import attributes as names
from ragvigil.testing import Receiver, Reply
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.phoenix.share import is_in_share
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store


@dataclass(frozen=True, slots=True)
class Running:
    """A service that forwards, and its client."""

    service: Service
    client: httpx.Client

    def send(self, *spans: Any) -> httpx.Response:
        return self.client.post("/v1/traces", content=traces(*spans).SerializeToString(), headers=PROTOBUF)

    def get(self, path: str) -> Any:
        return self.client.get(f"/api/v1{path}").raise_for_status().json()

    def outcomes(self) -> dict[str, int]:
        return {row["outcome"]: row["items"] for row in self.get("/ingest")}

    def await_state(self, **expected: int) -> None:
        wait_until(lambda: {name: self.get("/phoenix")[name] for name in expected} == expected, 10)


@contextmanager
def running(store: Store, url: str | None, **settings: Any) -> Iterator[Running]:
    keys = Keys.generate()
    headers = {"Authorization": f"Bearer {keys.by_role[Role.ADMIN]}"}
    given = {"url": url, "share": 1.0, "timeout_s": 0.3, **settings}
    with (
        running_service(store, keys, lambda: NOW, phoenix=given) as service,
        running_api(service) as address,
        httpx.Client(base_url=address, headers=headers, timeout=30) as client,
    ):
        yield Running(service, client)


def test_what_is_stored_goes_on_to_phoenix(memory_store: Store, phoenix: Receiver) -> None:
    with running(memory_store, phoenix.endpoint) as monitor:
        assert monitor.send(*rag_trace(0)).status_code == 200
        monitor.await_state(forwarded=6, waiting=0)
        state = monitor.get("/phoenix")
        assert monitor.get("/status")["problems"] == []
        assert monitor.outcomes() == {"spans_committed": 6}
    assert len(phoenix.spans) == 6
    assert (state["url"], state["share"], state["error"], state["failing_since"]) == (phoenix.endpoint, 1.0, None, None)


def test_a_share_of_the_traces_goes_whole(memory_store: Store, phoenix: Receiver) -> None:
    with running(memory_store, phoenix.endpoint, share=0.3) as monitor:
        for part in (1, 2):
            monitor.send(*(span(part, trace=trace) for trace in range(1, 101)))
        chosen = [trace for trace in range(1, 101) if is_in_share(trace_id(trace), 0.3)]
        monitor.await_state(forwarded=2 * len(chosen))
    assert 15 < len(chosen) < 45
    arrived = sorted((int(found.trace_id, 16), int(found.span_id, 16)) for found in phoenix.spans)
    assert arrived == [(trace, part) for trace in chosen for part in (1, 2)]


def test_a_probe_goes_by_its_own_trace_like_any_other(memory_store: Store, phoenix: Receiver) -> None:
    with running(memory_store, phoenix.endpoint, share=0.5) as monitor:
        monitor.send(*(span(1, {names.PROBE_ID: "of a trace"}, trace=trace) for trace in range(1, 21)))
        chosen = [trace for trace in range(1, 21) if is_in_share(trace_id(trace), 0.5)]
        monitor.await_state(forwarded=len(chosen))
    assert {int(found.trace_id, 16) for found in phoenix.spans} == set(chosen)


def test_only_what_the_store_takes_goes_on(memory_store: Store, phoenix: Receiver) -> None:
    with running(memory_store, phoenix.endpoint) as monitor:
        monitor.client.post("/v1/traces", content=b"\xff\xff", headers=PROTOBUF)
        monitor.client.post("/v1/logs", content=logs(record()).SerializeToString(), headers=PROTOBUF)
        monitor.send(span(1, trace_id=b"short"), span(2))
        monitor.await_state(forwarded=1)
        assert monitor.outcomes()["rejected_bad_id"] == 1
    assert [int(found.span_id, 16) for found in phoenix.spans] == [2]


def test_what_could_not_be_stored_is_not_sent(phoenix: Receiver) -> None:
    store = fresh_store()
    with running(store, phoenix.endpoint) as monitor:
        store.close()
        assert monitor.send(span(1)).status_code >= 500
        assert monitor.service.forwarder is not None
        assert monitor.service.forwarder.counts().waiting == 0
    assert phoenix.requests == []


def test_the_acknowledgement_does_not_wait_for_phoenix(memory_store: Store, phoenix: Receiver) -> None:
    phoenix.released.clear()
    with running(memory_store, phoenix.endpoint, timeout_s=30) as monitor:
        for trace in range(1, 6):
            assert monitor.send(span(1, trace=trace)).status_code == 200
        assert monitor.get("/phoenix")["waiting"] == 5
        phoenix.released.set()
        monitor.await_state(forwarded=5, waiting=0)


def test_one_that_is_down_is_a_problem_on_the_first_page(memory_store: Store) -> None:
    with running(memory_store, f"http://127.0.0.1:{free_port()}") as monitor:
        assert monitor.get("/status")["problems"] == []
        assert monitor.send(span(1), span(2)).status_code == 200
        wait_until(lambda: monitor.get("/status")["problems"] != [], 10)
        (problem,) = monitor.get("/status")["problems"]
        state = monitor.get("/phoenix")
    assert (problem["part"], problem["since"]) == ("Phoenix", "2026-11-30T03:00:00Z")
    assert "Connection refused" in problem["detail"]
    assert problem["detail"].endswith("(2 spans wait for it)")
    assert state["failing_since"] == problem["since"]
    assert "Connection refused" in state["error"]


def test_a_key_that_is_refused_is_a_problem_and_is_not_shown(memory_store: Store, phoenix: Receiver) -> None:
    phoenix.answers = [Reply(401, body=b"Unauthorized")] * 100
    with running(memory_store, phoenix.endpoint, api_key="px-wrong") as monitor:
        monitor.send(span(1))
        wait_until(lambda: monitor.get("/status")["problems"] != [], 10)
        (problem,) = monitor.get("/status")["problems"]
        monitor.await_state(waiting=1, refused=0)
        assert "401" in problem["detail"]
        assert "px-wrong" not in monitor.client.get("/api/v1/phoenix").text + str(problem)


def test_without_phoenix_nothing_is_said_of_it(memory_store: Store) -> None:
    with running(memory_store, None) as monitor:
        assert monitor.send(span(1)).status_code == 200
        assert monitor.service.forwarder is None
        assert monitor.get("/phoenix") is None


@pytest.mark.parametrize("role", [Role.INGEST, Role.REVIEWER])
def test_only_the_person_on_call_may_see_it(memory_store: Store, role: Role) -> None:
    with running(memory_store, None) as monitor:
        key = monitor.service.keys.by_role[role]
        answer = monitor.client.get("/api/v1/phoenix", headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == 403
