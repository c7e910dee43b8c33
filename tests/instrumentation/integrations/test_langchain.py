"""Searches through LangChain, over its own store, Qdrant and Chroma, and what is recorded of them."""

import asyncio
import copy
import json
import pickle
import random
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chromadb.config import Settings
from langchain_chroma import Chroma
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore, VectorStoreRetriever
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient, models

import ragvigil
from ragvigil import ProbeCounts
from ragvigil import attributes as names
from ragvigil.dialects import read_filter
from ragvigil.integrations.langchain import instrument
from ragvigil.integrations.qdrant import instrument as instrument_qdrant
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]

EMBEDDING = DeterministicFakeEmbedding(size=8)
LANGS = ["de", "fr", "en"]
IDS = [str(uuid.UUID(int=number)) for number in range(12)]
METADATA = [{"tenant": "acme" if n % 2 else "beta", "lang": LANGS[n % 3]} for n in range(12)]
DOCUMENTS = [Document(id=IDS[n], page_content=f"text {n}", metadata=METADATA[n]) for n in range(12)]
WHERE: Any = {"$and": [{"tenant": "acme"}, {"lang": "de"}]}
FOUND = {IDS[3], IDS[9]}


def equals(key: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


BOTH = models.Filter(must=[equals("metadata.tenant", "acme"), equals("metadata.lang", "de")])


def is_german(document: Document) -> bool:
    return bool(document.metadata["lang"] == "de")


def documents(span: SpanSnapshot) -> dict[str, float | None]:
    told = json.loads(span.attributes[names.STAGE_OUTPUT_DOCUMENTS])
    return {document["id"]: document["score"] for document in told}


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


class Bare(VectorStore):
    """A store that finds what it was given, and takes dictionaries."""

    def __init__(self, found: list[Document]) -> None:
        self.found = found

    def similarity_search(self, query: str, k: int = 4, **_: Any) -> list[Document]:
        return self.found[:k] if query else []

    @classmethod
    def from_texts(cls, *arguments: Any, **_: Any) -> "Bare":
        return cls([*arguments])


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


# --- retrievers -----------------------------------------------------------------------------------------------------


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


# --- probes ---------------------------------------------------------------------------------------------------------


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
