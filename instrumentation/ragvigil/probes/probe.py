"""One probe: a prepared search that runs where the application's own searches run."""

import contextvars
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio


class Probe(Protocol):
    """A search that waits for its turn."""

    def run(self) -> None:
        """Search; returns when that is done, and raises what it raises."""
        ...

    def cancel(self) -> None:
        """Stop searching, where that is possible; called from another thread."""
        ...


class ThreadProbe:
    """A plain function, run in a thread of the probes; Python cannot stop it.

    It has the context variables of the call that it probes, which may say who asks.
    """

    def __init__(self, search: Callable[[], object]) -> None:
        self._search = search
        self._context = contextvars.copy_context()

    def run(self) -> None:
        """Search."""
        self._context.run(self._search)

    def cancel(self) -> None:
        """Do nothing: the thread stays occupied until the search returns."""


class LoopProbe:
    """A coroutine function, run as a task in the event loop of the call that it probes, with its context variables.

    Not in a loop of its own: clients belong to a loop, and a connection opened by another one would end up in a pool
    that the application shares.
    """

    def __init__(self, search: Callable[[], Coroutine[Any, Any, object]], loop: "asyncio.AbstractEventLoop") -> None:
        self._search = search
        self._context = contextvars.copy_context()
        self._loop = loop
        self._ended = threading.Event()
        self._failure: BaseException | None = None
        self._task: asyncio.Task[object] | None = None

    def run(self) -> None:
        """Search, and wait for it; raises RuntimeError when the loop is closed."""
        self._loop.call_soon_threadsafe(self._start, context=self._context)
        self._ended.wait()
        if self._failure is not None:
            raise self._failure

    def cancel(self) -> None:
        """Cancel the task, and wait for it no longer."""
        self._ended.set()
        with suppress(RuntimeError):  # the loop is closed, and the task with it
            self._loop.call_soon_threadsafe(self._cancel_task)

    def _start(self) -> None:
        if self._ended.is_set():
            return
        try:
            self._task = self._loop.create_task(self._search())
            self._task.add_done_callback(self._finish)
        except Exception as failure:  # noqa: BLE001 - whatever it is, it ends this probe and not the loop
            self._end(failure)

    def _cancel_task(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _finish(self, task: "asyncio.Task[object]") -> None:
        self._end(RuntimeError("its task was cancelled") if task.cancelled() else task.exception())

    def _end(self, failure: BaseException | None) -> None:
        self._failure = failure
        self._ended.set()
