"""A small decorated FastAPI app in a process of its own, as a user would write it; prints its address.

usage: shop.py RECEIVER [--opentelemetry] [--probe]: also instrumented with the OpenTelemetry SDK, which exports to
RECEIVER too; with every search probed.
"""

import socket
import sys
from array import array

import uvicorn
from fastapi import FastAPI
from opentelemetry import trace

import ragvigil
from ragvigil import entitlement, relevance, where
from ragvigil.predicates import eq

app = FastAPI()
tracer = trace.get_tracer("shop")


@ragvigil.retriever(filter="filter", query="query", top_k="limit")
def search(query: str, filter: object = None, limit: int = 3) -> list[tuple[str, float]]:  # noqa: A002 - a usual name
    """Find documents."""
    with tracer.start_as_current_span("index.lookup"):
        return [(f"doc-{number}", 1.0 - number / 10) for number in range(limit)]


@ragvigil.pipeline(intent="how_to")
async def answer(question: str) -> str:
    """Answer a question."""
    with ragvigil.stage("embed") as embedding:
        embedding.vector(array("f", [3.0, 4.0]).tobytes())
    search(question, filter=where(entitlement(eq("tenant", "acme")), relevance(eq("kind", "guide"))))
    with ragvigil.stage("generate") as generation:
        generation.set(model="large", input_tokens=900, output_tokens=120, cost_usd=0.002)
    return f"Read doc-0 about {question}"


@app.get("/ask")
async def ask(question: str) -> dict[str, str]:
    """One answer."""
    return {"answer": await answer(question)}


@app.get("/chat")
async def chat(question: str) -> dict[str, str | None]:
    """One answer, with the token that a client needs to react to it."""
    async with ragvigil.pipeline("chat") as given:
        given.set(question=question, answer="Read doc-0")
    return {"answer": "Read doc-0", "token": given.token()}


@app.get("/careless")
async def careless() -> dict[str, bool]:
    """An answer that tells little: no question, one search without its filter, one without the role of its clause."""
    with ragvigil.pipeline("careless"):
        search_blindly("dates")
        search("dates", filter=where(eq("lang", "de")))
    return {"done": True}


@ragvigil.retriever(query="query")
def search_blindly(query: str) -> list[str]:
    """Find documents; nobody says with what filter."""
    return ["doc-0"]


@app.post("/flush")
def flush() -> dict[str, bool]:
    """Send what was recorded."""
    provider = trace.get_tracer_provider()
    if hasattr(provider, "force_flush"):
        provider.force_flush()
    return {"sent": ragvigil.flush()}


def instrument(receiver: str) -> None:
    """What an OpenTelemetry user adds: an SDK provider that exports, and the FastAPI instrumentation."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource({"service.name": "shop"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{receiver}/v1/traces")))
    trace.set_tracer_provider(provider)
    FastAPIInstrumentor.instrument_app(app)


def main(receiver: str, *options: str) -> None:
    """Serve until SIGTERM."""
    if "--opentelemetry" in options:
        instrument(receiver)
    ragvigil.configure(
        service_name="shop",
        service_version="1.4.2",
        endpoint=receiver,
        secret_key=b"secret of the shop",
        probe_share=1.0 if "--probe" in options else 0.0,
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
    ragvigil.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
