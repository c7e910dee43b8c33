"""Small applications on LangChain, LlamaIndex, Qdrant and Chroma, whose searches arrive in a real monitor."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import chromadb
import pytest
from chromadb.config import Settings
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.runnables import RunnableLambda
from langchain_qdrant import QdrantVectorStore
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from qdrant_client import QdrantClient, models
from tests.samples.monitors import Monitor
from tests.samples.multilingual.evidence import pairs, stored_searches

import ragvigil
from ragvigil import ProbeCounts
from ragvigil.integrations import chroma, langchain, llamaindex, qdrant

Ask = Callable[[str], object]

IDS = [str(uuid.UUID(int=number)) for number in range(8)]
METADATA: list[Any] = [{"tenant": "acme" if n % 2 else "beta", "lang": "de" if n < 4 else "fr"} for n in range(8)]
FOUND, OTHERS = {IDS[1], IDS[3]}, {IDS[5], IDS[7]}


def both(prefix: str = "") -> models.Filter:
    wanted = {f"{prefix}tenant": "acme", f"{prefix}lang": "de"}
    conditions = [models.FieldCondition(key=k, match=models.MatchValue(value=v)) for k, v in wanted.items()]
    return models.Filter(must=conditions)


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    made = QdrantClient(":memory:")
    made.create_collection("docs", models.VectorParams(size=8, distance=models.Distance.COSINE))
    yield made
    made.close()


def on_qdrant(client: QdrantClient) -> Ask:
    """The client itself."""
    points = [models.PointStruct(id=IDS[n], vector=[1.0, n, 0, 0, 0, 0, 0, 0], payload=METADATA[n]) for n in range(8)]
    client.upsert("docs", points)
    searched = qdrant.instrument(client, relevance=("lang",))
    return lambda _: searched.query_points("docs", [1.0] * 8, query_filter=both(), limit=3)


def on_langchain(client: QdrantClient) -> Ask:
    """A chain over LangChain's store over an instrumented client."""
    store = QdrantVectorStore(qdrant.instrument(client), "docs", DeterministicFakeEmbedding(size=8))
    store.add_documents([Document("a text", id=IDS[n], metadata=METADATA[n]) for n in range(8)])
    retriever = store.as_retriever(search_kwargs={"k": 3, "filter": both("metadata.")})
    chain = langchain.instrument(retriever, relevance=("metadata.lang",)) | RunnableLambda(len)
    return chain.invoke


def on_chroma(_: QdrantClient) -> Ask:
    """A collection."""
    made = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    collection = made.create_collection(f"docs-{uuid.uuid4()}", embedding_function=None)
    vectors: list[Any] = [[1.0, float(n)] for n in range(8)]
    collection.add(ids=IDS, embeddings=vectors, metadatas=METADATA)
    searched = chroma.instrument(collection, relevance=("lang",))
    where: Any = {"$and": [{"tenant": "acme"}, {"lang": "de"}]}
    return lambda _: searched.query(query_embeddings=vectors[:1], n_results=3, where=where)


def on_llamaindex(_: QdrantClient) -> Ask:
    """A query engine."""
    nodes = [TextNode(id_=IDS[n], text="a text", metadata=METADATA[n]) for n in range(8)]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=2))
    wanted = [MetadataFilter(key="tenant", value="acme"), MetadataFilter(key="lang", value="de")]
    retriever = index.as_retriever(similarity_top_k=3, filters=MetadataFilters(filters=[*wanted]))
    engine = RetrieverQueryEngine.from_args(llamaindex.instrument(retriever, relevance=("lang",)), llm=MockLLM())
    return engine.query


@pytest.mark.parametrize(
    ("build", "dialect"),
    [(on_qdrant, "qdrant"), (on_langchain, "qdrant"), (on_chroma, "chroma"), (on_llamaindex, "llamaindex")],
    ids=["qdrant", "langchain", "chroma", "llamaindex"],
)
def test_the_search_and_its_probe_are_stored(
    monitor: Monitor, client: QdrantClient, build: Callable[[QdrantClient], Ask], dialect: str
) -> None:
    ask = build(client)
    ragvigil.configure(service_name="shop", endpoint=monitor.url, secret_key=b"secret of the shop", probe_share=1.0)
    try:
        with ragvigil.pipeline("ask") as answer:
            answer.set(question="where?", session_id="one")
            ask("where?")
        assert ragvigil.flush(timeout_s=30)
        assert ragvigil.counts().probes == ProbeCounts(sampled=1, run=1)
    finally:
        ragvigil.shutdown()
    retrieval = next(span for span in monitor.only_answer()["spans"] if span["stage"] == "retrieve")
    assert (retrieval["filter_state"], retrieval["top_k"]) == ("known", 3)
    assert {document["id"] for document in retrieval["output_documents"]} == FOUND
    assert all(isinstance(document["score"], float) for document in retrieval["output_documents"])
    assert monitor.serving.stop() == 0
    (pair,) = pairs(stored_searches(monitor.database)).values()
    assert pair.probe.passes == {**dict.fromkeys(FOUND, True), **dict.fromkeys(OTHERS, False)}
    assert pair.filtered.attributes["ragvigil.filter.dialect"] == dialect
    assert "acme" not in str(pair)
