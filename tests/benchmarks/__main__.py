"""`python -m tests.benchmarks`: run every measurement and print its figures as JSON."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LARGE = {"queries.py": ["--answers", "10000000"]}
"""What makes a measurement as large as its aim; without it each is quick."""


def main() -> int:
    """Run each file of this folder with `--json`; the exit code says whether all of them finished."""
    failed = [file.name for file in _measurements() if not _finishes(file)]
    if failed:
        print("Did not finish: " + ", ".join(failed), file=sys.stderr)
    return bool(failed)


def _measurements() -> list[Path]:
    return sorted(file for file in HERE.glob("*.py") if not file.name.startswith("_"))


def _finishes(file: Path) -> bool:
    print(f"# {file.stem}", flush=True)
    return subprocess.run([sys.executable, str(file), "--json", *LARGE.get(file.name, [])], check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
