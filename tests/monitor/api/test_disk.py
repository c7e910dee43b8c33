"""What the API says when the disk under the store is short, by a reader of the free space that tells what it should."""

from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.samples.otlp import PROTOBUF, rag_trace, traces
from tests.samples.world import World

from ragvigil_monitor.keys import Role
from ragvigil_monitor.store.disk import Disk, Limits


@dataclass
class Meter:
    """So many bytes are free."""

    free: int

    def __call__(self, _: Path) -> int:
        return self.free


@pytest.fixture
def meter(empty: World) -> Meter:
    """The disk under the store of `empty`, which stops below 1,000 bytes and warns below 5,000."""
    made = Meter(10_000)
    empty.store.disk = Disk(Path("/data/a.duckdb"), Limits(1000, 5000), made)
    return made


def send(world: World) -> httpx.Response:
    body = traces(*rag_trace(1)).SerializeToString()
    headers = {**PROTOBUF, "Authorization": f"Bearer {world.keys.by_role[Role.INGEST]}"}
    return world.client.post(url(world, "/v1/traces"), content=body, headers=headers)


def url(world: World, path: str) -> httpx.URL:
    return world.client.base_url.copy_with(path=path)


def test_little_space_is_a_problem_and_stops_nothing(empty: World, meter: Meter) -> None:
    assert empty.get("/status")["problems"] == []
    meter.free = 4000
    (problem,) = empty.get("/status")["problems"]
    assert (problem["part"], problem["since"]) == ("disk space", "2026-11-30T03:00:00Z")
    assert "/data/a.duckdb" in problem["detail"]
    assert send(empty).status_code == 200
    assert empty.client.get(url(empty, "/readyz")).status_code == 200


def test_too_little_space_stops_what_writes_and_nothing_else(empty: World, meter: Meter) -> None:
    meter.free = 10
    answer = send(empty)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "4")
    assert empty.client.get(url(empty, "/readyz")).status_code == 503
    assert [problem["part"] for problem in empty.get("/status")["problems"]] == ["store", "disk space"]
    admin = {"Authorization": f"Bearer {empty.keys.by_role[Role.ADMIN]}"}
    assert empty.client.post(url(empty, "/api/v1/admin/run-due"), json={}, headers=admin).status_code == 503
    text = empty.client.get(url(empty, "/metrics")).text
    assert "ragvigil_store_writable 0.0" in text
    assert "ragvigil_store_free_bytes 10.0" in text


def test_it_goes_on_when_there_is_space(empty: World, meter: Meter) -> None:
    meter.free = 10
    send(empty)
    meter.free = 10_000
    assert send(empty).status_code == 200
    assert empty.get("/status")["problems"] == []
    assert "ragvigil_store_writable 1.0" in empty.client.get(url(empty, "/metrics")).text
