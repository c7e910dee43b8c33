"""Instrumented libraries, read by the type checker only: what is returned has the type of what was given."""

from typing import assert_type

from chromadb import Collection
from langchain_chroma import Chroma
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core.retrievers import VectorIndexRetriever
from qdrant_client import AsyncQdrantClient, QdrantClient

from ragvigil.integrations import chroma, langchain, llamaindex, qdrant


def clients(client: QdrantClient, async_client: AsyncQdrantClient, collection: Collection) -> None:
    assert_type(qdrant.instrument(client, relevance=("lang",), text="text", score_kind="similarity"), QdrantClient)
    assert_type(qdrant.instrument(async_client, text=lambda payload: payload["text"]), AsyncQdrantClient)
    assert_type(chroma.instrument(collection, relevance=["lang"], index_version="7"), Collection)
    qdrant.instrument(client, score_kind="closeness")  # type: ignore[arg-type]
    qdrant.instrument(collection)  # type: ignore[type-var]
    chroma.instrument(client)  # type: ignore[type-var]


def frameworks(
    store: Chroma, other: InMemoryVectorStore, retriever: BaseRetriever, index: VectorIndexRetriever
) -> None:
    assert_type(langchain.instrument(store, relevance=("lang",)), Chroma)
    assert_type(langchain.instrument(other, dialect="mapping", id="key"), InMemoryVectorStore)
    assert_type(langchain.instrument(retriever), BaseRetriever)
    assert_type(llamaindex.instrument(index, index_version="7"), VectorIndexRetriever)
    langchain.instrument(index)  # type: ignore[type-var]
    llamaindex.instrument(retriever)  # type: ignore[type-var]
