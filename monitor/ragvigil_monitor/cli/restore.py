"""`ragvigil restore`: put a backup where a database is to be."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ragvigil.commands import Command


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("backup", metavar="BACKUP", type=Path, help="a file that `ragvigil backup` wrote")
    parser.add_argument("--db", metavar="PATH", type=Path, required=True, help="where the database is to be")


def run(args: Namespace) -> int:
    """Restore and say what: 0; 1, with the reason on stderr, when nothing was changed."""
    from ragvigil_monitor.backup.restoring import restore
    from ragvigil_monitor.backup.words import contents
    from ragvigil_monitor.errors import MonitorError
    from ragvigil_monitor.keys import keys_path
    from ragvigil_monitor.service import utc_now

    try:
        restored = restore(args.backup, args.db, utc_now())
    except MonitorError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"{args.db}: {contents(restored.manifest)}.")
    if restored.set_aside is not None:
        print(f"What was there before is now {restored.set_aside}.")
    if not keys_path(args.db).exists():
        print(
            f"There is no {keys_path(args.db)}: `ragvigil serve` will write new keys. Copy the old file to keep them."
        )
    return 0


command = Command("put a backup where a database is to be; what is there is moved aside", configure, run)
