"""Retrievals with and without probes, to be reviewed for relevance. Whatever would bias a label carries CANARY."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from tests.samples.fresh_stores import fresh_store
from tests.samples.reviews import CANARY, EXCHANGES
from tests.samples.traffic import Traffic

from ragvigil_monitor.store import Store

Texts = Mapping[str, str | None]
"""Documents by id, best first; None: the text was not recorded."""

FILTER = {
    "op": "and",
    "args": [
        {"op": "eq", "field": f"{CANARY}-team", "value_hmac": "5b1f"},
        {"op": "eq", "field": f"{CANARY}-locale", "value": "en"},
    ],
}
ENTITLEMENT = {"path": "/args/0", "role": "entitlement", "origin": "caller", "kind": None}
RELEVANCE = {"path": "/args/1", "role": "relevance", "origin": "llm", "kind": f"{CANARY}-kind"}
QUESTION = "Are returns free?"
NEVER = datetime(2199, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Searches:
    """Answers, their retrievals and probes on the way into a store; ids come from the seed."""

    target: Store
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))
    waiting: Traffic = field(default_factory=lambda: Traffic(slow_from=NEVER))

    @property
    def store(self) -> Store:
        """The store, with everything so far in it."""
        self.waiting.insert(self.target)
        self.waiting = Traffic(slow_from=NEVER)
        return self.target

    def answer(self, started_at: datetime, *, question: str | None = QUESTION, **columns: Any) -> dict[str, Any]:
        """An answer that nothing was retrieved for yet."""
        row = {
            **self._shared(started_at),
            "trace_id": self.rng.bytes(16),
            "span_id": self.rng.bytes(8),
            "answer_id": f"{CANARY}-{self.rng.bytes(4).hex()}",
            "question": question,
            "answer": f"{CANARY}-answer",
            "citations": json.dumps([{"doc_id": f"{CANARY}-0", "rank": 1}]),
            "intent": f"{CANARY}-intent",
            "sampling_probability": 1.0,
            **columns,
        }
        self.waiting.answers.append(row)
        return row

    def retrieval(self, answer: Mapping[str, Any], found: Texts | None, **columns: Any) -> dict[str, Any]:
        """A retrieval without a filter, unless columns say otherwise."""
        return self._search(answer["started_at"] + timedelta(milliseconds=40), found, answer=answer, **columns)

    def filtered(self, answer: Mapping[str, Any], found: Texts | None, **columns: Any) -> dict[str, Any]:
        """A retrieval with an entitlement clause and a relevance clause."""
        said = {"filter_ast": json.dumps(FILTER), "filter_clauses": json.dumps([ENTITLEMENT, RELEVANCE])}
        return self.retrieval(answer, found, **{"filter_state": "known", **said, **columns})

    def probe(
        self,
        retrieval: Mapping[str, Any],
        found: Texts | None,
        *,
        share: object = 1.0,
        after_s: float = 5,
        **columns: Any,
    ) -> dict[str, Any]:
        """The same search without its relevance clause, in a trace of its own."""
        said = {
            "ragvigil.probe.kind": "relaxed_filter",
            "ragvigil.probe.dropped_clauses": ["/args/1"],
            "ragvigil.probe.passes": json.dumps([None] * len(found or {})),
            "ragvigil.sampling.probability": share,
        }
        probed = f"{retrieval['trace_id'].hex()}-{retrieval['span_id'].hex()}"
        started_at = retrieval["started_at"] + timedelta(seconds=after_s)
        trace = {"trace_id": self.rng.bytes(16), "answer_span_id": None, "probe_id": probed, "top_k": 20}
        return self._search(started_at, found, attributes=said, **{**trace, **columns})

    def probed(self, started_at: datetime, found: Texts, probed: Texts, **columns: Any) -> dict[str, Any]:
        """An answer with a filtered retrieval and its probe; the answer."""
        answer = self.answer(started_at, **columns)
        self.probe(self.filtered(answer, found), probed)
        return answer

    def _search(
        self,
        started_at: datetime,
        found: Texts | None,
        *,
        answer: Mapping[str, Any] | None = None,
        attributes: Mapping[str, object] | None = None,
        **columns: Any,
    ) -> dict[str, Any]:
        of = {} if answer is None else {"trace_id": answer["trace_id"], "answer_span_id": answer["span_id"]}
        row = {
            **self._shared(started_at),
            **of,
            "span_id": self.rng.bytes(8),
            "name": f"{CANARY}-search",
            "kind": "RETRIEVER",
            "stage": "retrieve",
            "top_k": 10,
            "filter_state": "none",
            "output_documents": _documents(found),
            "attributes": json.dumps({**_contents(found or {}), "source": CANARY, **(attributes or {})}),
            **columns,
        }
        self.waiting.spans.append(row)
        return row

    def _shared(self, started_at: datetime) -> dict[str, Any]:
        return {
            "started_at": started_at.astimezone(UTC).replace(tzinfo=None) if started_at.tzinfo else started_at,
            "duration_ms": 31.5,
            "service": f"{CANARY}-service",
            "service_version": f"{CANARY}-release",
            "status": "ok",
            "dropped_attributes": 0,
        }


def texts(*ids: str) -> dict[str, str | None]:
    """Documents whose text tells their id, without the CANARY that every id holds."""
    return {f"{CANARY}-{id_}": f"Text of {id_}." for id_ in ids}


def _documents(found: Texts | None) -> str | None:
    if found is None:
        return None
    return json.dumps([{"id": id_, "score": 0.77 - rank / 100} for rank, id_ in enumerate(found)])


def _contents(found: Texts) -> dict[str, str]:
    return {
        f"retrieval.documents.{rank}.document.content": text
        for rank, text in enumerate(found.values())
        if text is not None
    }


def relevance_store(now: datetime, *, items: int = 12, store: Store | None = None) -> Store:
    """Probed retrievals a few hours before `now`, about the exchanges of the other sample, each with all its texts."""
    made = Searches(store or fresh_store())
    every = {f"{CANARY}-{number}": text for number, text in enumerate(text for _, _, own in EXCHANGES for text in own)}
    for number in range(items):
        question, _, own = EXCHANGES[number % len(EXCHANGES)]
        found = {id_: text for id_, text in every.items() if text not in own[1:]}
        made.probed(now - timedelta(hours=3, minutes=number), found, {**every, **found}, question=question)
    return made.store
