"""How requests come in: bounded in number and bytes, decoded off the event loop, short ones beside long ones."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

from ragvigil_monitor.errors import Overloaded
from ragvigil_monitor.receiver.decode_process import DecodeProcess

Result = TypeVar("Result")
LONG_BYTES: Final = 256 << 10
"""A body from here on is decoded in the process for long ones."""


class Room:
    """What one request takes of the bytes that all may take together; safe to use from many threads."""

    def __init__(self, intake: "Intake") -> None:
        self._intake = intake
        self.taken_bytes = 0

    def take(self, more_bytes: int) -> None:
        """Take some more until the request is done; raise Overloaded when there is no room for it."""
        self._intake.reserve(more_bytes)
        self.taken_bytes += more_bytes


class Intake:
    """Limits on the requests that are inside at once; a thread that decodes short ones, and a process for long ones.

    A long body may take seconds, in which nothing else shall wait for the interpreter lock. A short one is decoded
    before another process has it.
    """

    def __init__(self, max_waiting: int, max_bytes: int) -> None:
        self._max_waiting = max_waiting
        self._max_bytes = max_bytes
        self._inside = 0
        self._bytes = 0
        self._lock = threading.Lock()
        self._short = ThreadPoolExecutor(1, thread_name_prefix="ragvigil-decode")
        self._long = DecodeProcess()

    @property
    def requests_inside(self) -> int:
        """How many requests are inside."""
        return self._inside

    @property
    def bytes_inside(self) -> int:
        """What they have taken together."""
        return self._bytes

    @property
    def is_full(self) -> bool:
        """Whether the next request would be sent away."""
        return self._inside >= self._max_waiting or self._bytes >= self._max_bytes

    @contextmanager
    def admitted(self) -> Iterator[Room]:
        """Count a request while it is inside; raise Overloaded when `max_waiting` are. For the event loop only."""
        if self._inside >= self._max_waiting:
            raise Overloaded(f"{self._max_waiting} requests wait to be stored already; send this again later.")
        self._inside += 1
        room = Room(self)
        try:
            yield room
        finally:
            self._inside -= 1
            self._release(room.taken_bytes)

    def reserve(self, more_bytes: int) -> None:
        """Take bytes; raise Overloaded when all requests together would have more than `max_bytes`."""
        with self._lock:
            if self._bytes + more_bytes > self._max_bytes:
                raise Overloaded(f"Requests of {self._bytes:,} bytes are inside already; send this again later.")
            self._bytes += more_bytes

    async def decode(self, unpack: Callable[[], bytes], read: Callable[[bytes], Result]) -> Result:
        """Unpack a body and read it: a short one in one turn of its thread, a long one where it holds nobody up.

        What reads a long one must be picklable, and what it returns.
        """

        def unpack_and_read_short() -> tuple[bytes, Result | None]:
            body = unpack()
            return (body, None) if len(body) >= LONG_BYTES else (b"", read(body))

        loop = asyncio.get_running_loop()
        body, found = await loop.run_in_executor(self._short, unpack_and_read_short)
        return found if found is not None else await self._long.read(read, body)

    def close(self) -> None:
        """Finish what was begun and end thread and process."""
        self._short.shutdown()
        self._long.close()

    def _release(self, fewer_bytes: int) -> None:
        with self._lock:
            self._bytes -= fewer_bytes
