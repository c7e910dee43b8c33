"""The `ragvigil` command: finds the installed commands, loads the one that was asked for and runs it."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points, version

from ragvigil.commands import GROUP, Command

MISSING_EXTRA_STATUS = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 on success, 2 when the arguments are wrong or an extra is missing."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    available = {entry.name: entry for entry in entry_points(group=GROUP)}
    loaded = _load(arguments, available)
    parsed = _parser(loaded).parse_args(arguments)
    return _run(parsed.command, loaded[parsed.command], parsed)


def _load(arguments: Sequence[str], available: Mapping[str, EntryPoint]) -> dict[str, Command]:
    """Load the command that was asked for, or all of them for the overview."""
    asked_for = next((word for word in arguments if not word.startswith("-")), None)
    names = [asked_for] if asked_for in available else sorted(available)
    return {name: available[name].load() for name in names if name is not None}


def _parser(commands: Mapping[str, Command]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ragvigil", description="Watches RAG systems in production.")
    parser.add_argument("--version", action="version", version=f"ragvigil {version('ragvigil')}")
    chosen = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in commands.items():
        command.configure(chosen.add_parser(name, help=command.help, description=command.help))
    return parser


def _run(name: str, command: Command, parsed: argparse.Namespace) -> int:
    try:
        return command.run(parsed)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0].startswith("ragvigil"):
            raise
        sys.stderr.write(
            f"`ragvigil {name}` needs the {command.extra} extra: pip install 'ragvigil[{command.extra}]' "
            f"({missing.name} is not installed)\n"
        )
        return MISSING_EXTRA_STATUS
