"""`ragvigil up`: the service, the on-call page and the review page as child processes, stopped together."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ragvigil.commands import Command


def configure(parser: ArgumentParser) -> None:
    """Add the options of the processes."""
    parser.add_argument("--config", metavar="FILE", type=Path, help="settings of the service")
    parser.add_argument("--db", metavar="PATH", type=Path, help="the database file (default: ragvigil.duckdb)")
    parser.add_argument("--port", type=int, help="port of the service, 0 for a free one (default: 4318)")
    parser.add_argument("--page-port", type=int, default=8501, help="port of the on-call page (default: 8501)")
    parser.add_argument("--review-page-port", type=int, default=8502, help="port of the review page (default: 8502)")


def run(args: Namespace) -> int:
    """Run all until Ctrl-C or SIGTERM: 0; 1 when one does not start or ends on its own."""
    from contextlib import ExitStack

    from ragvigil_monitor.cli.processes import await_end, start_oncall_page, start_review_page, start_serve, stop_signal
    from ragvigil_monitor.errors import MonitorError

    try:
        with stop_signal() as stop, ExitStack() as running:
            serving = start_serve(args.config, args.db, args.port)
            running.enter_context(serving.child)
            page = start_oncall_page(serving, args.page_port)
            running.enter_context(page.child)
            review = start_review_page(serving, args.review_page_port)
            running.enter_context(review.child)
            print(f"Service       {serving.url}   (keys: {serving.keys_path})", flush=True)
            print(f"On-call page  {page.url}", flush=True)
            print(f"Review page   {review.url}   (Ctrl-C stops all)", flush=True)
            await_end(stop, serving.child, page.child, review.child)
    except MonitorError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


command = Command("run the service, the on-call page and the review page, stopped together", configure, run)
