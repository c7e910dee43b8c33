"""A small OpenAI API on loopback: embeddings, and chat completions whole or streamed."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

DIMENSION: Final = 8
REPLY: Final = "Use strptime with a format string."
USAGE: Final = {
    "prompt_tokens": 120,
    "completion_tokens": 9,
    "total_tokens": 129,
    "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0},
}


@contextmanager
def running_fake() -> Iterator[str]:
    """The API in a thread; yields its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    calls = 0

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _Handler.calls += 1
        if self.path.endswith("/embeddings"):
            self._send_json(_embeddings(asked))
        elif asked.get("stream"):
            self._send_stream(asked)
        else:
            self._send_json(_completion(asked, f"chatcmpl-{_Handler.calls}"))

    def _send_json(self, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send_stream(self, asked: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in _chunks(asked, f"chatcmpl-{_Handler.calls}"):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _embeddings(asked: dict[str, Any]) -> dict[str, Any]:
    texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
    data = [{"object": "embedding", "index": place, "embedding": _vector(text)} for place, text in enumerate(texts)]
    usage = {"prompt_tokens": 5 * len(texts), "total_tokens": 5 * len(texts)}
    return {"object": "list", "data": data, "model": asked["model"], "usage": usage}


def _vector(text: object) -> list[float]:
    return [byte / 255 for byte in hashlib.sha256(str(text).encode()).digest()[:DIMENSION]]


def _completion(asked: dict[str, Any], number: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": REPLY, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {**_envelope(asked, number, "chat.completion"), "choices": [choice], "usage": USAGE}


def _chunks(asked: dict[str, Any], number: str) -> Iterator[dict[str, Any]]:
    envelope = _envelope(asked, number, "chat.completion.chunk")
    for place, word in enumerate(REPLY.split(" ")):
        delta = {"role": "assistant", "content": word if place == 0 else f" {word}"}
        yield {**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**envelope, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    if asked.get("stream_options", {}).get("include_usage"):
        yield {**envelope, "choices": [], "usage": USAGE}


def _envelope(asked: dict[str, Any], number: str, kind: str) -> dict[str, Any]:
    return {"id": number, "object": kind, "created": 1_790_000_000, "model": f"{asked['model']}-2026-01-01"}
