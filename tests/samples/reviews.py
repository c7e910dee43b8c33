"""Answers with evidence, drawn for blind review. Whatever would bias a label carries the word CANARY."""

import json
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np
from tests.samples.fresh_stores import fresh_store
from tests.samples.traffic import Traffic

from ragvigil_monitor.review.drawing import DRAW, DRAW_RELEVANCE
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store
from ragvigil_monitor.telemetry_tables import LOG_EVENTS, to_arrow

CANARY: Final = "CANARY"
EXCHANGES: Final = [
    (
        "How do I return a pair of shoes that I bought on sale?",
        "Shoes bought on sale can be returned within 30 days if the box is undamaged. The label for the parcel is in "
        "your account under Orders; the money is back within five working days.",
        [
            "Items bought on sale can be returned within 30 days of delivery. Shoes must be in their original box, "
            "and the box must not be damaged or taped.",
            "To print a return label, open your account, choose Orders, then Return an item. The label is valid for "
            "14 days.",
            "Refunds are paid to the card that was charged. Most banks show the money three to five working days "
            "after the parcel has reached us.",
            "Gift cards are valid for three years and cannot be exchanged for cash.",
        ],
    ),
    (
        "What is the warranty period of the trail runner?",
        "The trail runner has a warranty of five years on the sole.",
        [
            "All running shoes carry a warranty of two years against defects in material and workmanship.",
            "The warranty does not cover normal wear of the sole.",
        ],
    ),
    (
        "Welche der beiden Regenjacken ist leichter?",
        "Die Fjord Light wiegt 210 g und ist damit 90 g leichter als die Fjord Pro.",
        [
            "Fjord Light: 2,5 Lagen, 210 g in Größe M, Packmaß 0,8 l.",
            "Fjord Pro: 3 Lagen, 300 g in Größe M, Unterarmbelüftung.",
            "Imprägnierung: bei 30 °C waschen, danach 20 Minuten im Trockner.",
        ],
    ),
    (
        "האם אפשר לשלם בתשלומים בלי כרטיס אשראי?",
        "לא. תשלומים אפשריים רק בכרטיס אשראי.",
        ["תשלומים זמינים בהזמנות מעל 200 ₪ בכרטיס אשראי בלבד.", "ניתן לשלם גם ב-PayPal, בתשלום אחד."],
    ),
    ("Why does the checkout say that my address is not valid?", "I cannot answer that from the documents I have.", []),
]


def reviewed_store(now: datetime, *, answers: int = 80, days: float = 3.0) -> Store:
    """Answers up to a day before `now`: a third of low confidence, every tenth disliked."""
    store, sent, rng = fresh_store(), Traffic(slow_from=now), np.random.default_rng(11)
    disliked = []
    for number in range(answers):
        started_at = now - timedelta(hours=26) - timedelta(days=days) * number / answers
        exchange = EXCHANGES[number % len(EXCHANGES)]
        add_exchange(sent, rng, started_at, *exchange, confidence=0.3 if number % 3 == 0 else 0.9)
        if number % 10 == 0:
            disliked.append(thumbs_down(sent.answers[-1]))
    sent.insert(store)
    insert_events(store, disliked)
    return store


def draw_reviews(service: Service) -> None:
    """Run the draws for all that is mature."""
    run_due(service, service.clock(), listed=lambda _settings: [DRAW, DRAW_RELEVANCE])
    assert service.store.rows("job_problems_now") == []


def add_exchange(
    sent: Traffic,
    rng: np.random.Generator,
    started_at: datetime,
    question: str | None,
    answer: str | None,
    texts: list[str],
    **columns: Any,
) -> None:
    """One answer with a retrieval, a reranking and a generation."""
    shared = {
        "trace_id": rng.bytes(16),
        "answer_span_id": rng.bytes(8),
        "started_at": started_at.replace(tzinfo=None),
        "duration_ms": 812.5,
        "service": f"{CANARY}-service",
        "service_version": f"{CANARY}-release",
        "status": "ok",
        "dropped_attributes": 0,
    }
    exchange = {
        "span_id": shared["answer_span_id"],
        "answer_id": f"{CANARY}-{rng.bytes(4).hex()}",
        "question": question,
        "answer": answer,
        "session_id": f"{CANARY}-session",
        "user_id": f"{CANARY}-user",
        "intent": f"{CANARY}-intent",
        "slices": json.dumps({f"{CANARY}-slice": CANARY}),
        "citations": json.dumps([{"doc_id": f"{CANARY}-0", "rank": 1}]),
        "sampling_probability": 1.0,
    }
    sent.answers.append({**shared, **exchange, **columns})
    for stage in _stages(texts):
        sent.spans.append({**shared, "span_id": rng.bytes(8), **stage})


def _stages(texts: list[str]) -> Iterator[dict[str, Any]]:
    ids = [f"{CANARY}-{rank}" for rank in range(len(texts))]
    documents = json.dumps([{"id": id_, "score": 0.77 - rank / 100} for rank, id_ in enumerate(ids)])
    contents = {f"retrieval.documents.{rank}.document.content": text for rank, text in enumerate(texts)}
    yield {
        "name": "search",
        "stage": "retrieve",
        "model": f"{CANARY}-encoder",
        "output_documents": documents,
        "attributes": json.dumps({**contents, "source": CANARY}),
    }
    yield {"name": "rerank", "stage": "rerank", "input_documents": documents, "output_documents": documents}
    yield {"name": "chat", "stage": "generate", "model": f"{CANARY}-model", "provider": f"{CANARY}-provider"}


def thumbs_down(answer: dict[str, Any], *, hours_later: float = 2.0, **attributes: str) -> dict[str, Any]:
    """A log event of somebody who did not like an answer."""
    given_at = answer["started_at"] + timedelta(hours=hours_later)
    said = {"ragvigil.feedback.kind": "thumbs_down", "ragvigil.feedback.reason": f"{CANARY}-wrong", **attributes}
    return {
        "event_id": str(uuid.uuid4()),
        "event_name": "ragvigil.feedback",
        "occurred_at": given_at,
        "observed_at": given_at,
        "service": "shop",
        "trace_id": answer["trace_id"],
        "span_id": answer["span_id"],
        "attributes": json.dumps(said),
    }


def insert_events(store: Store, events: list[dict[str, Any]]) -> None:
    """Put log events into a store."""
    rows = [[event.get(name) for name in LOG_EVENTS.names] for event in events]
    with store.transaction() as writer:
        writer.execute_with("insert_log_events", to_arrow(LOG_EVENTS, rows))
