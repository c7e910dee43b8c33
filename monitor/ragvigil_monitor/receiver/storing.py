"""Batches from files into the store: submitted in groups, and each on its own where no table takes a group."""

from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from ragvigil_monitor.errors import Overloaded, StoreUnavailable
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.service import Service

GROUP_ROWS: Final = 2000
"""Batches are submitted together until they have so many rows: a commit costs about as much as 200 spans."""
GROUP_BATCHES: Final = 2000


@dataclass(frozen=True, slots=True)
class _Group:
    """Batches that were submitted as one."""

    parts: list[Batch]
    done: Future[None]


class Storing:
    """Hands batches to the committer in groups; `finish` waits for them all.

    depth: so many groups wait for their commit at once, while the next is decoded. With one, each is submitted when the
    one before is on disk, so that a position is stored only with everything before it.
    """

    def __init__(self, service: Service, depth: int) -> None:
        self._service = service
        self._depth = depth
        self._parts: list[Batch] = []
        self._rows = 0
        self._waiting: deque[_Group] = deque()

    def add(self, part: Batch) -> None:
        """Take one more batch; raises StoreUnavailable and Overloaded."""
        self._parts.append(part)
        self._rows += part.rows()
        if self._rows >= GROUP_ROWS or len(self._parts) >= GROUP_BATCHES:
            self._close_group()

    def finish(self) -> None:
        """Wait until everything is committed; raises StoreUnavailable and Overloaded."""
        self._close_group()
        while self._waiting:
            self._settle_oldest()

    def _close_group(self) -> None:
        parts, self._parts, self._rows = self._parts, [], 0
        if not parts:
            return
        while len(self._waiting) >= self._depth:
            self._settle_oldest()
        self._waiting.append(self._submitted(parts))

    def _submitted(self, parts: list[Batch]) -> _Group:
        """Where the committer takes no more, room is made by waiting for what is ours of it."""
        together = Batch()
        for part in parts:
            together.add(part)
        while True:
            try:
                return _Group(parts, self._service.committer.submit(together, is_divisible=len(parts) > 1))
            except Overloaded:
                if not self._waiting:
                    raise
                self._settle_oldest()

    def _settle_oldest(self) -> None:
        self._settle(self._waiting.popleft())

    def _settle(self, group: _Group) -> None:
        """Wait until a group is committed; of one that no table takes, each batch on its own, in order."""
        failure = group.done.exception()
        if isinstance(failure, StoreUnavailable):
            raise failure
        if failure is None:
            for part in group.parts:
                self._service.forward(part.picked)
        else:
            for part in _apart(group.parts):
                self._settle(self._submitted([part]))


def _apart(parts: list[Batch]) -> list[Batch]:
    """What to try next; of a batch alone, which the committer has counted, only the position that it leaves behind."""
    if len(parts) > 1:
        return parts
    positions = parts[0].positions
    return [Batch(positions=positions)] if positions and parts[0].rows() else []
