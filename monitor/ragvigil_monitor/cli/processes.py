"""Child processes of a command: started, waited for, and stopped together."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

import httpx

from ragvigil_monitor.errors import ProcessFailed
from ragvigil_monitor.keys import Keys, Role

START_TIMEOUT_S: Final = 60.0
STOP_TIMEOUT_S: Final = 20.0
_POLL_S: Final = 0.2
_MAX_LINES: Final = 100
_ADDRESS = re.compile(r"serves (?P<url>https?://\S+) from .*; the API keys are in (?P<keys>.+)")


class Child:
    """One `ragvigil` command in a process of its own; its stderr is ours, its stdout is read line by line."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self.name = f"ragvigil {arguments[0]}"
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and command
            [sys.executable, "-m", "ragvigil", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self._lines: queue.Queue[str | None] = queue.Queue(_MAX_LINES)
        self._reader = threading.Thread(target=self._read, args=[self._process.stdout], daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """How the process ended; None while it runs."""
        return self._process.poll()

    def next_line(self, timeout_s: float) -> str:
        """The next line that the process prints; ProcessFailed when it ends or stays silent instead."""
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise ProcessFailed(f"`{self.name}` said nothing for {timeout_s:g} s.") from None
        if line is None:
            raise ProcessFailed(f"`{self.name}` ended with code {self._process.wait()} instead of starting.")
        return line

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """Ask the process to stop, end it by force after `timeout_s`; its exit code."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
        code = self._process.wait()
        self._reader.join()
        return code

    def _read(self, stdout: IO[str]) -> None:
        with stdout:
            for line in stdout:
                self._keep(line.rstrip("\n"))
        self._keep(None)

    def _keep(self, line: str | None) -> None:
        with suppress(queue.Full):  # nobody waits for what a running process goes on to print
            self._lines.put_nowait(line)


@dataclass(frozen=True, slots=True)
class ServeProcess:
    """A running `ragvigil serve`: its address, its keys and its process."""

    url: str
    keys: Keys
    keys_path: Path
    child: Child

    def stop(self) -> int:
        """Stop it in order; its exit code."""
        return self.child.stop()


def start_serve(config: Path | None = None, db: Path | None = None, port: int | None = None) -> ServeProcess:
    """Start `ragvigil serve` and wait until it listens; None leaves an option to the configuration.

    Raises ProcessFailed when it does not start; it has said why on stderr.
    """
    options = {"--config": config, "--db": db, "--port": port}
    given = [text for name, value in options.items() if value is not None for text in (name, str(value))]
    child = Child("serve", *given)
    try:
        return _listening(child)
    except BaseException:
        child.stop()
        raise


def _listening(child: Child) -> ServeProcess:
    line = child.next_line(START_TIMEOUT_S)
    found = _ADDRESS.search(line)
    if found is None:
        raise ProcessFailed(f"`{child.name}` said {line!r} instead of its address.")
    keys_path = Path(found["keys"])
    return ServeProcess(found["url"], Keys.read(keys_path), keys_path, child)


@dataclass(frozen=True, slots=True)
class PageProcess:
    """A running dashboard: its address and its process."""

    url: str
    child: Child


def start_oncall_page(serving: ServeProcess, port: int) -> PageProcess:
    """Start the on-call dashboard of a service and wait until it answers; ProcessFailed when it does not."""
    return _start_page(serving, "oncall", Role.ONCALL, port)


def start_review_page(serving: ServeProcess, port: int) -> PageProcess:
    """Start the reviewer app of a service and wait until it answers; ProcessFailed when it does not."""
    return _start_page(serving, "review", Role.REVIEWER, port)


def _start_page(serving: ServeProcess, app: str, role: Role, port: int) -> PageProcess:
    url = f"http://127.0.0.1:{port}"
    if _answers(url):
        raise ProcessFailed(f"Something answers at {url} already; choose another port for the page.")
    child = Child(
        "dashboard",
        app,
        "--port",
        str(port),
        environment={"RAGVIGIL_API_URL": serving.url, "RAGVIGIL_API_KEY": serving.keys.by_role[role]},
    )
    try:
        _await_answer(url, child)
    except BaseException:
        child.stop()
        raise
    return PageProcess(url, child)


@contextmanager
def stop_signal() -> Iterator[threading.Event]:
    """An event that SIGTERM or SIGINT sets, instead of ending this process. For the main thread only."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def await_end(stop: threading.Event, *children: Child) -> None:
    """Wait until `stop` is set; ProcessFailed when a child ends before."""
    while not stop.wait(_POLL_S):
        for child in children:
            if child.exit_code() is not None:
                raise ProcessFailed(f"`{child.name}` ended on its own with code {child.exit_code()}.")


def _await_answer(url: str, child: Child) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not _answers(url):
        if child.exit_code() is not None:
            raise ProcessFailed(f"`{child.name}` ended with code {child.exit_code()} instead of starting.")
        if time.monotonic() > deadline:
            raise ProcessFailed(f"`{child.name}` does not answer at {url} after {START_TIMEOUT_S:g} s.")
        time.sleep(_POLL_S)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=2.0, trust_env=False).status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    except httpx.TransportError:
        return False
