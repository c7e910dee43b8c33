"""Searches through LangChain, over its own store, Qdrant and Chroma, and what is recorded of them."""

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient, models
from tests.samples.langchain_docs import (
    BOTH,
    DOCUMENTS,
    EMBEDDING,
    FOUND,
    IDS,
    LANGS,
    METADATA,
    WHERE,
    Bare,
    documents,
    equals,
    is_german,
)

import ragvigil
from ragvigil import attributes as names
from ragvigil.dialects import read_filter
from ragvigil.integrations.langchain import instrument
from ragvigil.integrations.qdrant import instrument as instrument_qdrant
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]


def test_a_search_of_chroma_is_a_stage_with_everything_about_it(chroma: Chroma, spans: Spans) -> None:
    assert instrument(chroma, relevance=("lang",), index_version="7") is chroma
    with ragvigil.pipeline("ask"):
        found = chroma.similarity_search_with_score("a question", k=5, filter=WHERE)
    span, _ = spans()
    attributes = span.attributes
    assert documents(span) == {document.id: score for document, score in found}
    assert set(documents(span)) == FOUND
    assert attributes[names.RETRIEVAL_QUERY_TEXT] == "a question"
    assert attributes[names.RETRIEVAL_TOP_K] == 5
    assert attributes[names.DB_SYSTEM] == "chroma"
    assert attributes[names.SCORE_KIND] == "distance"
    assert attributes[names.INDEX_VERSION] == "7"
    assert attributes[names.FILTER_STATE] == "known"
    assert attributes[names.FILTER_DIALECT] == "chroma"
    assert [clause["path"] for clause in json.loads(attributes[names.FILTER_CLAUSES])] == ["/args/1"]
    assert "acme" not in str(attributes)


def test_a_search_of_qdrant_is_read_as_such(qdrant: QdrantVectorStore, spans: Spans) -> None:
    instrument(qdrant, relevance=("metadata.lang",))
    found = qdrant.similarity_search_with_score("a question", k=5, filter=BOTH)
    (span,) = spans()
    assert documents(span) == {document.metadata["_id"]: score for document, score in found}
    assert set(documents(span)) == FOUND
    assert span.attributes[names.FILTER_DIALECT] == "qdrant"
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.DB_SYSTEM] == "qdrant"


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ({}, "none"),
        ({"filter": is_german}, "unknown"),
        ({"filter": {"lang": "de"}}, "unknown"),
        ({"expr": "x"}, "partial"),
    ],
    ids=["none", "function", "dictionary", "argument of unknown meaning"],
)
def test_what_the_store_cannot_say_is_unknown(
    memory: InMemoryVectorStore, spans: Spans, options: dict[str, Any], state: str
) -> None:
    instrument(memory)
    if options.get("filter") == {"lang": "de"}:
        with pytest.raises(TypeError, match="callable"):
            memory.similarity_search("a question", k=2, **options)
    else:
        memory.similarity_search_with_score("a question", k=2, **options)
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == state


def test_a_store_that_does_not_say_how_it_filters_is_unknown(spans: Spans) -> None:
    instrument(Bare(DOCUMENTS)).similarity_search("a question", k=2)
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "unknown"
    assert list(documents(span)) == IDS[:2]


@pytest.mark.parametrize(("dialect", "state"), [(None, "unknown"), ("mapping", "known")])
def test_the_language_of_dictionaries_can_be_said(spans: Spans, dialect: str | None, state: str) -> None:
    instrument(Bare(DOCUMENTS), dialect=dialect).similarity_search("a question", filter={"lang": "de"})
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == state


@pytest.mark.parametrize("where", ["key", lambda document: document.metadata["key"]], ids=["key", "function"])
def test_ids_are_found_where_they_are_said_to_be(spans: Spans, where: Any) -> None:
    found = [
        Document(page_content="a", metadata={"key": "k1"}),
        Document(id="x", page_content="b", metadata={"key": 2}),
    ]
    instrument(Bare(found), id=where).similarity_search("a question")
    (span,) = spans()
    assert list(documents(span)) == ["k1", "2"]


def test_documents_without_ids_cost_the_documents_only(spans: Spans, lenient: None, caplog: Any) -> None:
    store = instrument(Bare([Document(page_content="a")]))
    assert store.similarity_search("a question") == [Document(page_content="a")]
    (span,) = spans()
    assert names.STAGE_OUTPUT_DOCUMENTS not in span.attributes
    assert span.attributes[names.RETRIEVAL_QUERY_TEXT] == "a question"
    assert "say where it is by instrument(..., id=...)" in caplog.text


SEARCHES: dict[str, Callable[[Any], Any]] = {
    "search": lambda store: store.similarity_search("q", k=3, filter=WHERE),
    "by position": lambda store: store.similarity_search("q", 3, WHERE),
    "with score": lambda store: store.similarity_search_with_score("q", k=3, filter=WHERE),
    "by vector": lambda store: store.similarity_search_by_vector([1.0] * 8, k=3, filter=WHERE),
    "diverse": lambda store: store.max_marginal_relevance_search("q", k=3, filter=WHERE),
    "retriever": lambda store: store.as_retriever(search_kwargs={"k": 3, "filter": WHERE}).invoke("q"),
    "async": lambda store: asyncio.run(store.asimilarity_search("q", k=3, filter=WHERE)),
    "async retriever": lambda store: asyncio.run(
        store.as_retriever(search_kwargs={"k": 3, "filter": WHERE}).ainvoke("q")
    ),
    "any": lambda store: store.search("q", "similarity", k=3, filter=WHERE),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_each_way_to_search_is_one_stage(chroma: Chroma, spans: Spans, search: Callable[[Any], Any]) -> None:
    found = search(instrument(chroma))
    (span,) = spans()
    assert set(documents(span)) == FOUND
    assert len(found) == 2
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 3


def test_a_search_without_scores_takes_those_of_the_one_below(chroma: Chroma, spans: Spans) -> None:
    instrument(chroma).similarity_search("a question", k=3)
    (span,) = spans()
    assert len(documents(span)) == 3
    assert None not in documents(span).values()
    assert span.attributes[names.SCORE_KIND] == "distance"


def test_scores_that_were_converted_are_those_that_were_returned(chroma: Chroma, spans: Spans) -> None:
    with pytest.warns(UserWarning, match="Relevance scores"):
        found = instrument(chroma).similarity_search_with_relevance_scores("a question", k=3, score_threshold=-99.0)
    (span,) = spans()
    assert list(documents(span).values()) == [score for _, score in found]
    assert span.attributes[names.SCORE_KIND] == "similarity"
    assert span.attributes[names.FILTER_STATE] == "partial"


class OfOneTenant(QdrantVectorStore):
    """A store that adds a filter to each search."""

    def similarity_search_with_score(self, query: str, k: int = 4, filter: Any = None, **keywords: Any) -> Any:  # type: ignore[override]  # noqa: A002 - shorter
        both = models.Filter(must=[equals("metadata.tenant", "acme"), *([filter] if filter else [])])
        return super().similarity_search_with_score(query, k, both, **keywords)


@pytest.mark.parametrize("is_seen", [False, True], ids=["store only", "client too"])
@pytest.mark.parametrize("filter_", [None, models.Filter(must=[equals("metadata.lang", "de")])], ids=["none", "some"])
def test_a_filter_that_an_overridden_search_adds_is_never_called_none(
    client: QdrantClient, qdrant: QdrantVectorStore, spans: Spans, filter_: models.Filter | None, is_seen: bool
) -> None:
    assert qdrant.collection_name == "docs"
    store = instrument(OfOneTenant(client, "docs", EMBEDDING))
    if is_seen:
        instrument_qdrant(client)
    store.similarity_search("a question", 3, filter_)
    asyncio.run(store.asimilarity_search_with_score("a question", 3, filter_))
    wanted = "partial" if filter_ else "known" if is_seen else "unknown"
    assert [span.attributes[names.FILTER_STATE] for span in spans()] == [wanted, wanted]


def test_searches_of_one_store_only_are_stages_too(chroma: Chroma, qdrant: QdrantVectorStore, spans: Spans) -> None:
    with_vectors = instrument(chroma).similarity_search_with_vectors("a question", 3, filter=WHERE)
    instrument(qdrant).max_marginal_relevance_search_with_score_by_vector([0.5] * 8, k=2, filter=BOTH)
    vectors, diverse = spans()
    assert documents(vectors) == {document.id: None for document, _ in with_vectors}
    assert set(documents(vectors)) == set(documents(diverse)) == FOUND
    assert None not in documents(diverse).values()
    assert vectors.attributes[names.FILTER_STATE] == diverse.attributes[names.FILTER_STATE] == "known"


def test_over_an_instrumented_client_there_is_one_stage(
    client: QdrantClient, qdrant: QdrantVectorStore, spans: Spans
) -> None:
    instrument_qdrant(client)
    instrument(qdrant).similarity_search("a question", k=3, filter=BOTH)
    (span,) = spans()
    assert set(documents(span)) == FOUND
    assert span.attributes[names.DB_COLLECTION] == "docs"
    assert span.attributes[names.RETRIEVAL_QUERY_TEXT] == "a question"


def test_random_filters_are_read_as_the_stores_apply_them(
    qdrant: QdrantVectorStore, chroma: Chroma, spans: Spans
) -> None:
    chance = random.Random(20261130)
    instrument(qdrant)
    instrument(chroma)
    for _ in range(60):
        fields = chance.choices(["tenant", "lang", "absent"], k=2)
        pairs = [(name, chance.choice(["acme", "beta", *LANGS])) for name in fields]
        clause, operator = chance.choice(["must", "should", "must_not"]), chance.choice(["$eq", "$ne"])
        native = models.Filter(**{clause: [equals(f"metadata.{name}", value) for name, value in pairs]})
        where = {chance.choice(["$and", "$or"]): [{name: {operator: value}} for name, value in pairs]}
        searched: list[tuple[Any, Any, str]] = [(qdrant, native, "metadata."), (chroma, where, "")]
        for store, asked, prefix in searched:
            found = store.similarity_search("a question", k=12, filter=asked)
            said = read_filter(asked, None if prefix else "chroma")
            passing = {n for n in range(12) if said.matches({f"{prefix}{k}": v for k, v in METADATA[n].items()})}
            assert {int(document.page_content.split()[1]) for document in found} == passing, asked
    assert len(spans()) == 120
