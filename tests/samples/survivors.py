"""What a database holds that was killed, and what became of its backups."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.samples.rows_of import rows_of

from ragvigil_monitor.backup.asking import Source
from ragvigil_monitor.backup.taking import Order, take
from ragvigil_monitor.errors import MonitorError
from ragvigil_monitor.service import utc_now
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store.copying import check_backup

SPANS = 6
"""Of each answer."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What a file holds: how often each answer, how many spans of each, how many were counted as stored."""

    answers: Counter[int]
    spans: Counter[bytes]
    counted: int

    @classmethod
    def of(cls, file: Path) -> "Stored":
        """Read it past everything of ours."""
        rows = rows_of(file)
        answers = Counter(int(row[2].removeprefix("answer-")) for row in rows["answers"])
        counted = sum(row[3] for row in rows["ingest_counts"] if row[2] == "spans_committed")
        return cls(answers, Counter(row[0] for row in rows["spans"]), counted)

    @property
    def is_sound(self) -> bool:
        """Each answer once with all of its spans, as many as were counted."""
        return (
            set(self.answers.values()) <= {1}
            and set(self.spans.values()) <= {SPANS}
            and len(self.spans) == len(self.answers)
            and self.counted == self.spans.total()
        )


@dataclass(slots=True)
class Backups:
    """What became of the backups that were under way when a service was killed.

    missed: the service was gone before it was asked. while_copied, while_received: interrupted before or after the
    first byte came.
    """

    taken: int = 0
    missed: int = 0
    while_copied: int = 0
    while_received: int = 0
    half: int = 0
    incomplete: int = 0

    @property
    def interrupted(self) -> int:
        """How many kills came in the middle of one."""
        return self.while_copied + self.while_received

    def take(self, target: Path, source: Source, acknowledged: set[int]) -> None:
        """Take one; a file that is there afterwards must be whole, and hold what was acknowledged already."""
        received = list[int]()
        try:
            take(Order(target, source), Settings.load(), utc_now(), lambda now, _: received.append(now))
        except MonitorError as failure:
            self._count(failure, is_received=bool(received))
            self.half += target.exists()
            return
        self.taken += 1
        self._judge(target, acknowledged)

    def _count(self, failure: MonitorError, *, is_received: bool) -> None:
        if isinstance(failure.__cause__, httpx.ConnectError):
            self.missed += 1
        elif is_received:
            self.while_received += 1
        else:
            self.while_copied += 1

    def _judge(self, target: Path, acknowledged: set[int]) -> None:
        try:
            check_backup(target)
        except MonitorError:
            self.half += 1
            return
        self.incomplete += not acknowledged <= Stored.of(target).answers.keys()
        target.unlink()
