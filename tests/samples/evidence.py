"""A store with three weeks of reviewed retrievals: a filter that turned hard ten days before the end."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from tests.samples.relevance_reviews import RelevanceReviews, assembled, cited, reranked

from ragvigil_monitor.review.label_reading import READ_LABELS
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service

DOCUMENTS = ["returns-004", "returns-011", "returns-002"]
BEYOND = ["rückgabe-017", "החזרות-3"]
QUESTION = "Can I return shoes that I bought on sale?"


def add_evidence(service: Service, now: datetime, *, days: int = 21, per_day: int = 24) -> None:
    """Fill the store of a service, and let it read the labels."""
    reviews, rng = RelevanceReviews(), np.random.default_rng(8)
    for number in range(days * per_day):
        started_at = now - timedelta(hours=3) - timedelta(days=days) * number / (days * per_day)
        is_broken = started_at >= now - timedelta(days=10)
        for unit in _units(rng, is_broken=is_broken):
            priority = 0.8 * rng.random() + (0.2 if unit["relevant"] is None else 0.0)
            reviews.add(started_at, **unit, priority=priority, question=QUESTION, answer="Yes, within 30 days.")
    reviews.insert(service.store)
    run_due(service, now, listed=lambda _settings: [READ_LABELS])
    if problems := service.store.rows("job_problems_now"):
        raise RuntimeError(problems)


def _units(rng: np.random.Generator, *, is_broken: bool) -> Iterator[dict[str, Any]]:
    passes: list[bool | None] = [True, True, True, False, None if rng.random() < 0.05 else False]
    version = "1.5.0" if is_broken else "1.4.2"
    beyond = rng.random() < (0.3 if is_broken else 0.01)
    yield {
        "found": DOCUMENTS,
        "probed": DOCUMENTS + BEYOND,
        "passes": passes,
        "relevant": BEYOND if beyond else DOCUMENTS[:1],
        "sampling_probability": 0.1,
        "intent": "policy" if beyond else str(rng.choice(["how_to", "policy"])),
        "slices": '{"team": "store"}',
        "service_version": version,
        **_later(rng),
    }
    if rng.random() < 0.4:
        labelled = DOCUMENTS[:2] if rng.random() < 0.8 else None
        shared = {"probability": 0.05, "intent": "lookup", "service_version": version}
        yield {"found": DOCUMENTS, "relevant": labelled, **shared, **_later(rng)}


def _later(rng: np.random.Generator) -> dict[str, Any]:
    """Now and then the reranker, the context or the answer drops the first document."""
    dropped_at = rng.choice(["rerank", "context", "citation", "nowhere"], p=[0.03, 0.02, 0.04, 0.91])
    kept, rest = DOCUMENTS[:2], DOCUMENTS[2:]
    after_rerank = rest if dropped_at == "rerank" else kept
    in_context = rest if dropped_at in {"rerank", "context"} else kept
    citations = kept if dropped_at == "nowhere" else rest
    return {"stages": [reranked(*after_rerank), assembled(*in_context)], "citations": cited(*citations)}
