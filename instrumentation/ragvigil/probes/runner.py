"""Runs probes in the background, one at a time, so that they never compete with each other for the index."""

import threading
from collections import deque
from typing import Final

from ragvigil.background import started
from ragvigil.counts import Counters
from ragvigil.guard import GUARD
from ragvigil.probes.probe import Probe

_CANCEL_S: Final = 0.5
"""How long a cancelled probe may take to end before it counts as one that hangs."""


class ProbeRunner:
    """At most `max_waiting` probes wait; more are dropped and counted. Its threads start with the first probe.

    A probe that takes longer than `timeout_s` is cancelled, where it can be. One that cannot be keeps its thread, and
    nothing else runs until it ends: a database that hangs is not asked again and again.
    """

    def __init__(self, counters: Counters, max_waiting: int, timeout_s: float) -> None:
        self._counters = counters
        self._max_waiting = max_waiting
        self._timeout_s = timeout_s
        self._waiting: deque[Probe] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_busy = False
        self._is_hung = False
        self._is_stopped = False

    def submit(self, probe: Probe) -> None:
        """Take a probe, or drop it; never waits."""
        with self._changed:
            if self._is_stopped or len(self._waiting) >= self._max_waiting:
                self._counters.add_probe("dropped")
                return
            self._waiting.append(probe)
            if self._thread is None:
                self._thread = started(self._run, "ragvigil-probes")
            self._changed.notify_all()

    def wait(self, timeout_s: float) -> bool:
        """Wait until no probe waits or runs; False when the time is over first, or as soon as one hangs."""
        with self._changed:
            if self._thread is None:
                return self._is_idle()
            self._changed.wait_for(lambda: self._is_hung or self._is_idle(), timeout_s)
            return self._is_idle()

    def stop(self) -> None:
        """Drop what waits, counted, and run nothing more; does not wait for the one that runs."""
        with self._changed:
            self._is_stopped = True
            while self._waiting:
                self._waiting.popleft()
                self._counters.add_probe("dropped")
            self._changed.notify_all()

    def _is_idle(self) -> bool:
        return not self._waiting and not self._is_busy

    def _run(self) -> None:
        while self._run_next():
            pass

    def _run_next(self) -> bool:
        """Wait for a probe and run it; False at the end. Keeps no probe, nor its arguments, while there is none."""
        probe = self._next()
        if probe is not None:
            with GUARD:
                self._supervise(probe)
        return probe is not None

    def _next(self) -> Probe | None:
        with self._changed:
            self._is_busy = self._is_hung = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or self._is_stopped)
            if self._is_stopped:
                return None
            self._is_busy = True
            return self._waiting.popleft()

    def _supervise(self, probe: Probe) -> None:
        """Run one probe in a thread of its own, and count what became of it."""
        failures: list[BaseException] = []
        thread = started(lambda: _attempt(probe, failures), "ragvigil-probe")
        if thread is None:
            self._counters.add_probe("dropped")
            return
        thread.join(self._timeout_s)
        if thread.is_alive():
            self._counters.add_probe("timed_out")
            GUARD.report(f"a probe took longer than {self._timeout_s:g} s")
            self._give_up(probe, thread)
        elif failures:
            self._counters.add_probe("failed")
            GUARD.report(f"a probe failed: {type(failures[0]).__name__}")
        else:
            self._counters.add_probe("run")

    def _give_up(self, probe: Probe, thread: threading.Thread) -> None:
        probe.cancel()
        thread.join(_CANCEL_S)
        if thread.is_alive():
            with self._changed:
                self._is_hung = True
                self._changed.notify_all()
            thread.join()


def _attempt(probe: Probe, failures: list[BaseException]) -> None:
    try:
        probe.run()
    except BaseException as failure:  # noqa: BLE001 - the application's search may raise anything, and it ends here
        failures.append(failure)
