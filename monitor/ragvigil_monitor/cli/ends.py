"""The arguments by which export and import find their store or service."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragvigil_monitor.transfer.reaching import Wanted


def add_end(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--db", metavar="PATH", type=Path, help="the database file (default: ragvigil.duckdb)")
    parser.add_argument("--config", metavar="FILE", type=Path, help="settings of the service")
    parser.add_argument(
        "--api", metavar="URL", help="address of `ragvigil serve`, where it is not that of the settings"
    )
    parser.add_argument(
        "--key-file", metavar="F", type=Path, help="file that `ragvigil serve` wrote (default: RAGVIGIL_API_KEY)"
    )


def wanted_end(args: Namespace) -> "Wanted":
    """The end that the arguments mean; raises ConfigurationError."""
    from ragvigil_monitor.settings import Settings
    from ragvigil_monitor.transfer.reaching import Wanted

    overrides: dict[str, Any] = {} if args.db is None else {"store": {"path": args.db}}
    return Wanted(Settings.load(args.config, **overrides), args.api, args.key_file)
