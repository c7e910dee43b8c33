"""`python -m tests.benchmarks [NAME …]`: run every measurement, or these; print figures, and put them beside aims."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks._aims import compared

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LARGE = {"queries.py": ["--answers", "10000000"]}
"""What makes a measurement as large as its aim; without it each is quick."""
WITH_PHOENIX = {"ingest.py": ["--phoenix"]}
"""What needs `make setup-phoenix`."""


def main(names: Sequence[str] = (), folder: Path = HERE) -> int:
    """Run files of a folder with `--json`, each whatever became of the others; 1 unless all ended well.

    One that ends well without figures lacks what it compares with, and has said so.
    """
    ended_badly, lines = [], []
    for file in _measurements(folder):
        if names and file.stem not in names:
            continue
        print(f"# {file.stem}", flush=True)
        exit_code, found = _run(file)
        ended_badly += [file.stem] if exit_code else []
        lines += (
            [f"{file.stem}: {line}" for line in compared(file.stem, found)] if found else [f"{file.stem}: no figures"]
        )
    print("\n".join(["# beside their aims", *lines]))
    if ended_badly:
        print("Did not end well: " + ", ".join(ended_badly), file=sys.stderr)
    return bool(ended_badly)


def _measurements(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*.py") if not file.name.startswith("_"))


def _run(file: Path) -> tuple[int, dict[str, Any] | None]:
    """The exit code, and the figures where there are any."""
    phoenix = WITH_PHOENIX.get(file.name, []) if (ROOT / ".venv-phoenix").exists() else []
    command = [sys.executable, str(file), "--json", *LARGE.get(file.name, []), *phoenix]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace") as running:
        text = running.stdout.read() if running.stdout is not None else ""
    print(text, end="", flush=True)
    return running.returncode, _figures(text)


def _figures(text: str) -> dict[str, Any] | None:
    """The last line that is a JSON object."""
    for line in reversed(text.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
