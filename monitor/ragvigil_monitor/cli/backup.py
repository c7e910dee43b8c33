"""`ragvigil backup`: the whole store as one file, whether a service has it open or not."""

import os
import signal
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragvigil.commands import Command

if TYPE_CHECKING:
    from ragvigil_monitor.backup.asking import Source


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("target", metavar="TARGET", type=Path, help="the file to write")
    parser.add_argument("--db", metavar="PATH", type=Path, help="the database file (default: ragvigil.duckdb)")
    parser.add_argument("--config", metavar="FILE", type=Path, help="settings of the service")
    parser.add_argument(
        "--api", metavar="URL", help="address of `ragvigil serve`, where it is not that of the settings"
    )
    parser.add_argument(
        "--key-file", metavar="F", type=Path, help="file that `ragvigil serve` wrote (default: RAGVIGIL_API_KEY)"
    )
    parser.add_argument("--force", action="store_true", help="replace TARGET if it exists; never a database")


def run(args: Namespace) -> int:
    """Write the backup and read it back: 0; 1, with the reason on stderr, when there is none."""
    from ragvigil_monitor.backup.files import megabytes
    from ragvigil_monitor.backup.taking import Order, take
    from ragvigil_monitor.backup.words import contents
    from ragvigil_monitor.errors import MonitorError
    from ragvigil_monitor.service import utc_now
    from ragvigil_monitor.settings import Settings

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # an ordered end takes the unfinished file along
    try:
        order = Order(args.target, _source(args), args.force)
        manifest = take(order, Settings.load(args.config, **_overrides(args)), utc_now(), _show)
    except MonitorError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"{args.target} ({megabytes(args.target.stat().st_size)}): {contents(manifest)}.")
    print("Read back: every block is sound, every table has the rows that it had.")
    return 0


def _overrides(args: Namespace) -> dict[str, Any]:
    return {} if args.db is None else {"store": {"path": args.db}}


def _source(args: Namespace) -> "Source | None":
    """The service that the arguments name; None leaves it to the settings."""
    from ragvigil_monitor.backup.asking import Source
    from ragvigil_monitor.errors import ConfigurationError
    from ragvigil_monitor.keys import Keys, Role

    if args.api is None:
        return None
    key = os.environ.get("RAGVIGIL_API_KEY") if args.key_file is None else Keys.read(args.key_file).by_role[Role.ADMIN]
    if not key:
        raise ConfigurationError("--api needs the admin key: give --key-file, or set RAGVIGIL_API_KEY.")
    return Source(args.api, key)


def _show(received: int, expected: int) -> None:
    """One line that grows, for people only."""
    if sys.stderr.isatty():
        end = "\n" if received >= expected else ""
        print(f"\r{received / 1e6:,.0f} of {expected / 1e6:,.0f} MB", end=end, file=sys.stderr, flush=True)


command = Command("write the whole store to one file, from a running service too", configure, run)
