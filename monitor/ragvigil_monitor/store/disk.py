"""The disk under the store: how much is free, and whether anything may be written."""

import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from ragvigil_monitor.errors import StoreUnavailable

UNWRITABLE: Final = "store"
"""The part that does not work when nothing can be written."""
LOW: Final = "disk space"
"""The part that is short when something can."""

_HOLD_S: Final = 60.0
"""A small write may succeed where a large one did not: a refusal counts so long, unless the space says otherwise."""
_EASED: Final = 1.1
"""A shortage ends when so many times the limit is free, lest it come and go."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong, when that was seen first, and what to do."""

    part: str
    since: datetime
    detail: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Below `stop_bytes` of free space nothing is written any more, below `warn_bytes` people are told; 0: never."""

    stop_bytes: int = 0
    warn_bytes: int = 0


def free_bytes(file: Path) -> int:
    """What an ordinary user may still write on the disk of a file that need not be there yet."""
    return shutil.disk_usage(file.parent).free


class Disk:
    """Watches the disk of one database. file: not a link; None in memory, where nothing is ever short."""

    def __init__(
        self,
        file: Path | None,
        limits: Limits,
        free: Callable[[Path], int] = free_bytes,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._file = file
        self._limits = limits
        self._free = free
        self._monotonic_s = monotonic_s
        self._refused: str | None = None
        self._refused_s = 0.0
        self._known: dict[str, Trouble] = {}
        self._lock = threading.Lock()

    def free_bytes(self) -> int | None:
        """How much is free; None in memory, and where the system does not say."""
        if self._file is None:
            return None
        try:
            return self._free(self._file)
        except OSError:
            return None

    def require_room(self) -> None:
        """Raise StoreUnavailable where so little is free that DuckDB could not put its log into the file.

        A checkpoint that does not fit is fatal to the running database, so nothing is written long before.
        """
        free = self.free_bytes()
        if free is not None and free < self._stop_bytes():
            raise StoreUnavailable(self._stopped(free))

    def note(self, failure: str | None) -> None:
        """Told how each transaction ended; None: well."""
        with self._lock:
            if failure is not None:
                self._refused, self._refused_s = failure, self._monotonic_s()
            elif self._refused is not None and self._monotonic_s() - self._refused_s >= _HOLD_S:
                self._refused = None

    def stored_telemetry(self) -> None:
        """Told when telemetry was stored, than which nothing larger is written."""
        with self._lock:
            self._refused = None

    def troubles(self, now: datetime) -> list[Trouble]:
        """What is wrong at `now`, each since it was first seen here."""
        with self._lock:
            found = self._found()
            self._known = {part: self._trouble(part, detail, now) for part, detail in found.items()}
            return list(self._known.values())

    def _trouble(self, part: str, detail: str, now: datetime) -> Trouble:
        known = self._known.get(part)
        return Trouble(part, now if known is None else known.since, detail)

    def _found(self) -> Mapping[str, str]:
        free, found = self.free_bytes(), {}
        if free is not None and free < self._stop_bytes() * self._ease(UNWRITABLE):
            found[UNWRITABLE] = self._stopped(free)
        elif self._refused is not None:
            found[UNWRITABLE] = self._refused
        if free is not None and free < self._limits.warn_bytes * self._ease(LOW):
            found[LOW] = self._short(free)
        return found

    def _ease(self, part: str) -> float:
        return _EASED if part in self._known else 1.0

    def _stop_bytes(self) -> int:
        """The limit, and room for a checkpoint of the log as it is."""
        if self._file is None or not self._limits.stop_bytes:
            return 0
        log = self._file.with_name(self._file.name + ".wal")
        try:
            return self._limits.stop_bytes + log.stat().st_size
        except FileNotFoundError:
            return self._limits.stop_bytes

    def _stopped(self, free: int) -> str:
        return (
            f"Nothing is stored: the disk of {self._file} has {free / 1e6:,.1f} MB left, and below "
            f"{self._stop_bytes() / 1e6:,.1f} MB nothing is written, so that what is there stays whole. "
            "Free some space; it goes on by itself."
        )

    def _short(self, free: int) -> str:
        return (
            f"The disk of {self._file} has {free / 1e6:,.1f} MB left; below {self._stop_bytes() / 1e6:,.1f} MB "
            "nothing is stored any more."
        )
