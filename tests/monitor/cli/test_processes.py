"""Child processes: started, waited for, stopped."""

import threading
from pathlib import Path

import pytest

from ragvigil_monitor.cli.processes import Child, ServeProcess, await_end, start_serve
from ragvigil_monitor.errors import ProcessFailed


def test_a_service_that_cannot_start_is_an_error_and_leaves_no_process(tmp_path: Path) -> None:
    with pytest.raises(ProcessFailed, match="`ragvigil serve` ended with code 1"):
        start_serve(config=tmp_path / "nowhere.yaml")


def test_a_child_that_says_nothing_is_an_error(serving: ServeProcess) -> None:
    with pytest.raises(ProcessFailed, match="said nothing for"):
        serving.child.next_line(0.05)


def test_stopping_twice_is_the_same_as_once(serving: ServeProcess) -> None:
    assert [serving.stop(), serving.stop()] == [0, 0]
    assert serving.child.exit_code() == 0


def test_leaving_the_block_stops_the_child() -> None:
    with Child("config") as child:
        pass
    assert child.exit_code() is not None


def test_waiting_ends_when_asked_to(serving: ServeProcess) -> None:
    stop = threading.Event()
    stop.set()
    await_end(stop, serving.child)


def test_waiting_fails_when_a_child_ends_on_its_own(serving: ServeProcess) -> None:
    serving.child.stop()
    with pytest.raises(ProcessFailed, match="ended on its own with code 0"):
        await_end(threading.Event(), serving.child)
