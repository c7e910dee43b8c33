"""A note beside a database that says which service has it open, for whoever meets its lock.

The lock is what counts; a note that a killed service left behind is believed only where the lock names its process.
"""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

NOTE_END: Final = ".serving.json"
_MAX_NOTE_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that serves a database. since: when it began, ISO 8601 in UTC. address: where it listens."""

    pid: int
    host: str
    since: str
    address: str

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, which has served it at {self.address} since {self.since}"


def note_path(database: Path) -> Path:
    """Where the note of a database lies: beside the file itself, also where it is reached by a link."""
    real = Path(os.path.realpath(database))
    return real.with_name(real.name + NOTE_END)


@contextmanager
def noted(database: Path, address: str, now: datetime) -> Iterator[None]:
    """Keep the note of this process there until the block ends; without it others know less, and nothing else."""
    path = note_path(database)
    holder = Holder(os.getpid(), socket.gethostname(), f"{now:%Y-%m-%d %H:%M:%S} UTC", address)
    with suppress(OSError):
        path.write_text(json.dumps(asdict(holder)), encoding="utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()


def noted_holder(database: Path) -> Holder | None:
    """Who last noted that it serves a database; None where nobody did, or nobody can read what is there."""
    try:
        with note_path(database).open("rb") as file:
            found = Holder(**json.loads(file.read(_MAX_NOTE_BYTES)))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    kinds = (int, str, str, str)
    given = (found.pid, found.host, found.since, found.address)
    return found if all(isinstance(value, kind) for value, kind in zip(given, kinds, strict=True)) else None
