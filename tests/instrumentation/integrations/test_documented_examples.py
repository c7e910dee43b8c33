"""The examples of docs/libraries.md, run as they stand there."""

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chromadb
import pytest
from chromadb.config import Settings
from langchain_chroma import Chroma
from langchain_core.embeddings import DeterministicFakeEmbedding
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from qdrant_client import QdrantClient, models

from ragvigil import attributes as names
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]

PAGE = (Path(__file__).parents[3] / "docs/libraries.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^## (\w+)\n\n```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL))


@contextmanager
def qdrant() -> Iterator[dict[str, Any]]:
    client = QdrantClient(":memory:")
    client.create_collection("docs", models.VectorParams(size=2, distance=models.Distance.COSINE))
    german = models.FieldCondition(key="lang", match=models.MatchValue(value="de"))
    yield {"QdrantClient": lambda _: client, "url": "", "vector": [1.0, 0.0], "wanted": models.Filter(must=[german])}
    client.close()


@contextmanager
def chroma() -> Iterator[dict[str, Any]]:
    client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
    client.get_or_create_collection("docs", embedding_function=None)
    yield {"chroma": client, "vector": [1.0, 0.0]}


@contextmanager
def langchain() -> Iterator[dict[str, Any]]:
    settings = Settings(anonymized_telemetry=False)

    def store(name: str, **options: Any) -> Chroma:
        return Chroma(f"{name}-{uuid.uuid4()}", client_settings=settings, **options)

    yield {"Chroma": store, "embedding": DeterministicFakeEmbedding(size=2)}


@contextmanager
def llamaindex() -> Iterator[dict[str, Any]]:
    nodes = [TextNode(text="a text", metadata={"lang": "de"})]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=2))
    yield {"index": index, "wanted": MetadataFilters(filters=[MetadataFilter(key="lang", value="de")])}


WORLDS = {"Qdrant": qdrant, "Chroma": chroma, "LangChain": langchain, "LlamaIndex": llamaindex}


def test_each_library_has_an_example() -> None:
    assert EXAMPLES.keys() == WORLDS.keys()


@pytest.mark.parametrize("library", WORLDS)
def test_the_example_records_a_search(library: str, spans: Spans) -> None:
    with WORLDS[library]() as world:
        exec(EXAMPLES[library], world)  # noqa: S102 - our own page
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 10
    assert "relevance" in span.attributes[names.FILTER_CLAUSES]
