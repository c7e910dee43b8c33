"""`ragvigil serve`: own the store, receive telemetry, run the jobs, answer the API."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from ragvigil.commands import Command


def configure(parser: ArgumentParser) -> None:
    """Add the options that override the configuration."""
    parser.add_argument("--config", metavar="FILE", type=Path, help="settings; `ragvigil config` prints them all")
    parser.add_argument("--db", metavar="PATH", type=Path, help="the database file (default: ragvigil.duckdb)")
    parser.add_argument("--host", metavar="ADDRESS", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port to listen on, 0 for a free one (default: 4318)")


def run(args: Namespace) -> int:
    """Serve until SIGTERM or SIGINT: 0 after an orderly stop, 1 when the service cannot start."""
    from ragvigil_monitor.cli.server import serve
    from ragvigil_monitor.errors import MonitorError
    from ragvigil_monitor.settings import Settings

    try:
        serve(Settings.load(args.config, **_overrides(args)))
    except MonitorError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def _overrides(args: Namespace) -> dict[str, Any]:
    server = {name: value for name, value in (("host", args.host), ("port", args.port)) if value is not None}
    store = {"path": args.db} if args.db is not None else {}
    return {name: section for name, section in (("server", server), ("store", store)) if section}


command = Command("receive telemetry, watch it and answer the API", configure, run)
