"""`ragvigil export`: everything that was put in, as Parquet or OTLP."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ragvigil.commands import Command
from ragvigil_monitor.cli.ends import add_end, wanted_end

if TYPE_CHECKING:
    from ragvigil_monitor.transfer.manifest import ExportedFile


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--to", metavar="DIR", type=Path, required=True, help="the directory to write to")
    parser.add_argument("--from", dest="start", metavar="TIME", type=_time, help="leave out what is earlier (ISO 8601)")
    parser.add_argument("--until", dest="end", metavar="TIME", type=_time, help="leave out this time and what is later")
    parser.add_argument(
        "--format",
        choices=("parquet", "otlp"),
        default="parquet",
        help="all tables as Parquet, or spans and log records as lines of OTLP/JSON (default: parquet)",
    )
    add_end(parser)


def run(args: Namespace) -> int:
    """Write the export: 0; 1, with the reason on stderr, when it is not complete."""
    from ragvigil_monitor.errors import MonitorError
    from ragvigil_monitor.service import utc_now
    from ragvigil_monitor.store.taking_out import Within
    from ragvigil_monitor.transfer.exporting import Format
    from ragvigil_monitor.transfer.manifest import MANIFEST
    from ragvigil_monitor.transfer.reaching import reached
    from ragvigil_monitor.transfer.writing_files import export_to

    try:
        _check_range(args.start, args.end)
        with reached(wanted_end(args), must_exist=True) as source:
            within = Within(args.start, args.end)
            manifest = export_to(args.to, source, Format(args.format), within, utc_now(), _show)
    except MonitorError as problem:
        print(problem, file=sys.stderr)
        return 1
    size = sum(file.bytes for file in manifest.files)
    print(f"{len(manifest.files)} files are in {args.to}, {size:,} bytes; {MANIFEST} there says what they are.")
    return 0


def _show(file: "ExportedFile") -> None:
    print(f"{file.name}: {file.rows:,} rows, {file.bytes:,} bytes", flush=True)


def _check_range(start: datetime | None, end: datetime | None) -> None:
    from ragvigil_monitor.errors import ConfigurationError

    if start is not None and end is not None and end <= start:
        raise ConfigurationError(f"--until {end.isoformat()} is not after --from {start.isoformat()}.")


def _time(text: str) -> datetime:
    """A time; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no time such as 2026-11-30 or 2026-11-30T15:00+01:00") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


command = Command("write what was put in as Parquet or OTLP files", configure, run)
