"""Retrievals of a real LlamaIndex index in memory, and what is recorded of them."""

import asyncio
import copy
import json
import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core import MockEmbedding, QueryBundle, StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import VectorIndexRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index_instrumentation import get_dispatcher

import ragvigil
from ragvigil import ProbeCounts
from ragvigil import attributes as names
from ragvigil.integrations.llamaindex import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]

LANGS = ["de", "fr", "en"]
NODES = [
    TextNode(
        id_=f"n{n}",
        text=f"text {n}",
        embedding=[1.0, n / 10],
        metadata={"tenant": "acme" if n % 2 else "beta", "lang": LANGS[n % 3]},
    )
    for n in range(12)
]
ACME = MetadataFilter(key="tenant", value="acme")
GERMAN = MetadataFilter(key="lang", value="de")
NOT_ENGLISH = MetadataFilter(key="lang", operator=FilterOperator.NE, value="en")
BOTH = MetadataFilters(filters=[ACME, GERMAN])


@pytest.fixture
def index() -> VectorStoreIndex:
    return VectorStoreIndex(copy.deepcopy(NODES), embed_model=MockEmbedding(embed_dim=2))


def documents(span: SpanSnapshot) -> dict[str, float | None]:
    told = json.loads(span.attributes[names.STAGE_OUTPUT_DOCUMENTS])
    return {document["id"]: document["score"] for document in told}


def test_a_retrieval_is_a_stage_with_everything_about_it(index: VectorStoreIndex, spans: Spans) -> None:
    retriever = index.as_retriever(similarity_top_k=5, filters=BOTH)
    assert instrument(retriever, relevance=("lang",), score_kind="similarity", index_version="7") is retriever
    with ragvigil.pipeline("ask"):
        found = retriever.retrieve("a question")
    span, _ = spans()
    attributes = span.attributes
    assert documents(span) == {each.node.node_id: each.score for each in found}
    assert set(documents(span)) == {"n3", "n9"}
    assert attributes[names.RETRIEVAL_QUERY_TEXT] == "a question"
    assert attributes[names.RETRIEVAL_TOP_K] == 5
    assert attributes[names.SCORE_KIND] == "similarity"
    assert attributes[names.INDEX_VERSION] == "7"
    assert attributes[names.FILTER_STATE] == "known"
    assert attributes[names.FILTER_DIALECT] == "llamaindex"
    assert [clause["path"] for clause in json.loads(attributes[names.FILTER_CLAUSES])] == ["/args/1"]
    assert "acme" not in str(attributes)


RETRIEVALS: dict[str, Callable[[Any], Any]] = {
    "text": lambda retriever: retriever.retrieve("q"),
    "bundle": lambda retriever: retriever.retrieve(QueryBundle("q")),
    "by name": lambda retriever: retriever.retrieve(str_or_query_bundle="q"),
    "async": lambda retriever: asyncio.run(retriever.aretrieve("q")),
    "engine": lambda retriever: RetrieverQueryEngine.from_args(retriever, llm=MockLLM()).query("q"),
}


@pytest.mark.parametrize("retrieve", RETRIEVALS.values(), ids=RETRIEVALS)
def test_each_way_to_retrieve_is_one_stage(
    index: VectorStoreIndex, spans: Spans, retrieve: Callable[[Any], Any]
) -> None:
    retrieve(instrument(index.as_retriever(similarity_top_k=3, filters=MetadataFilters(filters=[ACME]))))
    (span,) = spans()
    assert len(documents(span)) == 3
    assert span.attributes[names.RETRIEVAL_QUERY_TEXT] == "q"
    assert span.attributes[names.FILTER_STATE] == "known"


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ({}, "none"),
        ({"node_ids": ["n1", "n2"]}, "partial"),
        ({"node_ids": []}, "partial"),
        ({"filters": BOTH, "doc_ids": ["x"]}, "partial"),
        ({"vector_store_kwargs": {"where": {"tenant": "acme"}}}, "partial"),
    ],
    ids=["nothing", "nodes", "no node", "documents", "keywords"],
)
def test_whatever_restricts_is_told(index: VectorStoreIndex, spans: Spans, options: dict[str, Any], state: str) -> None:
    instrument(VectorIndexRetriever(index, **options)).retrieve("a question")
    instrument(index.as_retriever()).retrieve("all of them")
    span, whole = spans()
    assert span.attributes[names.FILTER_STATE] == state
    assert whole.attributes[names.FILTER_STATE] == "none"


def test_an_index_that_knows_no_nodes_hands_none_over_and_restricts_nothing(spans: Spans) -> None:
    instrument(VectorStoreIndex([], embed_model=MockEmbedding(embed_dim=2)).as_retriever()).retrieve("q")
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "none"


class Fixed(BaseRetriever):
    """A retriever of somebody's own."""

    def __init__(self, below: BaseRetriever | None = None) -> None:
        super().__init__()
        self.below = below

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self.below is not None:
            return self.below.retrieve(query_bundle)[:1]
        return [NodeWithScore(node=NODES[0])]


def test_of_another_retriever_the_filter_is_unknown(spans: Spans) -> None:
    instrument(Fixed()).retrieve("a question")
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "unknown"
    assert documents(span) == {"n0": None}


def test_another_retriever_learns_from_the_one_below(index: VectorStoreIndex, spans: Spans) -> None:
    below = instrument(index.as_retriever(similarity_top_k=3, filters=BOTH))
    instrument(Fixed(below)).retrieve("a question")
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "known"
    assert len(documents(span)) == 1


def test_texts_are_recorded_where_they_are_asked_for(index: VectorStoreIndex, configured: Configured) -> None:
    spans = configured(document_texts=True)
    found = instrument(index.as_retriever(similarity_top_k=1)).retrieve("a question")
    (span,) = spans()
    text = span.attributes[f"{names.RETRIEVAL_DOCUMENTS}.0.{names.DOCUMENT_CONTENT}"]
    assert text == found[0].node.get_content()


class Events(BaseEventHandler):
    """Keeps the names of LlamaIndex's own events."""

    seen: list[str] = []  # noqa: RUF012 - pydantic copies it

    @classmethod
    def class_name(cls) -> str:
        return "Events"

    def handle(self, event: Any, **_: Any) -> None:
        self.seen.append(event.class_name())


def test_its_own_instrumentation_sees_what_it_saw_before(index: VectorStoreIndex, spans: Spans) -> None:
    handler, root = Events(), get_dispatcher()
    root.event_handlers.append(handler)
    try:
        index.as_retriever().retrieve("q")
        before = list(handler.seen)
        instrument(index.as_retriever()).retrieve("q")
        assert handler.seen[len(before) :] == before
    finally:
        root.event_handlers.remove(handler)
    assert len(spans()) == 1


def test_exceptions_pass_through(index: VectorStoreIndex, spans: Spans) -> None:
    nested = MetadataFilters(filters=[BOTH])
    with pytest.raises(ValueError, match="Nested"):
        instrument(index.as_retriever(filters=nested)).retrieve("a question")
    (span,) = spans()
    assert span.status == "error"
    assert span.attributes[names.FILTER_STATE] == "known"


def pickled(retriever: Fixed) -> Fixed:
    made: Fixed = pickle.loads(pickle.dumps(retriever))  # noqa: S301 - our own bytes
    return made


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled], ids=["copy", "deep", "pickle"])
def test_copies_record_by_themselves(spans: Spans, duplicate: Callable[[Fixed], Fixed]) -> None:
    duplicate(instrument(Fixed(), index_version="7")).retrieve("a question")
    (span,) = spans()
    assert span.attributes[names.INDEX_VERSION] == "7"


def test_another_object_is_refused(index: VectorStoreIndex) -> None:
    with pytest.raises(TypeError, match="retriever: got VectorStoreIndex; expected a BaseRetriever"):
        instrument(index)  # type: ignore[type-var]  # wrong on purpose


# --- probes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_probe_keeps_entitlement_and_tells_what_the_filter_kept_out(
    index: VectorStoreIndex, configured: Configured, is_async: bool
) -> None:
    spans = configured(probe_share=1.0)
    retriever: Any = instrument(index.as_retriever(similarity_top_k=3, filters=BOTH), relevance=("lang",))

    async def retrieve() -> list[SpanSnapshot]:
        await retriever.aretrieve("a question")
        return await asyncio.to_thread(spans)

    if is_async:
        told = asyncio.run(retrieve())
    else:
        retriever.retrieve("a question")
        told = spans()
    probe = next(span for span in told if names.PROBE_KIND in span.attributes)
    passes = json.loads(probe.attributes[names.PROBE_PASSES])
    assert dict(zip(documents(probe), passes, strict=True)) == {f"n{n}": n in {3, 9} for n in (1, 3, 5, 7, 9, 11)}
    assert probe.attributes[names.RETRIEVAL_TOP_K] == 6
    assert (retriever.similarity_top_k, retriever._filters) == (3, BOTH)
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, run=1)


class Remembering(SimpleVectorStore):
    """A store that remembers what really reached it."""

    def query(self, query: VectorStoreQuery, **keywords: Any) -> VectorStoreQueryResult:
        ASKED.append((query.filters, query.similarity_top_k))
        BESIDE.append(copy.deepcopy((query.node_ids, query.doc_ids, keywords)))
        return super().query(query, **keywords)


ASKED: list[tuple[MetadataFilters | None, int]] = []
BESIDE: list[Any] = []


def test_no_request_of_a_probe_has_lost_entitlement(configured: Configured) -> None:
    configured(probe_share=1.0)
    chance, probed = random.Random(20261130), 0
    storage = StorageContext.from_defaults(vector_store=Remembering())
    index = VectorStoreIndex(copy.deepcopy(NODES), embed_model=MockEmbedding(embed_dim=2), storage_context=storage)
    for _ in range(150):
        ASKED.clear()
        filters = chance.choices([ACME, GERMAN, NOT_ENGLISH], k=3)
        native = MetadataFilters(filters=[*filters], condition=chance.choice(list(FilterCondition)))
        instrument(index.as_retriever(similarity_top_k=3, filters=native), relevance=("lang",)).retrieve("q")
        assert ragvigil.flush(timeout_s=30)
        (first, k), *probes = ASKED
        assert first is native
        for asked, deep_k in probes:
            assert (k, deep_k) == (3, 6)
            assert list(asked.filters if asked else []) == [each for each in filters if each == ACME]
        probed += len(probes)
    assert probed > 50


def test_alternatives_are_not_relaxed(index: VectorStoreIndex, configured: Configured) -> None:
    spans = configured(probe_share=1.0)
    either = MetadataFilters(filters=[ACME, GERMAN], condition=FilterCondition.OR)
    instrument(index.as_retriever(filters=either), relevance=("lang",)).retrieve("a question")
    assert len(spans()) == 1
    assert ragvigil.counts().probes == ProbeCounts()


def test_what_the_retriever_may_see_later_is_not_asked_for(configured: Configured) -> None:
    configured(probe_share=1.0)
    BESIDE.clear()
    storage = StorageContext.from_defaults(vector_store=Remembering())
    index = VectorStoreIndex(copy.deepcopy(NODES), embed_model=MockEmbedding(embed_dim=2), storage_context=storage)
    nodes, texts, beside = ["n3"], ["x"], {"where": {"tenant": "acme"}}
    retriever = VectorIndexRetriever(
        index,
        node_ids=nodes,
        doc_ids=texts,
        filters=MetadataFilters(filters=[GERMAN]),
        vector_store_kwargs=beside,
    )
    with ragvigil.pipeline("ask"):
        instrument(retriever, relevance=("lang",)).retrieve("q")
        nodes.append("n1")
        texts.append("y")
        beside["where"].clear()
    assert ragvigil.flush(timeout_s=30)
    assert BESIDE == [(["n3"], ["x"], {"where": {"tenant": "acme"}})] * 2
