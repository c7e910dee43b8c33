"""Real servers for tests and pictures: the API in a thread, the dashboard in a process, on free loopback ports."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from ragvigil_monitor.api.app import create_app
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.phoenix.forwarder import open_forwarder
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.service import Clock, Service, utc_now
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

STARTED_WITHIN_S = 60
LONGEST_PAUSE_S = 0.05


@contextmanager
def running_service(store: Store, keys: Keys, clock: Clock = utc_now, **settings: Any) -> Iterator[Service]:
    """The service around a store, with its committer running and settings as given."""
    given = Settings(**settings)
    with Committer(store, clock=clock, max_waiting=16) as committer, ExitStack() as opened:
        forwarder = open_forwarder(given.phoenix, clock)
        if forwarder is not None:
            opened.enter_context(forwarder)
        yield Service(store, given, keys, committer, clock, forwarder)


@contextmanager
def running_api(service: Service, protocol: type[asyncio.Protocol] | None = None) -> Iterator[str]:
    """The API over HTTP; yields its address."""
    with running_app(create_app(service), protocol) as address:
        yield address


@contextmanager
def running_app(app: Callable[..., Any], protocol: type[asyncio.Protocol] | None = None) -> Iterator[str]:
    """An ASGI application under uvicorn in a thread; yields its address."""
    listener = _listener()
    server = PromptServer(uvicorn.Config(app, http=protocol or "auto", log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        server.wait_started()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.stop()
        thread.join(10)


class PromptServer(uvicorn.Server):
    """Says at once that it has started, and notices at once that it shall stop; uvicorn looks every 100 ms."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._is_running = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_stopping = asyncio.Event()

    def wait_started(self) -> None:
        """Wait until requests are answered; TimeoutError when that does not come."""
        if not self._is_running.wait(STARTED_WITHIN_S):
            raise TimeoutError(f"the server has not started within {STARTED_WITHIN_S} s")

    def stop(self) -> None:
        """Ask it to stop in order."""
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._is_stopping.set)

    async def main_loop(self) -> None:
        """Tick once a second, which renews the date in answers, until somebody stops it."""
        self._loop = asyncio.get_running_loop()
        self._is_running.set()
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_stopping.wait(), 1)


@contextmanager
def running_dashboard(api: str, key_file: Path, *options: str, app: str = "oncall") -> Iterator[str]:
    """An app as `ragvigil dashboard` starts it; yields its address."""
    port = free_port()
    program = str(Path(sys.executable).with_name("ragvigil"))
    command = [program, "dashboard", app, "--api", api, "--key-file", str(key_file)]
    process = subprocess.Popen([*command, "--port", str(port), *options], stdout=subprocess.DEVNULL, env={**os.environ})
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: process.poll() is not None or _is_healthy(address))
        yield address
    finally:
        process.terminate()
        process.wait(10)


def _listener() -> socket.socket:
    # asyncio switches Nagle's algorithm off only for sockets that name TCP; with it each answer waits 40 ms
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def wait_until(condition: Callable[[], bool], within_s: float = STARTED_WITHIN_S) -> None:
    """Ask after 2 ms, then ever more seldom, until the condition holds; TimeoutError when it does not in time."""
    deadline, pause_s = time.monotonic() + within_s, 0.002
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not true within {within_s} s")
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _is_healthy(address: str) -> bool:
    try:
        return httpx.get(f"{address}/_stcore/health").is_success
    except httpx.TransportError:
        return False
