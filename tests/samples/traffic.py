"""Answers and spans of a small shop, seeded: five intents, two teams, a reranker that turned slow at the end."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from ragvigil_monitor.store import Store
from ragvigil_monitor.telemetry_tables import ANSWERS, SPANS, to_arrow

SERVICE = "shop"
INSTANCE = "8f0c2b7a-4d1e-4a53-9d3b-0a3f5c1e7b42"
QUESTIONS = {
    "how_to": "How do I return a pair of shoes that I bought on sale?",
    "lookup": "What is the warranty period of the trail runner?",
    "compare": "Which of the two rain jackets is lighter?",
    "policy": "May I pay in instalments without a credit card?",
    "error": "Why does the checkout say that my address is not valid?",
}
ANSWER = "Shoes bought on sale can be returned within 30 days. [returns-004] Keep the box. [returns-011]"
FILTER = {
    "op": "and",
    "args": [
        {"op": "in", "field": "team", "value_hmac": ["5b1f", "a77c"]},
        {"op": "eq", "field": "kind", "value": "policy"},
    ],
}
CLAUSES = [
    {"path": "/args/0", "role": "entitlement", "origin": "caller", "kind": None},
    {"path": "/args/1", "role": "relevance", "origin": "rule", "kind": None},
]

Values = dict[str, Any]


@dataclass(slots=True)
class Traffic:
    """What one run of the shop sent. `slow_from`: since when the reranker takes four times as long."""

    slow_from: datetime
    answers: list[Values] = field(default_factory=list)
    spans: list[Values] = field(default_factory=list)

    def insert(self, store: Store) -> None:
        """Put everything into a store."""
        with store.transaction() as writer:
            for question, schema, rows in (
                ("insert_answers", ANSWERS, self.answers),
                ("insert_spans", SPANS, self.spans),
            ):
                writer.execute_with(question, to_arrow(schema, [[row.get(n) for n in schema.names] for row in rows]))


def traffic(now: datetime, *, days: float, per_day: int, slow_from: datetime, seed: int = 7) -> Traffic:
    """Answers in even steps up to `now`; the newest started a few seconds ago."""
    rng = np.random.default_rng(seed)
    sent = Traffic(slow_from)
    steps = int(days * per_day)
    for step in range(steps):
        started_at = now - timedelta(seconds=12) - timedelta(days=days) * (steps - 1 - step) / steps
        _answer(sent, rng, started_at)
    return sent


def _answer(sent: Traffic, rng: np.random.Generator, started_at: datetime) -> None:
    intent = str(rng.choice(list(QUESTIONS), p=[0.35, 0.25, 0.15, 0.15, 0.1]))
    trace_id, span_id = rng.bytes(16), rng.bytes(8)
    slow = 4.0 if started_at >= sent.slow_from else 1.0
    shared = {
        "trace_id": trace_id,
        "answer_span_id": span_id,
        "service": SERVICE,
        "service_version": "1.5.0" if slow > 1 else "1.4.2",
        "instance_id": INSTANCE,
        "status": "ok",
        "dropped_attributes": 0,
    }
    stages = list(_stages(rng, slow))
    total_ms = 4.0
    for stage in stages:
        offset = timedelta(milliseconds=total_ms)
        sent.spans.append(
            {
                **shared,
                **stage,
                "span_id": rng.bytes(8),
                "parent_span_id": span_id,
                "started_at": _db(started_at + offset),
            }
        )
        total_ms += stage["duration_ms"]
    root = {"started_at": _db(started_at), "duration_ms": total_ms + 3.0, "span_id": span_id}
    sent.spans.append({**shared, **root, "name": "ask", "kind": "CHAIN"})
    sent.answers.append({**shared, **root, **_exchange(rng, intent)})


def _exchange(rng: np.random.Generator, intent: str) -> Values:
    return {
        "answer_id": rng.bytes(8).hex(),
        "intent": intent,
        "slices": json.dumps({"team": str(rng.choice(["store", "web"]))}),
        "question": QUESTIONS[intent],
        "answer": ANSWER,
        "citations": json.dumps([{"doc_id": "returns-004", "rank": 1}, {"doc_id": "returns-011", "rank": 2}]),
        "refusal": False,
        "confidence": round(float(rng.uniform(0.5, 0.99)), 2),
        "session_id": rng.bytes(4).hex(),
        "sampling_probability": 1.0,
    }


def _stages(rng: np.random.Generator, slow: float) -> Iterator[Values]:
    found = [f"returns-{number:03d}" for number in range(1, 21)]
    ranked = ["returns-004", "returns-011", "returns-002", "returns-017", "returns-009"]
    yield {
        "name": "embed",
        "kind": "EMBEDDING",
        "stage": "embed",
        "duration_ms": _took(rng, 9),
        "model": "e5-small",
        "input_tokens": 14,
        "cost_usd": 0.000002,
    }
    yield {
        "name": "search",
        "kind": "RETRIEVER",
        "stage": "retrieve",
        "duration_ms": _took(rng, 45),
        "top_k": 20,
        "query_text": "return shoes sale",
        "filter_state": "known",
        "filter_ast": json.dumps(FILTER),
        "filter_clauses": json.dumps(CLAUSES),
        "output_documents": _documents(found, 0.83),
        "attributes": json.dumps({"db.system.name": "qdrant", "db.collection.name": "help"}),
    }
    yield {
        "name": "rerank",
        "kind": "RERANKER",
        "stage": "rerank",
        "duration_ms": _took(rng, 150) * slow,
        "model": "cross-encoder-v2",
        "input_documents": _documents(found, 0.83),
        "output_documents": _documents(ranked, 7.4),
    }
    yield {
        "name": "chat",
        "kind": "LLM",
        "stage": "generate",
        "duration_ms": _took(rng, 620),
        "model": "gpt-5-mini",
        "input_tokens": int(rng.integers(900, 1600)),
        "output_tokens": int(rng.integers(60, 220)),
        "cost_usd": round(float(rng.uniform(0.0012, 0.0026)), 6),
        "time_to_first_token_ms": _took(rng, 180),
    }


def _took(rng: np.random.Generator, median_ms: float) -> float:
    return round(float(median_ms * rng.lognormal(0, 0.35)), 3)


def _documents(ids: list[str], best: float) -> str:
    return json.dumps([{"id": id_, "score": round(best * 0.93**rank, 4)} for rank, id_ in enumerate(ids)])


def _db(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
