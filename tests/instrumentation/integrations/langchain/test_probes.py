"""Probes of searches through LangChain."""

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from langchain_chroma import Chroma
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient, models
from tests.samples.langchain_docs import (
    BOTH,
    IDS,
    WHERE,
    documents,
    equals,
    is_german,
)

import ragvigil
from ragvigil import ProbeCounts
from ragvigil import attributes as names
from ragvigil.integrations.langchain import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]


def test_a_probe_of_chroma_keeps_entitlement(chroma: Chroma, configured: Configured) -> None:
    spans = configured(probe_share=1.0)
    instrument(chroma, relevance=("lang",))
    with ragvigil.pipeline("ask"):
        chroma.as_retriever(search_kwargs={"k": 3, "filter": WHERE}).invoke("a question")
    (probe,) = [span for span in spans() if names.PROBE_KIND in span.attributes]
    assert len(spans()) == 3
    assert probe.attributes[names.RETRIEVAL_TOP_K] == 6
    passes = json.loads(probe.attributes[names.PROBE_PASSES])
    verdicts = dict(zip(documents(probe), passes, strict=True))
    assert verdicts == {IDS[n]: n in {3, 9} for n in (1, 3, 5, 7, 9, 11)}
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, run=1)


async def test_an_async_search_of_qdrant_is_probed(qdrant: QdrantVectorStore, configured: Configured) -> None:
    spans = configured(probe_share=1.0)
    instrument(qdrant, relevance=("metadata.lang",))
    await qdrant.asimilarity_search("a question", k=3, filter=BOTH)
    (probe,) = [span for span in await asyncio.to_thread(spans) if names.PROBE_KIND in span.attributes]
    passes = json.loads(probe.attributes[names.PROBE_PASSES])
    assert dict(zip(documents(probe), passes, strict=True)) == {IDS[n]: n in {3, 9} for n in (1, 3, 5, 7, 9, 11)}


def test_no_request_of_a_probe_has_lost_entitlement(
    client: QdrantClient, qdrant: QdrantVectorStore, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    search = client.query_points

    def remembered(*arguments: Any, **keywords: Any) -> Any:
        asked.append((keywords["query_filter"], keywords["limit"]))
        return search(*arguments, **keywords)

    monkeypatch.setattr(client, "query_points", remembered)
    configured(probe_share=1.0)
    instrument(qdrant, relevance=("metadata.lang",))
    acme, german = equals("metadata.tenant", "acme"), equals("metadata.lang", "de")
    either, odd = models.Filter(should=[acme, german]), models.HasIdCondition(has_id=[IDS[1], IDS[3]])
    chance, probed = random.Random(20261130), 0
    for _ in range(100):
        asked.clear()
        must, without = (chance.choices([acme, german, either, odd], k=2) for _ in range(2))
        native = models.Filter(must=must, must_not=without)
        qdrant.as_retriever(search_kwargs={"k": 3, "filter": native}).invoke("a question")
        assert ragvigil.flush(timeout_s=30)
        assert asked[0] == (native, 3)
        for relaxed, k in asked[1:]:
            assert k == 6
            assert (relaxed.must or []) == [condition for condition in must if condition != german]
            assert (relaxed.must_not or []) == [condition for condition in without if condition != german]
            probed += 1
    assert probed > 50
    assert ragvigil.counts().probes.run == probed


def test_a_filter_that_is_a_function_is_not_probed(memory: InMemoryVectorStore, configured: Configured) -> None:
    spans = configured(probe_share=1.0)
    instrument(memory, relevance=("lang",)).similarity_search("a question", filter=is_german)
    assert len(spans()) == 1
    assert ragvigil.counts().probes == ProbeCounts()
