"""Twelve documents for LangChain's stores, filters over them, and what a span says was found."""

import json
import uuid
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import VectorStore
from qdrant_client import models

from ragvigil import attributes as names
from ragvigil.testing import SpanSnapshot

EMBEDDING = DeterministicFakeEmbedding(size=8)
LANGS = ["de", "fr", "en"]
IDS = [str(uuid.UUID(int=number)) for number in range(12)]
METADATA = [{"tenant": "acme" if n % 2 else "beta", "lang": LANGS[n % 3]} for n in range(12)]
DOCUMENTS = [Document(id=IDS[n], page_content=f"text {n}", metadata=METADATA[n]) for n in range(12)]
WHERE: Any = {"$and": [{"tenant": "acme"}, {"lang": "de"}]}
FOUND = {IDS[3], IDS[9]}


def equals(key: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


BOTH = models.Filter(must=[equals("metadata.tenant", "acme"), equals("metadata.lang", "de")])


def is_german(document: Document) -> bool:
    return bool(document.metadata["lang"] == "de")


def documents(span: SpanSnapshot) -> dict[str, float | None]:
    told = json.loads(span.attributes[names.STAGE_OUTPUT_DOCUMENTS])
    return {document["id"]: document["score"] for document in told}


class Bare(VectorStore):
    """A store that finds what it was given, and takes dictionaries."""

    def __init__(self, found: list[Document]) -> None:
        self.found = found

    def similarity_search(self, query: str, k: int = 4, **_: Any) -> list[Document]:
        return self.found[:k] if query else []

    @classmethod
    def from_texts(cls, *arguments: Any, **_: Any) -> "Bare":
        return cls([*arguments])
