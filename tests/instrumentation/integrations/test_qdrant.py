"""Searches of a real Qdrant client in local mode, and what is recorded of them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from tests.samples.qdrant_docs import ACME, BOTH, VECTORS, documents, scores

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.qdrant import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]


def test_a_search_is_a_stage_with_everything_about_it(client: QdrantClient, spans: Spans) -> None:
    searched = instrument(client, relevance=("meta.lang",), score_kind="similarity", index_version="2026-06-01")
    assert searched is client
    with ragvigil.pipeline("ask"):
        found = client.query_points("docs", [1.0, 0.0], query_filter=BOTH, limit=5)
    span, answer = spans()
    attributes = span.attributes
    assert documents(span) == [str(point.id) for point in found.points] == ["3", "9"]
    assert scores(span) == [point.score for point in found.points]
    assert attributes[names.STAGE] == "retrieve"
    assert attributes[names.RETRIEVAL_TOP_K] == 5
    assert attributes[names.DB_SYSTEM] == "qdrant"
    assert attributes[names.DB_COLLECTION] == "docs"
    assert attributes[names.SCORE_KIND] == "similarity"
    assert attributes[names.INDEX_VERSION] == "2026-06-01"
    assert attributes[names.FILTER_STATE] == "known"
    assert attributes[names.FILTER_DIALECT] == "qdrant"
    clauses = json.loads(attributes[names.FILTER_CLAUSES])
    assert [(clause["path"], clause["role"]) for clause in clauses] == [("/args/1", "relevance")]
    assert "acme" not in str(attributes)
    assert attributes[names.ANSWER_SPAN_ID] == answer.span_id


async def test_an_async_search_records_the_same(async_client: AsyncQdrantClient, spans: Spans) -> None:
    instrument(async_client, relevance=("meta.lang",))
    await async_client.query_points("docs", query=[1.0, 0.0], query_filter=BOTH, limit=1)
    (span,) = spans()
    assert documents(span) == ["3"]
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 1


def test_no_filter_is_none_and_defaults_are_known(client: QdrantClient, spans: Spans) -> None:
    instrument(client).query_points("docs", [1.0, 0.0])
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "none"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 10
    assert names.ANSWER_SPAN_ID not in span.attributes


@pytest.mark.parametrize(
    ("options", "state", "opaque"),
    [
        ({"score_threshold": 0.5}, "partial", 1),
        ({"prefetch": models.Prefetch(query=[1.0, 0.0], limit=5)}, "known", 0),
        ({"prefetch": models.Prefetch(query=[1.0, 0.0], score_threshold=0.1)}, "partial", 1),
        ({"prefetch": [models.Prefetch(query=[1.0, 0.0], filter=models.Filter(must=[ACME]))]}, "partial", 1),
        (
            {"prefetch": models.Prefetch(query=[0.0, 1.0], prefetch=[models.Prefetch(query=[1.0, 0.0], filter=BOTH)])},
            "partial",
            1,
        ),
    ],
    ids=["score threshold", "prefetch", "scored prefetch", "filtered prefetch", "filtered prefetch below"],
)
def test_what_restricts_beside_the_filter_is_not_understood_and_told(
    client: QdrantClient, spans: Spans, options: dict[str, Any], state: str, opaque: int
) -> None:
    instrument(client).query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), **options)
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == state
    assert span.attributes[names.FILTER_OPAQUE_COUNT] == opaque


def test_a_filter_of_another_kind_is_unknown(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with pytest.raises(Exception, match="must"):
        client.query_points("docs", [1.0, 0.0], query_filter={"must": "secret"})  # type: ignore[arg-type]  # wrong
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "unknown"
    assert "secret" not in str(span.attributes[names.FILTER_RAW])


def test_exceptions_of_the_client_pass_through(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with pytest.raises(ValueError, match="nowhere"):
        client.query_points("nowhere", [1.0, 0.0])
    (span,) = spans()
    assert span.status == "error"
    assert names.STAGE_OUTPUT_DOCUMENTS not in span.attributes


def test_groups_are_recorded_as_their_documents(client: QdrantClient, spans: Spans) -> None:
    found = instrument(client).query_points_groups("docs", group_by="tenant", query=[1.0, 0.0], group_size=2, limit=2)
    (span,) = spans()
    assert documents(span) == [str(hit.id) for group in found.groups for hit in group.hits]
    assert len(documents(span)) == 4
    assert span.attributes[names.RETRIEVAL_TOP_K] == 4


def test_a_batch_that_can_be_read_only_once_is_left_to_the_client(
    client: QdrantClient, spans: Spans, caplog: pytest.LogCaptureFixture
) -> None:
    requests = (models.QueryRequest(query=[1.0, 0.0], limit=2) for _ in range(3))
    assert len(instrument(client).query_batch_points("docs", requests)) == 3  # type: ignore[arg-type]  # works
    assert spans() == []
    assert "the searches of a batch cannot be seen in generator" in caplog.text


def test_a_batch_is_a_stage_for_each_of_its_searches(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    requests = [
        models.QueryRequest(query=[1.0, 0.0], filter=models.Filter(must=[ACME]), limit=2),
        models.QueryRequest(query=[1.0, 0.0], score_threshold=0.1),
    ]
    with ragvigil.pipeline("ask"):
        client.query_batch_points("docs", requests)
    first, second, answer = spans()
    assert documents(first) == ["1", "3"]
    assert (first.attributes[names.FILTER_STATE], first.attributes[names.RETRIEVAL_TOP_K]) == ("known", 2)
    assert (second.attributes[names.FILTER_STATE], second.attributes[names.RETRIEVAL_TOP_K]) == ("partial", 10)
    assert first.parent_id == second.parent_id == answer.span_id
    assert second.attributes[names.DB_COLLECTION] == "docs"


def test_a_page_of_points_is_a_search_where_it_is_filtered(client: QdrantClient, spans: Spans) -> None:
    instrument(client, score_kind="similarity")
    client.scroll("docs", limit=2)
    client.scroll("docs", scroll_filter=models.Filter(must=[ACME]), limit=2)
    (span,) = spans()
    assert documents(span) == ["1", "3"]
    assert scores(span) == [None, None]
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 2
    assert names.SCORE_KIND not in span.attributes


@pytest.mark.parametrize("text", ["text", lambda payload: payload["text"]], ids=["key", "function"])
def test_texts_are_recorded_where_they_are_asked_for(client: QdrantClient, configured: Configured, text: Any) -> None:
    spans = configured(document_texts=True)
    instrument(client, text=text).query_points("docs", [1.0, 0.0], limit=2)
    (span,) = spans()
    content = [span.attributes[f"{names.RETRIEVAL_DOCUMENTS}.{rank}.{names.DOCUMENT_CONTENT}"] for rank in (0, 1)]
    assert content == ["text 0", "text 1"]


def test_only_this_client_is_recorded_and_nothing_else_changes(client: QdrantClient, spans: Spans) -> None:
    other = QdrantClient(":memory:")
    other.create_collection("docs", vectors_config=VECTORS)
    plain = type(client)
    instrument(client)
    assert isinstance(client, plain)
    assert type(client).__name__ == "QdrantClient"
    assert type(other) is plain
    assert "query_points" not in vars(client)
    other.query_points("docs", [1.0, 0.0])
    client.get_collections()
    assert spans() == []
    other.close()


def test_instrumented_twice_it_records_once_and_as_told_last(client: QdrantClient, spans: Spans) -> None:
    instrument(instrument(client, index_version="1"), index_version="2").query_points("docs", [1.0, 0.0])
    (span,) = spans()
    assert span.attributes[names.INDEX_VERSION] == "2"


def test_nothing_is_recorded_before_configure(client: QdrantClient) -> None:
    assert len(instrument(client).query_points("docs", [1.0, 0.0], limit=3).points) == 3


def test_another_object_is_refused() -> None:
    with pytest.raises(TypeError, match="client: got str; expected a QdrantClient"):
        instrument("http://localhost:6333")  # type: ignore[type-var]  # wrong on purpose
