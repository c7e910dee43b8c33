"""How many requests and bytes are inside at once, and that long bodies hold up no short ones."""

import asyncio
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import pytest
from tests.samples.process_tree import runs
from tests.samples.servers import wait_until

from ragvigil_monitor.errors import BadTelemetry, Overloaded
from ragvigil_monitor.receiver.decode_process import DecodeProcess
from ragvigil_monitor.receiver.intake import LONG_BYTES, Intake


def test_bytes_are_taken_until_there_is_no_room_and_given_back() -> None:
    intake = Intake(10, max_bytes=100)
    with intake.admitted() as first:
        first.take(60)
        with intake.admitted() as second:
            second.take(40)
            with pytest.raises(Overloaded, match="100 bytes are inside already"):
                second.take(1)
        first.take(40)
    with intake.admitted() as third:
        third.take(100)
    intake.close()


def test_requests_are_counted_until_they_are_done() -> None:
    intake = Intake(1, max_bytes=100)
    with intake.admitted(), pytest.raises(Overloaded, match="1 requests"), intake.admitted():
        pass
    with intake.admitted():
        pass
    intake.close()


def length_when_there(file: Path, body: bytes) -> int:
    wait_until(file.exists)
    return len(body)


def refuse(_body: bytes) -> int:
    raise BadTelemetry("too many", 413)


def killed(_body: bytes) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def interrupted(body: bytes) -> int:
    for each in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), each)
    return len(body)


def process_id(_body: bytes) -> int:
    return os.getpid()


@pytest.fixture
def intake() -> Iterator[Intake]:
    intake = Intake(10, 1 << 30)
    yield intake
    intake.close()


async def test_a_short_body_is_read_while_a_long_one_is(intake: Intake, tmp_path: Path) -> None:
    said = tmp_path / "go on"
    long = asyncio.create_task(intake.decode(lambda: bytes(LONG_BYTES), partial(length_when_there, said)))
    assert await asyncio.wait_for(intake.decode(lambda: b"short", len), 30) == 5
    said.touch()
    assert await long == LONG_BYTES


@pytest.mark.parametrize("length", [1, LONG_BYTES])
async def test_what_goes_wrong_comes_to_whoever_waits(intake: Intake, length: int) -> None:
    with pytest.raises(BadTelemetry, match="too many") as refused:
        await intake.decode(lambda: bytes(length), refuse)
    assert refused.value.status == 413


async def test_who_waits_for_a_process_that_is_killed_is_asked_to_send_again(intake: Intake) -> None:
    results = await asyncio.gather(
        *(intake.decode(lambda: bytes(LONG_BYTES), killed) for _ in range(3)), return_exceptions=True
    )
    assert [type(each) for each in results] == [Overloaded] * 3
    assert await intake.decode(lambda: bytes(LONG_BYTES), len) == LONG_BYTES


async def test_signals_that_a_terminal_sends_to_all_leave_it_at_work(intake: Intake) -> None:
    assert await intake.decode(lambda: bytes(LONG_BYTES), interrupted) == LONG_BYTES


async def test_one_process_reads_all_long_bodies_and_ends_with_the_intake() -> None:
    intake = Intake(10, 1 << 30)
    processes = {await intake.decode(lambda: bytes(LONG_BYTES), process_id) for _ in range(3)}
    assert len(processes) == 1
    assert os.getpid() not in processes
    intake.close()
    assert not runs(*processes)


def no_process() -> Executor:
    raise OSError("no semaphores here")


async def test_where_no_process_can_be_begun_a_thread_decodes_long_bodies(caplog: pytest.LogCaptureFixture) -> None:
    decode = DecodeProcess(no_process)
    assert [await decode.read(process_id, b"") for _ in range(2)] == [os.getpid()] * 2
    assert [record.getMessage() for record in caplog.records] == [
        "Long bodies are decoded in a thread, since no process can be begun: no semaphores here"
    ]
    decode.close()
