"""`ragvigil doctor`: for whoever asks why spans do not show up."""

import json
import math
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Final

from ragvigil.commands import Command
from ragvigil.doctor.finding import Finding

PROBLEM_STATUS: Final = 1
USAGE_STATUS: Final = 2


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--endpoint", metavar="URL", help="what the application passes to configure(endpoint=...)")
    parser.add_argument(
        "--api", metavar="URL", help="address of `ragvigil serve` (default: RAGVIGIL_API_URL, else the endpoint's)"
    )
    parser.add_argument(
        "--key-file", metavar="F", type=Path, help="file that `ragvigil serve` wrote (default: RAGVIGIL_API_KEY)"
    )
    parser.add_argument("--service", metavar="NAME", help="look at this service only (default: OTEL_SERVICE_NAME)")
    parser.add_argument(
        "--timeout", metavar="S", type=_seconds, default=10.0, help="seconds for each step (default: %(default)g)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run(args: Namespace) -> int:
    """Print what was found: 0 all is well or only warnings, 1 a problem, 2 the key file cannot be read."""
    try:
        key = os.environ.get("RAGVIGIL_API_KEY") if args.key_file is None else _key(args.key_file)
    except (OSError, ValueError) as unreadable:
        print(f"{args.key_file} holds no on-call key: {unreadable}", file=sys.stderr)
        return USAGE_STATUS
    found: list[Finding] = []
    for finding in _findings(args, key or None, os.environ):
        found.append(finding)
        if not args.json:
            print(finding, flush=True)
    has_problem = any(finding.verdict == "problem" for finding in found)
    if args.json:
        print(json.dumps({"ok": not has_problem, "findings": [asdict(finding) for finding in found]}, indent=2))
    return PROBLEM_STATUS if has_problem else 0


def _findings(args: Namespace, key: str | None, environ: Mapping[str, str]) -> Iterator[Finding]:
    # Imported here, so that the overview of all commands stays quick.
    from ragvigil.doctor.installed import check_installed
    from ragvigil.doctor.surroundings import check_surroundings

    yield from chain(check_installed(), check_surroundings(args.endpoint, environ), _over_the_wire(args, key, environ))


def _over_the_wire(args: Namespace, key: str | None, environ: Mapping[str, str]) -> Iterator[Finding]:
    from ragvigil.doctor.arriving import check_monitor
    from ragvigil.doctor.monitor_api import MonitorApi, api_root
    from ragvigil.doctor.sending import MarkedTrace, check_sending
    from ragvigil.doctor.surroundings import target

    try:
        goal = target(args.endpoint, environ)
    except ValueError:
        return  # told above
    trace = MarkedTrace()
    sent = list(check_sending(goal, trace, args.timeout))
    yield from sent
    is_sent = all(finding.verdict == "ok" for finding in sent)
    root = args.api or environ.get("RAGVIGIL_API_URL") or api_root(goal.traces_url)
    service = args.service or environ.get("OTEL_SERVICE_NAME") or None
    yield from check_monitor(MonitorApi(root, key, args.timeout), key is not None, trace if is_sent else None, service)


def _key(file: Path) -> str:
    """The on-call key in the file that `ragvigil serve` wrote; raises OSError or ValueError."""
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["oncall"])
    except (KeyError, TypeError) as missing:
        raise ValueError("it names no key for oncall") from missing


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 3600:
        raise ArgumentTypeError(f"got {text!r}; expected seconds, more than 0 and at most 3600")
    return seconds


command = Command("say whether spans leave, arrive and are complete, and what to do", configure, run, extra="monitor")
