"""The two stores of a measurement: built for it, or kept from an earlier one."""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks._large_store import build


@dataclass(frozen=True, slots=True)
class Stores:
    """end: of their data. building_s: of the large one."""

    large: Path
    small: Path
    end: datetime
    building_s: float


@dataclass(frozen=True, slots=True)
class _Built:
    end: str
    building_s: float


@contextmanager
def stores(kept: Path | None, *, answers: int, days: tuple[int, int]) -> Iterator[Stores]:
    """Two stores with the same traffic an hour, to be written to; the first holds so many answers.

    kept: a folder where those that were built stay as they are, and a copy is measured. Of the space of the large one,
    twice as much is needed then.
    """
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept) as made:
        if kept is None:
            yield _built(Path(made), answers, days)
            return
        found = _built(kept / f"{answers}-answers", answers, days)
        copies = [Path(shutil.copy(file, made)) for file in (found.large, found.small)]
        yield Stores(copies[0], copies[1], found.end, found.building_s)


def _built(folder: Path, answers: int, days: tuple[int, int]) -> Stores:
    """What is in the folder, whole; else built there. What was left half-built is built anew."""
    folder.mkdir(parents=True, exist_ok=True)
    large, small, noted = (folder / name for name in ("large.duckdb", "small.duckdb", "built.json"))
    if not noted.exists():
        end = datetime.now(UTC).replace(second=0, microsecond=0)
        began_s = time.monotonic()
        _build(large, answers, days[0], end)
        building_s = time.monotonic() - began_s
        _build(small, answers * days[1] // days[0], days[1], end)
        noted.write_text(json.dumps(asdict(_Built(end.isoformat(), building_s))), encoding="utf-8")
    built = _Built(**json.loads(noted.read_text(encoding="utf-8")))
    return Stores(large, small, datetime.fromisoformat(built.end), built.building_s)


def _build(path: Path, answers: int, days: int, end: datetime) -> None:
    for half in (path, path.with_name(path.name + ".wal")):
        half.unlink(missing_ok=True)
    build(path, answers=answers, days=days, end=end)
