"""LangChain's retrievers, over a store or of somebody's own."""

import asyncio
import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from langchain_chroma import Chroma
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore, VectorStoreRetriever
from langchain_qdrant import QdrantVectorStore
from tests.samples.langchain_docs import (
    BOTH,
    DOCUMENTS,
    FOUND,
    WHERE,
    Bare,
    documents,
    is_german,
)

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.langchain import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]


def test_of_a_stores_retriever_the_store_is_recorded(chroma: Chroma, spans: Spans) -> None:
    retriever = chroma.as_retriever(search_kwargs={"k": 3, "filter": WHERE})
    assert instrument(retriever) is retriever
    assert isinstance(retriever, VectorStoreRetriever)
    retriever.invoke("a question")
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "known"
    assert set(documents(span)) == FOUND


class Rephrasing(BaseRetriever):
    """A retriever of somebody's own, over a store."""

    store: Any
    k: int = 2

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - part of the signature
    ) -> list[Document]:
        found: list[Document] = self.store.similarity_search(f"what is {query}?", k=self.k)
        return found


def test_of_another_retriever_the_filter_is_unknown(memory: InMemoryVectorStore, spans: Spans) -> None:
    instrument(Rephrasing(store=memory)).invoke("a question")
    (span,) = spans()
    assert span.attributes[names.RETRIEVAL_QUERY_TEXT] == "a question"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 2
    assert span.attributes[names.FILTER_STATE] == "unknown"
    assert len(documents(span)) == 2


def test_another_retriever_learns_from_what_is_instrumented_below(memory: InMemoryVectorStore, spans: Spans) -> None:
    instrument(Rephrasing(store=instrument(memory))).invoke("a question")
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "none"
    assert span.attributes[names.RETRIEVAL_QUERY_TEXT] == "a question"
    assert None not in documents(span).values()


def test_scores_from_below_keep_their_kind(chroma: Chroma, qdrant: QdrantVectorStore, spans: Spans) -> None:
    instrument(chroma)
    instrument(Rephrasing(store=chroma)).invoke("a question")
    with ragvigil.stage("retrieve"):
        chroma.similarity_search("a question")
    with ragvigil.stage("retrieve") as stage:
        stage.outputs([document.id for document in chroma.similarity_search("a question")], [0.5] * 4)
    with ragvigil.stage("retrieve"):
        chroma.similarity_search_with_score("a question")
        instrument(qdrant, score_kind="similarity").similarity_search_with_score("a question")
    told = [span.attributes.get(names.SCORE_KIND) for span in spans()]
    assert told == ["distance", "distance", None, None]
    assert set(documents(spans()[3]).values()) == {None}


def test_it_stays_a_part_of_chains(memory: InMemoryVectorStore, spans: Spans) -> None:
    retriever = instrument(Rephrasing(store=memory))
    chain = retriever | RunnableLambda(len)
    assert chain.invoke("one") == 2
    assert chain.batch(["two", "three"]) == [2, 2]
    assert asyncio.run(chain.ainvoke("four")) == 2
    assert retriever.with_config(tags=["a"]).invoke("five")
    assert sorted(span.attributes[names.RETRIEVAL_QUERY_TEXT] for span in spans()) == [
        "five",
        "four",
        "one",
        "three",
        "two",
    ]
    assert retriever.get_name() == "Rephrasing"


def pickled(retriever: Rephrasing) -> Rephrasing:
    made: Rephrasing = pickle.loads(pickle.dumps(retriever))  # noqa: S301 - our own bytes
    return made


async def test_arguments_that_an_async_search_only_hands_on_are_read(
    qdrant: QdrantVectorStore, chroma: Chroma, spans: Spans
) -> None:
    await instrument(qdrant).asimilarity_search_with_score("a question", 3, BOTH)
    await instrument(chroma).asimilarity_search_with_score("a question", 3)
    filtered, unfiltered = spans()
    assert (filtered.attributes[names.FILTER_STATE], unfiltered.attributes[names.FILTER_STATE]) == ("known", "none")
    assert filtered.attributes[names.RETRIEVAL_TOP_K] == unfiltered.attributes[names.RETRIEVAL_TOP_K] == 3
    assert filtered.attributes[names.RETRIEVAL_QUERY_TEXT] == "a question"


class Vague(Bare):
    """A store whose searches do not all say what they take."""

    def similarity_search(self, query: str, k: int = 4, filter: Any = None, **_: Any) -> list[Document]:  # noqa: A002
        return [] if filter else super().similarity_search(query, k)

    def similarity_search_with_score(self, *arguments: Any, **keywords: Any) -> list[tuple[Document, float]]:
        return [(DOCUMENTS[0], 0.5)] if arguments or keywords else []


def test_arguments_without_a_name_leave_the_filter_unknown(spans: Spans) -> None:
    store = instrument(Vague([]), dialect="mapping")
    store.similarity_search_with_score("a question", 3, is_german)
    store.similarity_search_with_score(query="a question", filter=None)
    store.similarity_search_with_score("a question", filter=None)
    assert [span.attributes[names.FILTER_STATE] for span in spans()] == ["unknown", "none", "partial"]


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, pickled, lambda retriever: retriever.model_copy()],
    ids=["copy", "deep", "pickle", "model"],
)
def test_copies_record_by_themselves(spans: Spans, duplicate: Callable[[Rephrasing], Rephrasing]) -> None:
    original = instrument(Rephrasing(store=Bare(DOCUMENTS), k=2), index_version="7")
    duplicated = duplicate(original)
    duplicated.k = 3
    assert (len(duplicated.invoke("a question")), original.k) == (3, 2)
    (span,) = spans()
    assert span.attributes[names.INDEX_VERSION] == "7"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 3
    assert isinstance(duplicated, Rephrasing)
    assert duplicated.model_dump(exclude={"store"}) == {**original.model_dump(exclude={"store"}), "k": 3}


def test_exceptions_pass_through(spans: Spans) -> None:
    with pytest.raises(AttributeError, match="similarity_search"):
        instrument(Rephrasing(store=None)).invoke("a question")
    with pytest.raises(NotImplementedError):
        instrument(Bare([])).similarity_search_with_score("a question")
    assert [span.status for span in spans()] == ["error", "error"]


def test_another_object_is_refused() -> None:
    with pytest.raises(TypeError, match="searched: got RunnableLambda; expected a VectorStore or a BaseRetriever"):
        instrument(RunnableLambda(len))  # type: ignore[type-var]  # wrong on purpose
