"""A question-answering application on Qdrant in local mode, instrumented as a user would do it.

Its incident is a hard filter on the language of the question: what is known in another language only is not found.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from qdrant_client import QdrantClient, models
from tests.samples.multilingual.corpus import Document, Request
from tests.samples.multilingual.encoder import CrossLingualEncoder

import ragvigil
from ragvigil import Filter, entitlement, relevance, where
from ragvigil.clock import Clock
from ragvigil.predicates import And, Leaf, Not, Or, Predicate, eq

COLLECTION = "passages"
CITED = 2


class App:
    """Searches `documents` for `k` passages; `asked` keeps every question with the filter that Qdrant was given."""

    def __init__(
        self, documents: Sequence[Document], encoder: CrossLingualEncoder, *, k: int, hard_locale: bool
    ) -> None:
        self.asked: list[tuple[str, models.Filter]] = []
        self._encoder = encoder
        self._k = k
        self._hard_locale = hard_locale
        self._client = QdrantClient(":memory:")
        self._fill(documents)
        self._search = ragvigil.retriever(filter="said", query="question", top_k="limit")(self._find)

    def answer(self, request: Request) -> str:
        """Answer one question with the passages that the search found."""
        with ragvigil.pipeline("answer") as answer:
            answer.set(question=request.question.text, session_id=request.question.id)
            answer.slice("locale", request.question.locale)
            hits = self._search(request.question.text, self._filter(request), self._k)
            ids = [hit["id"] for hit in hits]
            with ragvigil.stage("assemble") as stage:
                stage.context(ids)
            text = "\n".join(hit["text"] for hit in hits[:CITED]) or "Nothing was found."
            answer.set(answer=text, citations=ids[:CITED], refusal=not hits)
        return text

    def close(self) -> None:
        """Give up the index."""
        self._client.close()

    def _filter(self, request: Request) -> Filter:
        tenant = entitlement(eq("tenants", request.tenant))
        if not self._hard_locale:
            return where(tenant)
        return where(tenant, relevance(eq("locale", request.question.locale), origin="rule", kind="locale"))

    def _find(self, question: str, said: Filter, limit: int) -> list[dict[str, Any]]:
        ragvigil.current_stage().set(db_system="qdrant", collection=COLLECTION, score_kind="similarity")
        asked = qdrant_filter(said)
        self.asked.append((question, asked))
        vector = self._encoder.encode([question])[0].tolist()
        found = self._client.query_points(COLLECTION, query=vector, query_filter=asked, limit=limit).points
        return [_hit(point.payload or {}, point.score) for point in found]

    def _fill(self, documents: Sequence[Document]) -> None:
        size = models.VectorParams(size=self._encoder.dimension, distance=models.Distance.COSINE)
        self._client.create_collection(COLLECTION, vectors_config=size)
        vectors = self._encoder.encode([document.passage.text for document in documents])
        points = [
            models.PointStruct(id=number, vector=vector.tolist(), payload=_payload(document))
            for number, (document, vector) in enumerate(zip(documents, vectors, strict=True))
        ]
        self._client.upsert(COLLECTION, points)


@contextmanager
def watched_by(receiver: str, clock: Clock | None = None) -> Iterator[None]:
    """Ragvigil in this process: every search is probed, and texts of documents are sent."""
    ragvigil.configure(
        service_name="library",
        endpoint=receiver,
        secret_key=b"secret of the library",
        probe_share=1.0,
        max_waiting_probes=1000,
        document_texts=True,
        clock=clock,
    )
    try:
        yield
    finally:
        ragvigil.shutdown()


def _payload(document: Document) -> dict[str, Any]:
    passage = document.passage
    return {
        "document": passage.id,
        "text": passage.text,
        "locale": passage.locale,
        "tenants": list(document.tenants),
    }


def _hit(payload: dict[str, Any], score: float) -> dict[str, Any]:
    return {"id": payload["document"], "score": score, "text": payload["text"], "payload": payload}


def qdrant_filter(said: Filter) -> models.Filter:
    """A filter in the words of Qdrant; raises ValueError for one that it does not know or that names no tenant."""
    root = said.predicate
    conjuncts = root.args if isinstance(root, And) else ()
    if not any(isinstance(each, Leaf) and (each.op, each.field) == ("eq", "tenants") for each in conjuncts):
        raise ValueError("a search must say for which tenant it is")
    return models.Filter(must=_conditions(conjuncts))


def _conditions(predicates: Iterable[Predicate]) -> list[models.Condition]:
    return [_condition(predicate) for predicate in predicates]


def _condition(predicate: Predicate) -> models.Condition:
    match predicate:
        case And(args):
            return models.Filter(must=_conditions(args))
        case Or(args):
            return models.Filter(should=_conditions(args))
        case Not(arg):
            return models.Filter(must_not=[_condition(arg)])
        case Leaf("eq", field, str() | int() as value):
            return models.FieldCondition(key=field, match=models.MatchValue(value=value))
        case Leaf("in", field, tuple() as values):
            return models.FieldCondition(key=field, match=models.MatchAny(any=[str(value) for value in values]))
    raise ValueError(f"no condition of Qdrant is known for {predicate}")
