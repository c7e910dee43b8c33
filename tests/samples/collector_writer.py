"""Writes lines as a Collector does, in pieces of any size, until it is killed: FOLDER, number of the run, seed."""

import random
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.samples.collector_files import json_line
from tests.samples.otlp import rag_trace, traces

LINES_A_FILE = 20
MOST_LINES = 2000


def main(folder: Path, run: int, chance: random.Random) -> None:
    """Append to what an earlier run left, or rotate it away; then write, and rotate now and then."""
    current = folder / "otel.json"
    if chance.random() < 0.5:
        rotate(current, f"{run}-start")
    print("ready", flush=True)
    for written in range(MOST_LINES):
        if written and written % LINES_A_FILE == 0:
            rotate(current, f"{run}-{written}")
        number = run * 100_000 + written
        append(current, json_line(traces(*rag_trace(number, started_at=datetime.now(UTC)))), chance)


def append(path: Path, line: bytes, chance: random.Random) -> None:
    """Write a line in pieces, so that a kill may leave the half of it."""
    with path.open("ab", buffering=0) as file:
        while line:
            length = chance.choice([1, 100, 4096, len(line)])
            file.write(line[:length])
            line = line[length:]


def rotate(path: Path, name: str) -> None:
    """Put the present file aside under another name."""
    if path.exists():
        path.rename(path.with_name(f"otel-{name}.json"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), random.Random(sys.argv[3]))
