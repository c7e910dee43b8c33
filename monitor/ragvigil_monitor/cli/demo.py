"""`ragvigil demo`: six simulated weeks of a small real RAG app with planted incidents, watched by the real monitor."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from ragvigil.commands import Command

INTERRUPTED = 130


def configure(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--seed", type=int, default=7, help="seed of everything that is drawn (default: 7)")
    parser.add_argument(
        "--end",
        metavar="TIME",
        type=_moment,
        help="when the simulated time ends, ISO 8601, UTC if it does not say "
        "otherwise (default: now); the same seed and end give the same answers again",
    )
    parser.add_argument("--headless", action="store_true", help="no pages: report and end")
    parser.add_argument("--report", metavar="FILE", type=Path, help="write what was planted and found as JSON")
    parser.add_argument("--db", metavar="PATH", type=Path, help="keep the database here (default: a temporary one)")
    parser.add_argument("--port", type=int, default=4318, help="port of the service, 0 for a free one (default: 4318)")
    parser.add_argument("--page-port", type=int, default=8501, help="port of the on-call page (default: 8501)")
    parser.add_argument("--review-page-port", type=int, default=8502, help="port of the review page (default: 8502)")
    scaled = "for tests of the demo itself: a scaled run, incidents scaled with it"
    parser.add_argument("--days", type=_positive, default=42.0, help=f"simulated days (default: 42); {scaled}")
    parser.add_argument("--answers", type=_whole, default=60_000, help=f"answers (default: 60000); {scaled}")


def run(args: Namespace) -> int:
    """Run the demo: 0; 1 when an incident was missed, spans were lost, an estimate was wrong or something failed."""
    from dataclasses import fields

    import httpx
    from rich.console import Console

    from ragvigil_monitor.cli.processes import stop_signal
    from ragvigil_monitor.demo.options import Options
    from ragvigil_monitor.demo.run import run_demo
    from ragvigil_monitor.demo.simulation import Interrupted
    from ragvigil_monitor.errors import MonitorError
    from ragvigil_monitor.service import utc_now

    if not args.headless and find_spec("streamlit") is None:
        raise ModuleNotFoundError("No module named 'streamlit'", name="streamlit")
    options = Options(**{field.name: getattr(args, field.name) for field in fields(Options)})
    try:
        with stop_signal() as stop:
            succeeded = run_demo(options, utc_now(), stop, Console())
    except Interrupted as interrupted:
        print(interrupted, file=sys.stderr)
        return INTERRUPTED
    except (MonitorError, httpx.HTTPError, OSError) as problem:
        print(f"The demo failed: {problem}", file=sys.stderr)
        return 1
    return 0 if succeeded else 1


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value <= 365:
        raise ArgumentTypeError(f"{text} is not between 0 and 365")
    return value


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ArgumentTypeError(f"{text} is no time such as 2026-11-30T12:00Z") from None


def _whole(text: str) -> int:
    value = int(text)
    if not 0 < value <= 10_000_000:
        raise ArgumentTypeError(f"{text} is not between 1 and 10,000,000")
    return value


command = Command(
    "six simulated weeks of a RAG app with planted incidents, then the pages", configure, run, extra="demo"
)
