"""How many requests and bytes are inside at once, and that long bodies hold up no short ones."""

import asyncio
import threading

import pytest

from ragvigil_monitor.errors import Overloaded
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


async def test_a_short_body_is_read_while_a_long_one_is() -> None:
    intake, read = Intake(10, 1 << 30), threading.Event()

    def read_long(body: bytes) -> int:
        assert read.wait(30)
        return len(body)

    long = asyncio.create_task(intake.decode(lambda: bytes(LONG_BYTES), read_long))
    assert await asyncio.wait_for(intake.decode(lambda: b"short", len), 30) == 5
    read.set()
    assert await long == LONG_BYTES
    intake.close()


async def test_what_goes_wrong_comes_to_whoever_waits() -> None:
    intake = Intake(10, 100)
    for length in (1, LONG_BYTES):
        with pytest.raises(ZeroDivisionError):
            await intake.decode(lambda length=length: bytes(length), lambda _body: 1 // 0)  # type: ignore[misc]
    intake.close()
