"""How requests come in: a bounded number at once, decoded one after the other off the event loop."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from ragvigil_monitor.errors import Overloaded

Result = TypeVar("Result")


class Intake:
    """One decode thread, and a limit on the requests that are inside at once.

    More threads do not help: decoding holds the interpreter lock.
    """

    def __init__(self, max_waiting: int) -> None:
        self._max_waiting = max_waiting
        self._inside = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ragvigil-decode")

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Count a request while it is inside; raise Overloaded when `max_waiting` are. For the event loop only."""
        if self._inside >= self._max_waiting:
            raise Overloaded(f"{self._max_waiting} requests wait to be stored already; send this again later.")
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    async def decode(self, work: Callable[[], Result]) -> Result:
        """Do the work in the decode thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """Finish what was begun and end the thread."""
        self._thread.shutdown()
