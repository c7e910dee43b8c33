"""Searches of Qdrant inside another search: one stage, the outermost, which learns what it was not told."""

from collections.abc import Callable

import pytest
from qdrant_client import QdrantClient, models
from tests.samples.qdrant_docs import ACME, BOTH, documents, scores

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.contribution import Contribution
from ragvigil.integrations.qdrant import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]


def test_inside_another_search_there_is_one_stage_that_learns_the_filter(client: QdrantClient, spans: Spans) -> None:
    instrument(client, relevance=("meta.lang",))

    @ragvigil.retriever
    def search(question: str) -> list[int]:
        found = client.query_points("docs", [1.0, 0.0], query_filter=BOTH, limit=5)
        return [int(point.id) for point in found.points[:1]]

    assert search("where?") == [3]
    (span,) = spans()
    assert span.attributes[names.RETRIEVAL_QUERY_TEXT] == "where?"
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.DB_COLLECTION] == "docs"
    assert documents(span) == ["3"]
    assert len(scores(span)) == 1


def test_a_stage_that_tells_nothing_learns_everything(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with ragvigil.stage("retrieve"):
        client.query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), limit=2)
        client.query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), limit=3)
    (span,) = spans()
    assert documents(span) == ["1", "3", "5"]
    assert span.attributes[names.FILTER_STATE] == "known"


def test_searches_inside_that_differ_leave_the_filter_unknown(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with ragvigil.stage("retrieve"):
        client.query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), limit=2)
        client.query_points("docs", [1.0, 0.0], limit=2)
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "unknown"


def test_one_search_inside_whose_filter_cannot_be_seen_leaves_it_unknown(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with ragvigil.stage("retrieve"):
        client.query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), limit=2)
        with Contribution(ragvigil.current_stage(), ragvigil.current_stage()):
            pass
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "unknown"


def test_what_the_outer_search_tells_is_believed(client: QdrantClient, spans: Spans) -> None:
    instrument(client)

    @ragvigil.retriever(filter="where", top_k="k")
    def search(question: str, where: dict[str, str], k: int) -> list[str]:
        client.query_points("docs", [1.0, 0.0], query_filter=BOTH, limit=50)
        return ["mine"]

    search("where?", {"a": "b"}, 1)
    (span,) = spans()
    assert span.attributes[names.FILTER_DIALECT] == "mapping"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 1
    assert documents(span) == ["mine"]


def test_a_search_inside_that_fails_tells_nothing(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with ragvigil.stage("retrieve"), pytest.raises(ValueError, match="nowhere"):
        client.query_points("nowhere", [1.0, 0.0])
    (span,) = spans()
    assert names.DB_COLLECTION not in span.attributes
    assert span.status != "error"
