"""A real Phoenix in a process and a folder of its own, which can be stopped and started again."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from tests.samples.servers import free_port

PROGRAM = Path(__file__).parents[2] / ".venv-phoenix" / "bin" / "phoenix"
STARTED_WITHIN_S = 480
STOPPED_WITHIN_S = 30
# It sends nothing home, and its assistant, which may run a shell, is off.
_QUIET = {
    "PHOENIX_TELEMETRY_ENABLED": "false",
    "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
    "PHOENIX_DISABLE_AGENT_ASSISTANT": "true",
    "PHOENIX_AGENTS_DISABLE_BASH": "true",
    "PHOENIX_AGENTS_DISABLE_WEB_ACCESS": "true",
    "PHOENIX_AGENTS_DISABLE_GITHUB": "true",
}


@dataclass(slots=True)
class PhoenixProcess:
    """`phoenix serve` on ports that stay the same over restarts."""

    folder: Path
    port: int = field(default_factory=free_port)
    grpc_port: int = field(default_factory=free_port)
    started_in_s: float = 0.0
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Its process; AssertionError where none runs."""
        assert self._process is not None, "this Phoenix does not run"
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers; AssertionError with the end of its log when it does not."""
        begun = time.monotonic()
        where = {"PHOENIX_WORKING_DIR": str(self.folder), "PHOENIX_HOST": "127.0.0.1"}
        ports = {"PHOENIX_PORT": str(self.port), "PHOENIX_GRPC_PORT": str(self.grpc_port)}
        # PYTHONPATH leads to other packages than those of its environment
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(PROGRAM), "serve"],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env={**inherited, **_QUIET, **where, **ports},
            )
        while not self._is_healthy():
            assert self._process.poll() is None, self.last_lines()
            assert time.monotonic() < begun + STARTED_WITHIN_S, self.last_lines()
            time.sleep(0.2)
        self.started_in_s = time.monotonic() - begun

    def stop(self) -> None:
        """Stop it, by force where it does not stop by itself; a second call does nothing."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(STOPPED_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def get(self, path: str, **parameters: Any) -> Any:
        """The data of a GET below /v1; empty where Phoenix does not know the project yet."""
        answer = httpx.get(f"{self.url}/v1{path}", params=parameters, timeout=30)
        return [] if answer.status_code == 404 else answer.raise_for_status().json()["data"]

    def spans(self, project: str) -> list[dict[str, Any]]:
        """The spans of a project."""
        return list(self.get(f"/projects/{project}/spans", limit=1000))

    def last_lines(self) -> str:
        """The end of its log."""
        return self._log.read_text(encoding="utf-8", errors="replace")[-3000:]

    @property
    def _log(self) -> Path:
        return self.folder / "phoenix.log"

    def _is_healthy(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz", timeout=5).is_success
        except httpx.TransportError:
            return False
