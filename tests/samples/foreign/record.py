"""Record the OTLP requests of a program that another convention instruments.

usage: python tests/samples/foreign/record.py NAME

NAME is one of RECORDINGS. Each runs in an environment of its own, for example:

    uv venv /tmp/r && uv pip install -p /tmp/r -r tests/samples/foreign/requirements/openinference.txt &&
    /tmp/r/bin/python tests/samples/foreign/record.py openinference_langchain
"""

import base64
import gzip
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.samples.foreign import programs
from tests.samples.foreign.fake_openai import running_fake

Request = tuple[str, bytes]
OPT_IN = "gen_ai_latest_experimental"
_MESSAGE_CONTENT = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": OPT_IN,
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}


def openinference(*libraries: str) -> None:
    """Instrument with OpenInference."""
    for library in libraries:
        match library:
            case "langchain":
                from openinference.instrumentation.langchain import LangChainInstrumentor as Instrumentor
            case "llamaindex":
                from openinference.instrumentation.llama_index import LlamaIndexInstrumentor as Instrumentor
            case _:
                from openinference.instrumentation.openai import OpenAIInstrumentor as Instrumentor
        Instrumentor().instrument()


def openllmetry(*libraries: str) -> None:
    """Instrument with Traceloop's OpenLLMetry."""
    for library in libraries:
        match library:
            case "langchain":
                from opentelemetry.instrumentation.langchain import LangchainInstrumentor as Instrumentor
            case "llamaindex":
                from opentelemetry.instrumentation.llamaindex import LlamaIndexInstrumentor as Instrumentor
            case "chroma":
                from opentelemetry.instrumentation.chromadb import ChromaInstrumentor as Instrumentor
            case "qdrant":
                from opentelemetry.instrumentation.qdrant import QdrantInstrumentor as Instrumentor
            case _:
                from opentelemetry.instrumentation.openai import OpenAIInstrumentor as Instrumentor
        Instrumentor().instrument()


def genai(*libraries: str) -> None:
    """Instrument with OpenTelemetry's own packages, message contents on spans."""
    os.environ |= _MESSAGE_CONTENT
    for library in libraries:
        match library:
            case "langchain":
                from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor as Instrumentor
            case "llamaindex":
                from opentelemetry.instrumentation.genai.llama_index import LlamaIndexInstrumentor as Instrumentor
            case _:
                from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor as Instrumentor
        Instrumentor().instrument()


def genai_older(*_: str) -> None:
    """Instrument with the older package, whose message contents are log events."""
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
    import opentelemetry._events as events
    from opentelemetry import _logs
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
    from opentelemetry.sdk._events import EventLoggerProvider

    events.set_event_logger_provider(EventLoggerProvider(_logs.get_logger_provider()))
    OpenAIInstrumentor().instrument()


def genai_openai_v2(content: str, opted_in: str = "") -> None:
    """Instrument with the last of the older package: the old names, or on request new ones; contents are log events."""
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = opted_in
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = content
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

    OpenAIInstrumentor().instrument()


RECORDINGS: dict[str, tuple[Callable[[], None], Callable[[str], None]]] = {
    "openinference_langchain": (lambda: openinference("langchain"), programs.langchain_chroma),
    "openinference_langchain_openai": (lambda: openinference("langchain", "openai"), programs.langchain_chroma),
    "openinference_llamaindex": (lambda: openinference("llamaindex", "openai"), programs.llamaindex),
    "openinference_openai": (lambda: openinference("openai"), programs.openai_alone),
    "openllmetry_langchain": (lambda: openllmetry("langchain", "openai", "chroma"), programs.langchain_chroma),
    "openllmetry_llamaindex": (lambda: openllmetry("llamaindex", "openai"), programs.llamaindex),
    "openllmetry_openai": (lambda: openllmetry("openai", "qdrant"), programs.openai_qdrant),
    "openllmetry_older": (lambda: openllmetry("langchain", "openai", "chroma"), programs.langchain_chroma),
    "genai_langchain": (lambda: genai("langchain", "openai"), programs.langchain_memory),
    "genai_llamaindex": (lambda: genai("llamaindex", "openai"), programs.llamaindex),
    "genai_openai": (lambda: genai("openai"), programs.openai_alone),
    "genai_openai_older": (genai_older, programs.openai_alone),
    "genai_openai_v2": (lambda: genai_openai_v2("true"), programs.openai_alone),
    "genai_openai_v2_events": (lambda: genai_openai_v2("EVENT_ONLY", OPT_IN), programs.openai_alone),
}
"""By name: how the program is instrumented, and the program."""


def main(name: str) -> None:
    """Run a program and keep what it sent."""
    instrument, program = RECORDINGS[name]
    with sink() as (endpoint, received), running_fake() as base_url:
        shut_down = start_sdk(endpoint)
        instrument()
        program(base_url)
        shut_down()
    write(Path(__file__).parent / "recorded" / f"{name}.jsonl.gz", [(path, checked(body)) for path, body in received])


def start_sdk(endpoint: str) -> Callable[[], None]:
    """The SDK as an application sets it up, sending often; returns what shuts it down."""
    from opentelemetry import _logs, trace
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource({"service.name": "shop", "service.version": "1.0", "service.instance.id": "process-1"})
    tracing, logging = TracerProvider(resource=resource), LoggerProvider(resource=resource)
    tracing.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{endpoint}/v1/traces"), schedule_delay_millis=20))
    logging.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{endpoint}/v1/logs")))
    trace.set_tracer_provider(tracing)
    _logs.set_logger_provider(logging)

    def shut_down() -> None:
        tracing.shutdown()
        logging.shutdown()

    return shut_down


@contextmanager
def sink() -> Iterator[tuple[str, list[Request]]]:
    """An OTLP receiver that only keeps what it gets; yields its address and the list."""
    received: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", received
    server.shutdown()


def checked(body: bytes) -> bytes:
    """The body; fails where it names this machine."""
    for revealing in (str(Path.home()), os.uname().nodename, str(Path.cwd()), sys.prefix):
        if len(revealing) > 5 and revealing.encode() in body:
            raise SystemExit(f"The recording names {revealing}.")
    return body


def write(path: Path, requests: list[Request]) -> None:
    """One JSON object a line: path and body (base64)."""
    lines: list[dict[str, Any]] = [{"path": where, "body": base64.b64encode(body).decode()} for where, body in requests]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(path.name, len(requests), "requests,", path.stat().st_size, "bytes")


if __name__ == "__main__":
    main(sys.argv[1])
