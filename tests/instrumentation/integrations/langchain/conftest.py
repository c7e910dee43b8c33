"""The documents in LangChain's own store, in Chroma and in Qdrant."""

import uuid
from collections.abc import Iterator

import pytest
from chromadb.config import Settings
from langchain_chroma import Chroma
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient, models
from tests.samples.langchain_docs import DOCUMENTS, EMBEDDING


@pytest.fixture
def memory() -> InMemoryVectorStore:
    store = InMemoryVectorStore(EMBEDDING)
    store.add_documents(DOCUMENTS)
    return store


@pytest.fixture
def chroma() -> Chroma:
    settings = Settings(anonymized_telemetry=False)
    store = Chroma(f"docs-{uuid.uuid4()}", embedding_function=EMBEDDING, client_settings=settings)
    store.add_documents(DOCUMENTS)
    return store


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    made = QdrantClient(":memory:")
    yield made
    made.close()


@pytest.fixture
def qdrant(client: QdrantClient) -> QdrantVectorStore:
    client.create_collection("docs", models.VectorParams(size=8, distance=models.Distance.COSINE))
    store = QdrantVectorStore(client, "docs", EMBEDDING)
    store.add_documents(DOCUMENTS)
    return store
