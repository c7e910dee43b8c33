"""A receiver that comes and goes: passes requests on to a real one, or fails in one of the ways that networks have."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx


@contextmanager
def flapping(url: str, seed: int) -> Iterator[str]:
    """Run it in front of `url`; its address."""
    chance = random.Random(seed)
    with httpx.Client(timeout=30, trust_env=False) as client:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(url, client, chance))
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _handler(url: str, client: httpx.Client, chance: random.Random) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            fate = chance.choice(["passed on", "passed on", "busy", "cut off", "stored and cut off"])
            status = 503
            if fate in {"passed on", "stored and cut off"}:
                headers = {"Content-Type": self.headers["Content-Type"]}
                status = client.post(url + self.path, content=body, headers=headers).status_code
            self.close_connection = fate != "passed on"
            if "cut off" not in fate:
                self._answer(status)

        def _answer(self, status: int) -> None:
            try:
                self.send_response_only(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
            except ConnectionError:
                return  # the app was killed meanwhile

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by its base
            """Print nothing."""

    return Handler
