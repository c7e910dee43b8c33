"""What recording costs, beside the bare OpenTelemetry SDK that writes the same attributes.

usage: python tests/benchmarks/overhead.py [--json] [--rounds N] [--traces N]

One trace: an answer with six stages, 20 retrieved ids with scores, 5 reranked, 3 filter clauses, tokens, cost, a
300-character answer and a 384-float vector as bytes. Both sides export over HTTP to a receiver in a process of its
own. Rounds alternate, so that a change of the machine's speed hits both.
"""

import argparse
import json
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Span, Tracer

import ragvigil
from ragvigil import attributes as names
from ragvigil import entitlement, relevance, where
from ragvigil.predicates import eq, in_
from ragvigil.testing import InMemoryExporter

RETRIEVED = [f"document-{number:04d}" for number in range(20)]
SCORES = [1.0 - number / 40 for number in range(20)]
KEPT = RETRIEVED[:5]
KEPT_SCORES = SCORES[:5]
VECTOR = array("f", [number / 384 for number in range(384)]).tobytes()
ANSWER = "a sentence of the answer. " * 12
QUESTION = "How do I read a file line by line?"


@dataclass(frozen=True)
class Cost:
    """CPU of one side, per trace."""

    request_thread_us: float
    process_us: float


def ours() -> None:
    """One trace through Ragvigil."""
    with ragvigil.pipeline("ask") as answer:
        answer.set(question=QUESTION, session_id="s-1", intent="how-to")
        answer.slice("team", "data")
        with ragvigil.stage("rewrite") as s:
            s.set(input=QUESTION, output=QUESTION)
        with ragvigil.stage("embed") as s:
            s.set(model="mini", cost_usd=0.00001)
            s.vector(VECTOR)
        with ragvigil.stage("retrieve") as s:
            s.set(query=QUESTION, top_k=20, score_kind="similarity", db_system="qdrant", collection="docs")
            s.filter(
                where(
                    entitlement(eq("tenant", "acme")),
                    relevance(eq("kind", "function"), origin="rule"),
                    relevance(in_("module", ["os", "io"]), origin="llm"),
                )
            )
            s.outputs(RETRIEVED, SCORES)
        with ragvigil.stage("rerank") as s:
            s.set(query=QUESTION, top_k=5, model="cross")
            s.inputs(RETRIEVED, SCORES)
            s.outputs(KEPT, KEPT_SCORES)
        with ragvigil.stage("assemble") as s:
            s.context(KEPT, tokens=900, truncated=False)
        with ragvigil.stage("generate") as s:
            s.set(model="large", provider="x", input_tokens=900, output_tokens=70, cost_usd=0.002, response_id="r-1")
        answer.set(answer=ANSWER, citations=KEPT, refusal=False, confidence=0.9)


def bare(tracer: Tracer) -> None:
    """The same trace through the bare SDK, as a careful application would write it."""
    with tracer.start_as_current_span("ask") as answer:
        answer_id = f"{answer.get_span_context().trace_id:032x}-{answer.get_span_context().span_id:016x}"
        answer_span_id = f"{answer.get_span_context().span_id:016x}"
        _bare_preparation(tracer, answer_span_id)
        _bare_retrieval(tracer, answer_span_id)
        _bare_generation(tracer, answer_span_id)
        answer.set_attributes(
            {
                names.INPUT_VALUE: QUESTION,
                names.OUTPUT_VALUE: ANSWER,
                names.CITATIONS: _json([{"doc_id": name, "rank": i} for i, name in enumerate(KEPT, start=1)]),
                names.CONVERSATION_ID: "s-1",
                names.SESSION_ID: "s-1",
                names.SLICE_PREFIX + "team": "data",
                names.INTENT: "how-to",
                names.REFUSAL: False,
                names.CONFIDENCE: 0.9,
                names.OPERATION_NAME: "invoke_workflow",
                names.ANSWER_ID: answer_id,
                names.SPAN_KIND: "CHAIN",
            }
        )


def _bare_preparation(tracer: Tracer, answer_span_id: str) -> None:
    with tracer.start_as_current_span("rewrite") as span:
        span.set_attributes({names.INPUT_VALUE: QUESTION, names.OUTPUT_VALUE: QUESTION})
        _identify(span, "rewrite", "CHAIN", answer_span_id)
    with tracer.start_as_current_span("embed") as span:
        span.set_attributes(
            {
                names.EMBEDDING_MODEL_NAME: "mini",
                names.REQUEST_MODEL: "mini",
                names.EMBEDDINGS_DIMENSION: 384,
                names.QUERY_VECTOR: VECTOR,
                names.STAGE_COST: 0.00001,
                names.OPERATION_NAME: "embeddings",
            }
        )
        _identify(span, "embed", "EMBEDDING", answer_span_id)


def _bare_retrieval(tracer: Tracer, answer_span_id: str) -> None:
    with tracer.start_as_current_span("retrieve") as span:
        span.set_attributes(_flat(names.RETRIEVAL_DOCUMENTS, RETRIEVED, SCORES))
        span.set_attributes(
            {
                names.INPUT_VALUE: QUESTION,
                names.RETRIEVAL_QUERY_TEXT: QUESTION,
                names.DB_SYSTEM: "qdrant",
                names.DB_COLLECTION: "docs",
                names.SCORE_KIND: "similarity",
                names.RETRIEVAL_TOP_K: 20,
                names.GENAI_RETRIEVAL_DOCUMENTS: _documents(RETRIEVED, SCORES),
                names.STAGE_OUTPUT_DOCUMENTS: _documents(RETRIEVED, SCORES),
                names.STAGE_OUTPUT_COUNT: 20,
                names.FILTER_DIALECT: "neutral",
                names.FILTER_AST: _json(
                    {
                        "op": "and",
                        "args": [
                            {"op": "eq", "field": "tenant", "value_hmac": "0" * 64},
                            {"op": "eq", "field": "kind", "value": "function"},
                            {"op": "in", "field": "module", "value": ["os", "io"]},
                        ],
                    }
                ),
                names.FILTER_CLAUSES: _json(
                    [
                        {"path": "/args/0", "role": "entitlement", "origin": "caller", "kind": None},
                        {"path": "/args/1", "role": "relevance", "origin": "rule", "kind": None},
                        {"path": "/args/2", "role": "relevance", "origin": "llm", "kind": None},
                    ]
                ),
                names.FILTER_OPAQUE_COUNT: 0,
                names.FILTER_STATE: "known",
                names.OPERATION_NAME: "retrieval",
            }
        )
        _identify(span, "retrieve", "RETRIEVER", answer_span_id)
    with tracer.start_as_current_span("rerank") as span:
        span.set_attributes(_flat(names.RERANKER_INPUT_DOCUMENTS, RETRIEVED, SCORES))
        span.set_attributes(_flat(names.RERANKER_OUTPUT_DOCUMENTS, KEPT, KEPT_SCORES))
        span.set_attributes(
            {
                names.INPUT_VALUE: QUESTION,
                names.RERANKER_QUERY: QUESTION,
                names.RERANKER_MODEL_NAME: "cross",
                names.REQUEST_MODEL: "cross",
                names.RERANKER_TOP_K: 5,
                names.STAGE_INPUT_DOCUMENTS: _documents(RETRIEVED, SCORES),
                names.STAGE_INPUT_COUNT: 20,
                names.STAGE_OUTPUT_DOCUMENTS: _documents(KEPT, KEPT_SCORES),
                names.STAGE_OUTPUT_COUNT: 5,
            }
        )
        _identify(span, "rerank", "RERANKER", answer_span_id)


def _bare_generation(tracer: Tracer, answer_span_id: str) -> None:
    with tracer.start_as_current_span("assemble") as span:
        span.set_attributes({names.CONTEXT_DOC_IDS: KEPT, names.CONTEXT_TOKENS: 900, names.CONTEXT_TRUNCATED: False})
        _identify(span, "assemble", "CHAIN", answer_span_id)
    with tracer.start_as_current_span("generate") as span:
        span.set_attributes(
            {
                names.PROVIDER_NAME: "x",
                names.RESPONSE_ID: "r-1",
                names.LLM_MODEL_NAME: "large",
                names.REQUEST_MODEL: "large",
                names.LLM_TOKENS_PROMPT: 900,
                names.USAGE_INPUT_TOKENS: 900,
                names.LLM_TOKENS_COMPLETION: 70,
                names.USAGE_OUTPUT_TOKENS: 70,
                names.LLM_TOKENS_TOTAL: 970,
                names.LLM_COST_TOTAL: 0.002,
                names.STAGE_COST: 0.002,
                names.OPERATION_NAME: "chat",
            }
        )
        _identify(span, "generate", "LLM", answer_span_id)


def _identify(span: Span, stage: str, kind: str, answer_span_id: str) -> None:
    span.set_attributes({names.STAGE: stage, names.ANSWER_SPAN_ID: answer_span_id, names.SPAN_KIND: kind})


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _documents(ids: list[str], scores: list[float]) -> str:
    return _json([{"id": name, "score": score} for name, score in zip(ids, scores, strict=True)])


def _flat(prefix: str, ids: list[str], scores: list[float]) -> dict[str, str | float]:
    flat: dict[str, str | float] = {}
    for index, (name, score) in enumerate(zip(ids, scores, strict=True)):
        flat[f"{prefix}.{index}.{names.DOCUMENT_ID}"] = name
        flat[f"{prefix}.{index}.{names.DOCUMENT_SCORE}"] = score
    return flat


def refuse_unequal_sides() -> None:
    """Stop when the two sides do not write the same attributes: the comparison would mean nothing."""
    kept = InMemoryExporter()
    ragvigil.configure(service_name="benchmark", exporter=kept)
    ours()
    ragvigil.shutdown()
    finished = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(finished))
    bare(provider.get_tracer("benchmark"))
    mine = {span.name: sorted(span.attributes) for span in kept.spans}
    theirs = {span.name: sorted(span.attributes or {}) for span in finished.get_finished_spans()}
    differing = {name: set(mine[name]) ^ set(theirs[name]) for name in mine if mine[name] != theirs[name]}
    if differing:
        raise SystemExit(f"the sides do not write the same attributes: {differing}")


def cost(trace: Callable[[], None], flush: Callable[[], object], traces: int) -> Cost:
    """CPU of `traces` traces: of this thread while they are recorded, of the process until they are delivered."""
    process, thread = time.process_time(), time.thread_time()
    for _ in range(traces):
        trace()
    thread = time.thread_time() - thread
    flush()
    return Cost(thread / traces * 1e6, (time.process_time() - process) / traces * 1e6)


def measure(endpoint: str, rounds: int, traces: int) -> dict[str, float]:
    """Medians over alternating rounds, the first of which does not count."""
    ragvigil.configure(service_name="benchmark", endpoint=endpoint)
    provider = TracerProvider(resource=Resource.create())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{endpoint}/v1/traces")))
    tracer = provider.get_tracer("benchmark")
    costs = [
        (cost(ours, ragvigil.flush, traces), cost(lambda: bare(tracer), provider.force_flush, traces))
        for _ in range(rounds + 1)
    ][1:]
    lost = ragvigil.counts().dropped
    ragvigil.shutdown()
    provider.shutdown()
    mine = [median([getattr(pair[0], name) for pair in costs]) for name in ("request_thread_us", "process_us")]
    theirs = [median([getattr(pair[1], name) for pair in costs]) for name in ("request_thread_us", "process_us")]
    return {
        "request_thread_ratio": mine[0] / theirs[0],
        "process_cpu_ratio": mine[1] / theirs[1],
        "request_thread_us": mine[0],
        "sdk_request_thread_us": theirs[0],
        "process_us": mine[1],
        "sdk_process_us": theirs[1],
        "dropped_spans": lost,
    }


def import_cpu_ms(repeats: int = 7) -> float:
    """CPU of `import ragvigil` beyond an empty interpreter."""
    return max(0.0, _interpreter_ms("import ragvigil", repeats) - _interpreter_ms("pass", repeats))


def _interpreter_ms(statement: str, repeats: int) -> float:
    report = f"import time; {statement}; print(time.process_time())"
    runs = [subprocess.run([sys.executable, "-c", report], capture_output=True, check=True) for _ in range(repeats)]
    return 1000 * median([float(run.stdout) for run in runs])


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
    """A receiver in a process of its own, so that its CPU is nobody's; its address."""
    process = subprocess.Popen([sys.executable, __file__, "--receive"], stdout=subprocess.PIPE, text=True)
    try:
        port = process.stdout.readline().strip() if process.stdout else ""
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def receive() -> None:
    """Serve until terminated, after printing the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Accepting)
    print(server.server_port, flush=True)
    server.serve_forever()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Cost of recording, beside the bare SDK.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=9, help="rounds that count")
    parser.add_argument("--traces", type=int, default=200, help="traces a round and side")
    parser.add_argument("--receive", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.receive:
        receive()
        return
    refuse_unequal_sides()
    with receiver() as endpoint:
        found = measure(endpoint, wanted.rounds, wanted.traces)
    found["import_cpu_ms"] = import_cpu_ms()
    print(json.dumps(found) if wanted.json else "\n".join(f"{key:24} {value:10.3f}" for key, value in found.items()))


if __name__ == "__main__":
    main()
