"""The RAG app: rewrite, embed, filter, retrieve, rerank, assemble, generate, instrumented as any app would be.

Everything is real but time and money: how long a stage takes and what a token costs are drawn, and `wait_ms` either
moves a simulated clock or sleeps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

import ragvigil
from ragvigil.predicates import Filter
from ragvigil_monitor.demo import embedding, pricing, reranker
from ragvigil_monitor.demo.access import entitlement_of
from ragvigil_monitor.demo.answerer import Reply
from ragvigil_monitor.demo.context import Context, assemble
from ragvigil_monitor.demo.embedding import Vector
from ragvigil_monitor.demo.index import Hit
from ragvigil_monitor.demo.library import INDEX_VERSION, Library
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.pricing import Usage, count_tokens
from ragvigil_monitor.demo.recent import Recent
from ragvigil_monitor.demo.rewriter import rewrite

SERVICE = "docs-assistant"
"""The name under which the monitor knows the app."""
INSTRUCTIONS_TOKENS = 240
"""The part of every prompt that is always the same; the provider caches it."""
CACHED_VECTORS = 512
FIRST_TOKEN_SHARE = 0.35
"""Share of the generation that passes before the first token."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question as it reaches the app, and the dice for its durations and tokens."""

    question: str
    intent: str
    user_id: str
    team: str
    session_id: str
    at: datetime
    rng: Random
    regeneration_of: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What the user gets; `answer_id` and `token` name the answer to the app, '' and None while nothing is recorded."""

    reply: Reply
    answer_id: str
    token: str | None


class App:
    """Answers questions about the library; `wait_ms` lets a stage's duration pass."""

    def __init__(self, library: Library, wait_ms: Callable[[float], None]) -> None:
        self._library = library
        self._wait_ms = wait_ms
        self._vectors: Recent[Vector] = Recent(CACHED_VECTORS)

    def answer(self, request: Request, parts: Parts) -> Answered:
        """Answer one question with the parts that are in service."""
        with ragvigil.pipeline("ask") as answer:
            answer.set(
                question=request.question,
                intent=request.intent,
                user_id=request.user_id,
                session_id=request.session_id,
                regeneration_of=request.regeneration_of,
            )
            answer.slice("team", request.team)
            reply = _Turn(self._library, self._vectors, request, parts, self._wait_ms).run()
            answer.set(
                answer=reply.text,
                citations=list(reply.citations),
                refusal=reply.refused,
                confidence=reply.support,
            )
        return Answered(reply, answer.id, answer.token())


@dataclass(frozen=True, slots=True)
class _Turn:
    """One answer in the making: a method a stage."""

    library: Library
    vectors: Recent[Vector]
    request: Request
    parts: Parts
    wait_ms: Callable[[float], None]

    def run(self) -> Reply:
        query = self._rewrite(self.request.question)
        vector = self._embed(query)
        where = self._filter(query)
        found = self._retrieve(query, vector, where=where, k=reranker.CANDIDATES)
        ranked = self._rerank(query, found)
        return self._generate(query, self._assemble(ranked))

    def _rewrite(self, question: str) -> str:
        with ragvigil.stage("rewrite") as stage:
            query = rewrite(question)
            stage.set(input=question, output=query)
            self._take_time("rewrite")
        return query

    def _embed(self, query: str) -> Vector:
        with ragvigil.stage("embed") as stage:
            cached = self.vectors.get(query)
            stage.cache("embedding", hit=cached is not None)
            vector = self._encode(query, stage) if cached is None else cached
            stage.set(model=embedding.MODEL)
            stage.vector(vector)
        return vector

    def _encode(self, query: str, stage: ragvigil.Stage) -> Vector:
        vector = self.library.encoder.encode(query)
        self.vectors.put(query, vector)
        tokens = count_tokens(query)
        stage.set(input_tokens=tokens, cost_usd=self.parts.prices.embedding(tokens))
        self._take_time("embed")
        return vector

    def _filter(self, query: str) -> Filter:
        with ragvigil.stage("filter") as stage:
            where = ragvigil.where(entitlement_of(self.request.team), *self.parts.extract(query))
            stage.set(input=query)
            self._take_time("filter")
        return where

    @ragvigil.retriever(filter="where", query="query", top_k="k")
    def _retrieve(self, query: str, vector: Vector, *, where: Filter, k: int) -> list[Hit]:
        del query  # the index needs only its vector; telemetry wants the words
        ragvigil.current_stage().set(
            db_system="demo", collection="docstrings", score_kind="similarity", index_version=INDEX_VERSION
        )
        self._take_time("retrieve")
        return self.library.index.search(vector, where, k)

    def _rerank(self, query: str, found: Sequence[Hit]) -> list[Hit]:
        with ragvigil.stage("rerank") as stage:
            ranked = self.parts.reranker.rerank(query, found)
            stage.set(
                query=query,
                model=reranker.MODEL,
                top_k=reranker.KEPT,
                score_kind="similarity",
                cost_usd=self.parts.prices.reranking(len(found)),
            )
            stage.inputs([hit.id for hit in found], scores=[hit.score for hit in found])
            stage.outputs([hit.id for hit in ranked], scores=[hit.score for hit in ranked])
            self._take_time("rerank")
        return ranked

    def _assemble(self, ranked: Sequence[Hit]) -> Context:
        with ragvigil.stage("assemble") as stage:
            context = assemble(ranked, self.library.entries)
            stage.inputs([hit.id for hit in ranked])
            stage.context([entry.id for entry in context.entries], tokens=context.tokens, truncated=context.truncated)
            self._take_time("assemble")
        return context

    def _generate(self, query: str, context: Context) -> Reply:
        with ragvigil.stage("generate") as stage:
            duration_ms = self._draw_ms("generate")
            self.wait_ms(duration_ms * FIRST_TOKEN_SHARE)
            stage.first_token()
            reply = self.parts.answerer.answer(query, context)
            self.wait_ms(duration_ms * (1 - FIRST_TOKEN_SHARE))
            usage = self._usage(query, context, reply)
            stage.set(
                model=pricing.MODEL,
                provider=pricing.PROVIDER,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cached_tokens=INSTRUCTIONS_TOKENS,
                cost_usd=self.parts.prices.generation(usage),
            )
        return reply

    def _usage(self, query: str, context: Context, reply: Reply) -> Usage:
        written = count_tokens(reply.text) + pricing.thinking_tokens(self.request.rng)
        return Usage(INSTRUCTIONS_TOKENS + context.tokens + count_tokens(query), written)

    def _take_time(self, stage: str) -> None:
        self.wait_ms(self._draw_ms(stage))

    def _draw_ms(self, stage: str) -> float:
        return self.parts.latency.draw_ms(stage, self.request.at, self.request.rng)
