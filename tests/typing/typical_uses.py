"""Typical uses, read by the type checker only: what a user writes must type-check and keep its types."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any, assert_type

import numpy as np
from opentelemetry.trace import Span

import ragvigil
from ragvigil import (
    Answer,
    BridgeCounts,
    Counts,
    FeedbackCounts,
    Filter,
    SpoolCounts,
    Stage,
    entitlement,
    relevance,
    where,
)
from ragvigil.export.exporter import Exporter
from ragvigil.predicates import Predicate, and_, eq, gte, in_, not_, words
from ragvigil.redaction import common
from ragvigil.testing import (
    InMemoryExporter,
    LogSnapshot,
    ManualClock,
    Recording,
    SequentialIds,
    SpanSnapshot,
    recording,
)


def configuration() -> None:
    exporter: Exporter = InMemoryExporter()
    ragvigil.configure(service_name="shop", endpoint="http://127.0.0.1:4318", secret_key=b"0123456789abcdef")
    ragvigil.configure(exporter=exporter, clock=ManualClock(), ids=SequentialIds(), resource={"team": "search"})
    ragvigil.configure(probe_share=0.02, probe_timeout_s=5.0, max_waiting_probes=10)
    ragvigil.configure(document_texts=True, bridge=False)
    ragvigil.configure(content="hashed", redactors=[common(), str.upper])
    ragvigil.configure(content={"default": "none", "question": "full"}, redactors=[common("email", "card")])
    ragvigil.configure(content="some")  # type: ignore[arg-type]
    ragvigil.configure(redactors=[len])  # type: ignore[list-item]
    ragvigil.configure(sample=0.1)
    ragvigil.configure(sample=lambda name: 1.0 if name == "checkout" else 0.01)
    ragvigil.configure(sample="half")  # type: ignore[arg-type]
    ragvigil.configure(sample=lambda: 0.5)  # type: ignore[arg-type,misc]
    ragvigil.configure(service_name=5)  # type: ignore[arg-type]
    ragvigil.configure(sevice_name="shop")  # type: ignore[call-arg]
    ragvigil.mark_index("7", committed_at=datetime.now(UTC), embedding_version="mini-3")
    ragvigil.mark_index(None)
    ragvigil.mark_index(7)  # type: ignore[arg-type]
    assert_type(ragvigil.flush(timeout_s=1.0), bool)
    assert_type(ragvigil.counts(), Counts)
    assert_type(ragvigil.counts().dropped, int)
    assert_type(ragvigil.counts().feedback, FeedbackCounts)
    assert_type(ragvigil.counts().spool, SpoolCounts)
    assert_type(ragvigil.counts().probes.timed_out, int)
    assert_type(ragvigil.counts().bridge, BridgeCounts)
    assert_type(ragvigil.counts().left_out, int)


@ragvigil.pipeline
def plain(question: str, limit: int = 3) -> str:
    return question * limit


@ragvigil.pipeline("named", question="text", intent="how-to")
async def coroutine(number: int, text: str) -> dict[str, int]:
    return {text: number}


@ragvigil.pipeline
def generator(question: str) -> Iterator[str]:
    yield question


@ragvigil.pipeline("streamed")
async def async_generator(question: str) -> AsyncIterator[bytes]:
    yield question.encode()


@ragvigil.stage("embed")
def embed(text: str) -> list[float]:
    return [float(len(text))]


@ragvigil.retriever
def bare(query: str) -> list[str]:
    return [query]


@ragvigil.retriever(filter="where", query="query", top_k="k", relevance=("kind",), documents=lambda hits: hits["ids"])
def search(query: str, where: Filter | None = None, k: int = 10) -> dict[str, Any]:
    return {"ids": [query] * k, "where": where}


@ragvigil.retriever(filter="where", top_k="k", probe=False)
async def search_elsewhere(query: str, where: Filter | None = None, k: int = 10) -> list[str]:
    return [query] * k


async def signatures_stay() -> None:
    assert_type(plain("why?"), str)
    assert_type(plain("why?", limit=2), str)
    plain(5)  # type: ignore[arg-type]
    plain()  # type: ignore[call-arg]
    assert_type(await coroutine(1, text="why?"), dict[str, int])
    await coroutine("1", "why?")  # type: ignore[arg-type]
    assert_type(generator("why?"), Iterator[str])
    async for item in async_generator("why?"):
        assert_type(item, bytes)
    assert_type(embed("text"), list[float])
    assert_type(bare("files"), list[str])
    assert_type(search("files", k=3), dict[str, Any])
    assert_type(await search_elsewhere("files"), list[str])
    search("files", limit=3)  # type: ignore[call-arg]


def context_managers() -> None:
    with ragvigil.pipeline("ask") as answer:
        assert_type(answer, Answer)
        answer.set(question="why?", answer="because", session_id="s", user_id=None, citations=["a"])
        answer.set(refusal=False, confidence=0.5, intent="how-to", regeneration_of="id")
        answer.set(query="why?")  # type: ignore[call-arg]
        answer.set(confidence="high")  # type: ignore[arg-type]
        answer.set(experiment_id="filters", experiment_arm="soft", experiment_unit="user", budget_exhausted=True)
        answer.set(regeneration_of=ragvigil.token())
        answer.set(budget_exhausted="yes")  # type: ignore[arg-type]
        answer.slice("team", "data")
        assert_type(answer.id, str)
        assert_type(answer.trace_id, str)
    with ragvigil.stage("retrieve") as stage:
        assert_type(stage, Stage)
        span: Span = stage
        span.set_attribute("app.shard", 3)
        stage.set(query="files", top_k=3, score_kind="similarity", cost_usd=0.001)
        stage.set(score_kind="vibes")  # type: ignore[arg-type]
        stage.set(retrieval_turn=2, index_version="7", index_committed_at=datetime.now(UTC), data_source="handbook")
        stage.set(reranker_device="cpu", reranker_batch_size=32, input_count=100, output_count=10)
        stage.set(index_committed_at="yesterday")  # type: ignore[arg-type]
        stage.outputs(["a", "b"], [0.5, None])
        stage.inputs([1, 2])
        stage.context(["a"], tokens=100, truncated=False)
        stage.cache("retrieval", hit=True)
        stage.cache("kv", hit=True)  # type: ignore[arg-type]
        stage.first_token()
    assert_type(ragvigil.stage("check", kind="GUARDRAIL"), Stage)
    ragvigil.stage("check", kind="CHAIN")  # type: ignore[arg-type]
    assert_type(ragvigil.current_answer(), Answer)
    assert_type(ragvigil.current_stage(), Stage)


async def async_context_managers() -> None:
    async with ragvigil.pipeline("ask") as answer, ragvigil.stage("generate") as stage:
        assert_type(answer, Answer)
        assert_type(stage, Stage)


def vectors(stage: Stage) -> None:
    stage.vector([0.5, 1.0])
    stage.vector(b"\x00\x00\x80?")
    stage.vector(np.zeros(3, dtype=np.float32))
    stage.vector(5)  # type: ignore[arg-type]


def filters(stage: Stage) -> None:
    said = where(
        entitlement(in_("tenant", ["acme", "beta"])),
        relevance(and_(eq("kind", "function"), not_(gte("year", 2020))), origin="llm", kind="topic"),
        eq("draft", False),
    )
    assert_type(said, Filter)
    assert_type(said.matches({"tenant": "acme"}), bool | None)
    assert_type(said.relaxed(), Filter)
    assert_type(said.predicate, Predicate | None)
    assert_type(words({"op": "and", "args": []}), list[str])
    relevance(eq("kind", "function"), origin="guess")  # type: ignore[arg-type]
    stage.filter(said)
    stage.filter({"kind": "function"}, dialect="mapping", relevance=("kind",))
    stage.filter(None)


def feedback(answer: Answer, kind: str, checked: ragvigil.FeedbackKind, reason: ragvigil.FeedbackReason) -> None:
    token = ragvigil.token()
    assert_type(token, str | None)
    assert_type(answer.token(), str | None)
    assert_type(ragvigil.feedback("thumbs_down", token=token, reason="incomplete"), bool)
    ragvigil.feedback("dwell", answer=answer, value=12.5, feedback_id="f-1", at=datetime.now(UTC))
    ragvigil.feedback(checked, answer=answer, reason=reason)
    ragvigil.feedback("applause", answer=answer)  # type: ignore[arg-type]
    ragvigil.feedback(kind, answer=answer)  # type: ignore[arg-type]
    ragvigil.feedback("copy", answer="an id")  # type: ignore[arg-type]
    ragvigil.feedback("copy", token)  # type: ignore[call-arg]


def testing() -> None:
    with recording(service_name="shop", sample=1.0) as recorded:
        assert_type(recorded, Recording)
        assert_type(recorded.answers(), list[SpanSnapshot])
        assert_type(recorded.stages("retrieve")[0].documents, list[tuple[str, float | None]])
        assert_type(recorded.feedback(), list[LogSnapshot])
        assert_type(recorded.one("ask").input, str | None)
        assert_type(recorded.counts(), Counts)
        recorded.clock.advance(0.5)
        recorded.clock.advance("a while")  # type: ignore[arg-type]
