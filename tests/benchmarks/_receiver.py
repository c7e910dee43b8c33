"""A receiver in a process of its own, so that its CPU is nobody's: answers every request with an empty success."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Accepting(BaseHTTPRequestHandler):
    """Answers every request with an empty success."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Read the body, say yes."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def receiver() -> Iterator[str]:
    """The address of a running one; when it has ended, nobody listens there."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    try:
        port = process.stdout.readline().strip() if process.stdout else ""
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate()


def main() -> None:
    """Serve until terminated, after printing the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Accepting)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
