"""Long bodies are decoded in a process of their own, beside the interpreter lock that commits, pages and jobs share."""

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from ragvigil_monitor.errors import Overloaded

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


def process_pool() -> Executor:
    """A pool of one process, which has been begun; raises OSError or NotImplementedError where none can be."""
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _end_only_with_parent)
    pool.submit(int)
    return pool


class DecodeProcess:
    """One process, begun with the first body; it ends with this one, however this one ends. For one event loop only.

    Where none can be begun, a thread takes its place.
    """

    def __init__(self, begin: Callable[[], Executor] = process_pool) -> None:
        self._begin = begin
        self._pool: Executor | None = None

    async def read(self, read: Callable[[bytes], Result], body: bytes) -> Result:
        """What `read` makes of a body there, and what it raises; both travel as pickles.

        Raises Overloaded when the process was killed meanwhile; the next body begins another one.
        """
        pool = self._pool = self._pool or self._begun()
        try:
            return await asyncio.wrap_future(pool.submit(read, body))
        except BrokenProcessPool as broken:
            if self._pool is pool:
                logger.warning("The process that decodes long bodies was killed; the next one begins another.")
                self._pool = None
            raise Overloaded("The request was not decoded, since its process was killed; send it again.") from broken

    def close(self) -> None:
        """Finish what was begun and end the process."""
        if self._pool is not None:
            self._pool.shutdown()

    def _begun(self) -> Executor:
        try:
            return self._begin()
        except (OSError, NotImplementedError) as failure:
            logger.warning("Long bodies are decoded in a thread, since no process can be begun: %s", failure)
            return ThreadPoolExecutor(1, thread_name_prefix="ragvigil-decode-long")


def _end_only_with_parent() -> None:
    """Leave to the service the signals that a terminal or supervisor sends to both, and end when it is gone."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)
