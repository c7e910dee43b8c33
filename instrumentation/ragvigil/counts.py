"""What became of every span that the process began."""

import itertools
import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Cumulative numbers of spans of one process: begun, acknowledged by a receiver, kept on disk, lost."""

    started: int = 0
    exported: int = 0
    spooled: int = 0
    dropped: int = 0


class Counters:
    """The counters behind `Counts`; safe in threads and in finalizers, hence the reentrant lock."""

    __slots__ = ("_dropped", "_exported", "_lock", "_reads", "add_started")

    def __init__(self) -> None:
        # Counts a start in one step of C, without the lock; to read it is to count too, so reads are subtracted.
        self.add_started = itertools.count().__next__
        self._reads = 0
        self._lock = threading.RLock()
        self._exported = 0
        self._dropped = 0

    def add_exported(self, spans: int) -> None:
        """A receiver acknowledged `spans` more."""
        with self._lock:
            self._exported += spans

    def add_dropped(self, spans: int) -> None:
        """`spans` more are lost."""
        with self._lock:
            self._dropped += spans

    def read(self) -> Counts:
        """The numbers now."""
        with self._lock:
            started = self.add_started() - self._reads
            self._reads += 1
            return Counts(started=started, exported=self._exported, dropped=self._dropped)
