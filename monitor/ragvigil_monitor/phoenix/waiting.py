"""Requests that wait for Phoenix: bounded by number and bytes, the oldest dropped first, every span counted."""

import threading
from collections import deque
from dataclasses import dataclass

from ragvigil_monitor.phoenix.picking import Picked


@dataclass(frozen=True, slots=True)
class ForwardCounts:
    """What became of spans that were picked for Phoenix; together they are all of them.

    forwarded: Phoenix has taken them. dropped: there was no room for them, or no time. refused: Phoenix does not
    want them.
    """

    forwarded: int = 0
    waiting: int = 0
    dropped: int = 0
    refused: int = 0


class Waiting:
    """Filled from many threads, none of which waits, and emptied by one.

    The request that was taken last is under way until `settle` or `give_back`: it is counted as waiting, and makes no
    room for others.
    """

    def __init__(self, max_requests: int, max_bytes: int) -> None:
        self._max_requests = max_requests
        self._max_bytes = max_bytes
        self._requests: deque[Picked] = deque()
        self._size = 0
        self._under_way: Picked | None = None
        self._forwarded = self._dropped = self._refused = 0
        self._is_stopping = self._is_closed = False
        self._changed = threading.Condition()

    def put(self, picked: Picked) -> None:
        """Add a request; what does not fit any more is dropped, the oldest first. After `close` all of it is."""
        with self._changed:
            self._append(picked)
            self._changed.notify_all()

    def take(self) -> Picked | None:
        """Wait for the oldest request; None when nothing waits after `stop`."""
        with self._changed:
            self._changed.wait_for(lambda: self._requests or self._is_stopping)
            if not self._requests:
                return None
            self._under_way = self._requests.popleft()
            self._size -= len(self._under_way.body)
            return self._under_way

    def settle(self, *, forwarded: int = 0, dropped: int = 0, refused: int = 0) -> None:
        """Count what became of the request that is under way; after `close` it has been counted already."""
        with self._changed:
            if self._under_way is not None:
                self._forwarded += forwarded
                self._dropped += dropped
                self._refused += refused
                self._under_way = None

    def give_back(self, picked: Picked) -> None:
        """Let what is under way wait again, behind all others; after `close` it has been counted already."""
        with self._changed:
            if self._under_way is not None:
                self._under_way = None
                self._append(picked)

    def pause(self, wait_s: float) -> bool:
        """Wait so long, or until `stop`; whether there is still time after that."""
        with self._changed:
            return not self._changed.wait_for(lambda: self._is_stopping, wait_s)

    def stop(self) -> None:
        """Let no pause last any longer; what waits can still be taken."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()

    def close(self) -> None:
        """Drop what waits, what is under way too, and everything that still comes."""
        with self._changed:
            self._is_closed = True
            while self._requests:
                self._drop_oldest()
            if self._under_way is not None:
                self._dropped += self._under_way.spans
                self._under_way = None

    def counts(self) -> ForwardCounts:
        """What became of the spans so far."""
        with self._changed:
            under_way = self._under_way.spans if self._under_way is not None else 0
            waiting = under_way + sum(picked.spans for picked in self._requests)
            return ForwardCounts(self._forwarded, waiting, self._dropped, self._refused)

    def _append(self, picked: Picked) -> None:
        self._requests.append(picked)
        self._size += len(picked.body)
        while self._requests and (self._is_closed or self._is_too_much()):
            self._drop_oldest()

    def _is_too_much(self) -> bool:
        return len(self._requests) > self._max_requests or self._size > self._max_bytes

    def _drop_oldest(self) -> None:
        oldest = self._requests.popleft()
        self._size -= len(oldest.body)
        self._dropped += oldest.spans
