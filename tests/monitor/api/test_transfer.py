"""The routes behind `ragvigil export` and `ragvigil import`."""

from collections.abc import Iterator
from io import BytesIO

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.monitor.api.conftest import NOW
from tests.samples.collector_files import json_line
from tests.samples.otlp import rag_trace, traces
from tests.samples.world import World

from ragvigil_monitor.errors import FileRefused, TransferFailed
from ragvigil_monitor.keys import Role
from ragvigil_monitor.receiver.bodies import JSON
from ragvigil_monitor.receiver.files.found import Found, Signal
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.exporting import Format
from ragvigil_monitor.transfer.parquet import to_ipc
from ragvigil_monitor.transfer.remote import RemoteEnd


@pytest.fixture
def admin(empty: World) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {empty.keys.by_role[Role.ADMIN]}"}
    with httpx.Client(base_url=f"{empty.client.base_url}admin", headers=headers) as client:
        yield client


def detail(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status
    return str(answer.json()["detail"])


def test_an_empty_store_has_every_small_table_and_no_telemetry(admin: httpx.Client) -> None:
    parts = admin.get("/export").raise_for_status().json()
    assert {"name": "review_labels", "day": None} in parts
    assert not any(part["name"] == "spans" for part in parts)
    assert admin.get("/export", params={"format": "otlp"}).json() == []


def test_a_table_comes_as_parquet(admin: httpx.Client, empty: World) -> None:
    empty.put(answers=[{"answer_id": "a-7"}])
    day = NOW.date().isoformat()
    answer = admin.get("/export/answers", params={"day": day}).raise_for_status()
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    assert pq.read_table(BytesIO(answer.content))["answer_id"].to_pylist() == ["a-7"]
    later = admin.get("/export/answers", params={"day": day, "start": NOW.isoformat()}).raise_for_status()
    assert pq.read_table(BytesIO(later.content)).num_rows == 0


@pytest.mark.parametrize(
    ("path", "query", "status", "named"),
    [
        ("/export/nothing", {}, 404, "nothing"),
        ("/export/schema_migrations", {}, 404, "schema_migrations"),
        ("/export/traces", {}, 404, "traces"),
        ("/export/traces", {"format": "otlp"}, 422, "day"),
        ("/export/spans", {"format": "csv"}, 422, "format"),
        ("/export/spans", {"start": "2026-01-01T00:00:00"}, 422, "timezone"),
        ("/export", {"end": "soon"}, 422, "end"),
        ("/export", {"start": "2026-12-05T00:00Z", "end": "2026-12-01T00:00Z"}, 422, "is not after `start` 2026-12-05"),
        ("/export/spans", {"start": "2026-12-05T00:00Z", "end": "2026-12-05T00:00Z"}, 422, "is not after `start`"),
        ("/whole-export", {"start": "2026-12-05T00:00Z", "end": "2026-12-05T01:00+01:00"}, 422, "`end` 2026-12-05T01"),
    ],
)
def test_what_cannot_be_exported_is_explained(
    admin: httpx.Client, path: str, query: dict[str, str], status: int, named: str
) -> None:
    assert named in detail(admin.get(path, params=query), status)


def test_what_cannot_be_imported_is_explained(admin: httpx.Client) -> None:
    rows = to_ipc(pa.table({"trace_id": ["ab" * 16], "span_id": ["zz" * 8]}))
    assert "hex" in detail(admin.post("/import/rows/answers", content=rows), 422)
    assert "Arrow" in detail(admin.post("/import/rows/answers", content=b"PAR1"), 422)
    assert "file_positions" in detail(admin.post("/import/rows/file_positions", content=rows), 404)
    assert "signal" in detail(admin.post("/import/requests/profiles", content=b""), 422)
    assert "longer than" in detail(admin.post("/import/rows/answers", content=bytes((32 << 20) + 1)), 413)


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_first_and_the_last_day_there_are_have_nothing(admin: httpx.Client, day: str) -> None:
    found = admin.get("/export/answers", params={"day": day}).raise_for_status()
    assert pq.read_table(BytesIO(found.content)).num_rows == 0


def test_lines_are_stored_and_those_that_are_none_counted(admin: httpx.Client) -> None:
    body = json_line(traces(*rag_trace(1))) + b"{cut\n"
    first = admin.post("/import/requests/traces", content=body).raise_for_status().json()
    assert first == {"outcomes": {"spans_committed": 6}, "refused": {"line_unreadable": 1}}


def test_the_client_says_what_the_service_says(empty: World) -> None:
    url = str(empty.client.base_url.copy_with(path="/"))
    with RemoteEnd(url, "no key") as stranger, pytest.raises(TransferFailed, match="401"):
        next(stranger.files(Format.PARQUET, Within()))
    with RemoteEnd(url, empty.keys.by_role[Role.ADMIN]) as end, pytest.raises(FileRefused, match="413"):
        end.put_requests([Found(Signal.TRACES, b"x" * ((32 << 20) + 1), JSON, 0)])


@pytest.mark.parametrize("url", ["http://[broken", "nowhere", "ftp://x", "http://127.0.0.1:9"])
def test_an_address_where_no_service_is_is_named(url: str) -> None:
    with pytest.raises(TransferFailed, match=r"broken|nowhere|ftp|127\.0"), RemoteEnd(url, "key") as end:
        next(end.files(Format.PARQUET, Within()))
