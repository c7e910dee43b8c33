"""`ragvigil config`: print every setting with its meaning, or check a file."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ragvigil.commands import Command


def configure(parser: ArgumentParser) -> None:
    """Add `--check FILE`."""
    parser.add_argument("--check", metavar="FILE", type=Path, help="say whether FILE is a valid configuration")


def run(args: Namespace) -> int:
    """Print the explained defaults, or check the file: 0 valid, 1 not."""
    return _print() if args.check is None else _check(args.check)


def _print() -> int:
    from ragvigil_monitor.settings_text import explained

    sys.stdout.write(explained())
    return 0


def _check(file: Path) -> int:
    from ragvigil_monitor.errors import ConfigurationError
    from ragvigil_monitor.settings import Settings

    try:
        Settings.load(file)
    except ConfigurationError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"{file} is valid.")
    return 0


command = Command("print every setting with its default and meaning, or check a file", configure, run)
