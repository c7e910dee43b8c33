"""Twelve points of two tenants in three languages, and what is told of searches among them."""

import json

from qdrant_client import models

from ragvigil import attributes as names
from ragvigil.testing import SpanSnapshot

LANGS = ["de", "fr", "en"]
POINTS = [
    models.PointStruct(
        id=number,
        vector=[1.0, number / 10],
        payload={
            "text": f"text {number}",
            "tenant": "acme" if number % 2 else "beta",
            "meta": {"lang": LANGS[number % 3]},
        },
    )
    for number in range(12)
]
VECTORS = models.VectorParams(size=2, distance=models.Distance.COSINE)


def equals(key: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


ACME = equals("tenant", "acme")
GERMAN = equals("meta.lang", "de")
BOTH = models.Filter(must=[ACME, GERMAN])


def documents(span: SpanSnapshot) -> list[str]:
    return [document["id"] for document in json.loads(span.attributes[names.STAGE_OUTPUT_DOCUMENTS])]


def scores(span: SpanSnapshot) -> list[float | None]:
    return [document["score"] for document in json.loads(span.attributes[names.STAGE_OUTPUT_DOCUMENTS])]
