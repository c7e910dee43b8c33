"""A real OTLP/HTTP receiver on the loopback interface that keeps what it is sent."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from ragvigil.testing.snapshots import LogSnapshot, SpanSnapshot, read_logs, read_spans

_HOLD_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `client` is the address and port that it came from."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    client: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer one request."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    closes: bool = False


class Receiver:
    """Keeps `requests`; takes its answers from `answers`, one a request, and says yes when there are no more.

    While `released` is cleared, requests wait for their answer, at most 30 s.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answers: list[Reply] = []
        self.released = threading.Event()
        self.released.set()
        self.endpoint = ""

    def to(self, path: str) -> list[Request]:
        """The requests to one path."""
        return [request for request in self.requests if request.path == path]

    @property
    def spans(self) -> list[SpanSnapshot]:
        """The spans of all requests, also of those that were not accepted."""
        return [span for request in self.to("/v1/traces") for span in read_spans(request.body)]

    @property
    def logs(self) -> list[LogSnapshot]:
        """The log records of all requests."""
        return [log for request in self.to("/v1/logs") for log in read_logs(request.body)]

    def answer_to(self, request: Request) -> Reply:
        """Keep a request and find its answer."""
        self.requests.append(request)
        self.released.wait(_HOLD_S)
        return self.answers.pop(0) if self.answers else Reply()


@contextmanager
def receiving(port: int = 0) -> Iterator[Receiver]:
    """Run a receiver; on a free port, or on the one given."""
    receiver = Receiver()
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(receiver))
    server.daemon_threads = True
    receiver.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = Request(self.path, dict(self.headers), body, self.client_address)
            self._send(receiver.answer_to(request))

        def _send(self, answer: Reply) -> None:
            self.send_response_only(answer.status)
            for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)
            self.close_connection = answer.closes

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by its base
            """Print nothing."""

    return Handler
