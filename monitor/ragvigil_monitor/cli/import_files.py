"""`ragvigil import`: files of requests, and of an export, into a store or a running service."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ragvigil.commands import Command
from ragvigil_monitor.cli.ends import add_end, wanted_end


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "files",
        metavar="FILE",
        type=Path,
        nargs="+",
        help="lines of OTLP/JSON, protobuf, spool segments, Parquet of an export, or a directory of them",
    )
    add_end(parser)


def run(args: Namespace) -> int:
    """Import the files: 0 when all that is in them is in the store; 1, with the reason, when not."""
    from ragvigil_monitor.cli.private_files import keep_from_others
    from ragvigil_monitor.errors import MonitorError
    from ragvigil_monitor.transfer.listed_files import check_schema, listed_files
    from ragvigil_monitor.transfer.reaching import reached
    from ragvigil_monitor.transfer.reading_files import FileReport, import_file
    from ragvigil_monitor.transfer.words import file_line, total_line

    reports: list[FileReport] = []
    try:
        wanted = wanted_end(args)
        files = listed_files(args.files)
        keep_from_others(wanted.settings.store.path)
        with reached(wanted, must_exist=False) as target:
            check_schema(files, target.schema_number())
            for file in files:
                reports.append(import_file(file, target, wanted.settings.server.max_body_bytes))
                print(file_line(reports[-1]), file=sys.stderr if reports[-1].failure else sys.stdout, flush=True)
    except MonitorError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(total_line(reports))
    return 0 if all(report.is_complete for report in reports) else 1


command = Command("read OTLP files, spool segments and what `export` wrote", configure, run)
