"""`ragvigil dashboard oncall|review`: hand this process over to Streamlit, which serves the pages."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True, slots=True)
class App:
    """An app: the script that Streamlit runs, the role whose key it uses, and its usual port."""

    script: Path
    role: str
    port: int


APPS = {
    "oncall": App(Path(__file__).with_name("oncall") / "app.py", "oncall", 8501),
    "review": App(Path(__file__).with_name("review") / "app.py", "reviewer", 8502),
}


@dataclass(frozen=True, slots=True)
class DashboardCommand:
    """What `ragvigil` needs to know of a command."""

    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    extra: str = "dashboards"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("app", choices=sorted(APPS), help="which app to serve")
    parser.add_argument(
        "--api", metavar="URL", help="address of `ragvigil serve` (default: RAGVIGIL_API_URL or port 4318 here)"
    )
    parser.add_argument(
        "--key-file", metavar="F", type=Path, help="file that `ragvigil serve` wrote (default: RAGVIGIL_API_KEY)"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    usual = ", ".join(f"{name} {app.port}" for name, app in APPS.items())
    parser.add_argument("--port", type=int, help=f"port to listen on (default: {usual})")


def run(args: argparse.Namespace) -> int:
    """Become Streamlit; returns only when that cannot be: 2, with the reason on stderr."""
    if find_spec("streamlit") is None:
        raise ModuleNotFoundError("No module named 'streamlit'", name="streamlit")
    try:
        surroundings = environment(os.environ, APPS[args.app].role, args.api, args.key_file)
    except (OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 2
    port = APPS[args.app].port if args.port is None else args.port
    return become(streamlit_command(args.app, args.host, port), surroundings)


def become(command: list[str], surroundings: Mapping[str, str]) -> int:
    """Replace this process, so that signals reach Streamlit itself."""
    sys.stdout.flush()
    os.execve(command[0], command, surroundings)  # noqa: S606 - no shell is wanted


def streamlit_command(app: str, host: str, port: int) -> list[str]:
    """The command line that serves an app: no browser opened, no usage statistics, no bare expressions drawn."""
    options = {
        "server.address": host,
        "server.port": str(port),
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "runner.magicEnabled": "false",
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "theme.light.primaryColor": "#1f5fd0",
        "theme.dark.primaryColor": "#3b7de8",
    }
    flags = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "streamlit", "run", str(APPS[app].script), *flags]


def environment(present: Mapping[str, str], role: str, api: str | None, key_file: Path | None) -> dict[str, str]:
    """The environment of an app: what is present, with the address and the key that were given.

    Raises OSError or ValueError, with a sentence, when the key file cannot be read or holds no key for the role.
    """
    key = None if key_file is None else read_key(key_file, role)
    given = {"RAGVIGIL_API_URL": api, "RAGVIGIL_API_KEY": key}
    return {**present, **{name: value for name, value in given.items() if value is not None}}


def read_key(key_file: Path, role: str) -> str:
    """The key of a role in the file that `ragvigil serve` wrote; ValueError when it is not there."""
    try:
        keys = json.loads(key_file.read_text(encoding="utf-8"))
    except ValueError as unreadable:
        raise ValueError(f"{key_file} is not the key file of `ragvigil serve`: {unreadable}") from unreadable
    key = keys.get(role) if isinstance(keys, dict) else None
    if not isinstance(key, str):
        raise ValueError(f"{key_file} holds no key for {role}.")
    return key


command = DashboardCommand(
    help="serve the pages for the person on call, or for reviewers",
    configure=configure,
    run=run,
)
