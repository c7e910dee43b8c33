"""One trace, written through Ragvigil and through the bare SDK: the same attributes on both sides, redacted alike."""

import json
import time
from array import array
from typing import NamedTuple
from uuid import uuid4

from opentelemetry._logs import Logger
from opentelemetry.trace import Span, Tracer, set_span_in_context

import ragvigil
from ragvigil import attributes as names
from ragvigil import entitlement, relevance, where
from ragvigil.predicates import eq, in_
from ragvigil.redaction import common

RETRIEVED = [f"document-{number:04d}" for number in range(20)]
SCORES = [1.0 - number / 40 for number in range(20)]
KEPT = RETRIEVED[:5]
KEPT_SCORES = SCORES[:5]
VECTOR = array("f", [number / 384 for number in range(384)]).tobytes()
REDACTED = common()
"""What both sides do with question and answer."""


class Texts(NamedTuple):
    """What is asked and answered; never the same twice, so that nothing can be remembered."""

    question: str
    answer: str


def texts(number: int) -> Texts:
    """Question and answer of one trace."""
    return Texts(
        f"How do I read a file of {number} lines, one by one?", f"{number}. " + "a sentence of the answer. " * 12
    )


def ours(said: Texts) -> None:
    """One trace through Ragvigil."""
    with ragvigil.pipeline("ask") as answer:
        answer.set(question=said.question, session_id="s-1", intent="how-to")
        answer.slice("team", "data")
        with ragvigil.stage("rewrite") as s:
            s.set(input=said.question, output=said.question)
        with ragvigil.stage("embed") as s:
            s.set(model="mini", cost_usd=0.00001)
            s.vector(VECTOR)
        with ragvigil.stage("retrieve") as s:
            s.set(query=said.question, top_k=20, score_kind="similarity", db_system="qdrant", collection="docs")
            s.filter(
                where(
                    entitlement(eq("tenant", "acme")),
                    relevance(eq("kind", "function"), origin="rule"),
                    relevance(in_("module", ["os", "io"]), origin="llm"),
                )
            )
            s.outputs(RETRIEVED, SCORES)
        with ragvigil.stage("rerank") as s:
            s.set(query=said.question, top_k=5, model="cross")
            s.inputs(RETRIEVED, SCORES)
            s.outputs(KEPT, KEPT_SCORES)
        with ragvigil.stage("assemble") as s:
            s.context(KEPT, tokens=900, truncated=False)
        with ragvigil.stage("generate") as s:
            s.set(model="large", provider="x", input_tokens=900, output_tokens=70, cost_usd=0.002, response_id="r-1")
        answer.set(answer=said.answer, citations=KEPT, refusal=False, confidence=0.9)
    ragvigil.feedback("thumbs_up", answer=answer)


def bare(said: Texts, tracer: Tracer, logger: Logger) -> None:
    """The same trace through the bare SDK, as a careful application would write it."""
    said = Texts(REDACTED(said.question), REDACTED(said.answer))
    started_at_ns = time.time_ns()
    with tracer.start_as_current_span("ask") as answer:
        answer_id = f"{answer.get_span_context().trace_id:032x}-{answer.get_span_context().span_id:016x}"
        answer_span_id = f"{answer.get_span_context().span_id:016x}"
        _bare_preparation(said.question, tracer, answer_span_id)
        _bare_retrieval(said.question, tracer, answer_span_id)
        _bare_generation(tracer, answer_span_id)
        answer.set_attributes(
            {
                names.INPUT_VALUE: said.question,
                names.OUTPUT_VALUE: said.answer,
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
    _bare_feedback(logger, answer, answer_id, started_at_ns)


def _bare_preparation(question: str, tracer: Tracer, answer_span_id: str) -> None:
    with tracer.start_as_current_span("rewrite") as span:
        span.set_attributes({names.INPUT_VALUE: question, names.OUTPUT_VALUE: question})
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


def _bare_retrieval(question: str, tracer: Tracer, answer_span_id: str) -> None:
    with tracer.start_as_current_span("retrieve") as span:
        span.set_attributes(_flat(names.RETRIEVAL_DOCUMENTS, RETRIEVED, SCORES))
        span.set_attributes(
            {
                names.INPUT_VALUE: question,
                names.RETRIEVAL_QUERY_TEXT: question,
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
                names.INPUT_VALUE: question,
                names.RERANKER_QUERY: question,
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


def _bare_feedback(logger: Logger, answer: Span, answer_id: str, started_at_ns: int) -> None:
    now_ns = time.time_ns()
    logger.emit(
        timestamp=now_ns,
        observed_timestamp=now_ns,
        context=set_span_in_context(answer),
        event_name=names.EVENT_FEEDBACK,
        attributes={
            names.ANSWER_ID: answer_id,
            names.ANSWER_STARTED_AT: started_at_ns,
            names.FEEDBACK_ID: str(uuid4()),
            names.FEEDBACK_KIND: "thumbs_up",
        },
    )


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
