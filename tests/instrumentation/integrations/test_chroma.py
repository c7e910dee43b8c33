"""Queries of a real embedded Chroma collection, and what is recorded of them."""

import copy
import json
import random
import uuid
from collections.abc import Callable
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings

import ragvigil
from ragvigil import ProbeCounts
from ragvigil import attributes as names
from ragvigil.integrations.chroma import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]

LANGS = ["de", "fr", "en"]
METADATA: list[Any] = [{"tenant": "acme" if n % 2 else "beta", "lang": LANGS[n % 3]} for n in range(12)]
BOTH: Any = {"$and": [{"tenant": "acme"}, {"lang": "de"}]}


class Lengths(chromadb.EmbeddingFunction[Any]):
    """An embedding that needs no model."""

    def __init__(self) -> None:
        """Take nothing."""

    @staticmethod
    def name() -> str:
        return "lengths"

    def get_config(self) -> dict[str, Any]:
        return {}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> "Lengths":
        return Lengths(**config)

    def __call__(self, input: Any) -> Any:  # noqa: A002 - as Chroma calls it
        return [np.array([1.0, len(text) / 10], dtype=np.float32) for text in input]


@pytest.fixture(scope="module")
def client() -> Any:
    return chromadb.EphemeralClient(Settings(anonymized_telemetry=False))


@pytest.fixture
def collection(client: Any) -> Any:
    made = client.create_collection(f"docs-{uuid.uuid4()}", embedding_function=Lengths())
    made.add(
        ids=[f"d{number}" for number in range(12)],
        embeddings=[[1.0, number / 10] for number in range(12)],
        documents=[f"text {number}" for number in range(12)],
        metadatas=METADATA,
    )
    return made


def documents(span: SpanSnapshot) -> dict[str, float]:
    told = json.loads(span.attributes[names.STAGE_OUTPUT_DOCUMENTS])
    return {document["id"]: document["score"] for document in told}


def test_a_query_is_a_stage_with_everything_about_it(collection: Any, spans: Spans) -> None:
    assert instrument(collection, relevance=("lang",), index_version="7") is collection
    found = collection.query(query_texts=["a question"], n_results=5, where=BOTH)
    (span,) = spans()
    attributes = span.attributes
    assert documents(span) == dict(zip(found["ids"][0], found["distances"][0], strict=True))
    assert list(documents(span)) == ["d9", "d3"]
    assert attributes[names.RETRIEVAL_QUERY_TEXT] == "a question"
    assert attributes[names.RETRIEVAL_TOP_K] == 5
    assert attributes[names.DB_SYSTEM] == "chroma"
    assert attributes[names.DB_COLLECTION] == collection.name
    assert attributes[names.SCORE_KIND] == "distance"
    assert attributes[names.INDEX_VERSION] == "7"
    assert attributes[names.FILTER_STATE] == "known"
    assert attributes[names.FILTER_DIALECT] == "chroma"
    roles = {clause["path"]: clause["role"] for clause in json.loads(attributes[names.FILTER_CLAUSES])}
    assert roles == {"/args/1": "relevance"}
    assert "acme" not in str(attributes)
    assert names.DOCUMENT_CONTENT not in str(attributes)


@pytest.mark.parametrize(
    ("options", "state"),
    [
        ({}, "none"),
        ({"where_document": {"$contains": "secret"}}, "partial"),
        ({"ids": ["d1"]}, "partial"),
        ({"where": {"tenant": {"$in": ["acme"]}}}, "known"),
    ],
)
def test_whatever_restricts_is_told(collection: Any, spans: Spans, options: dict[str, Any], state: str) -> None:
    instrument(collection).query(query_embeddings=[1.0, 0.5], **options)
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == state
    assert "secret" not in str(span.attributes)


@pytest.mark.parametrize(
    "several",
    [
        {"query_texts": ["one", "another"]},
        {"query_embeddings": [[1.0, 0.0], [1.0, 1.0]]},
        {"query_embeddings": np.array([[1.0, 0.0], [1.0, 1.0]], dtype=np.float32)},
    ],
    ids=["texts", "embeddings", "array"],
)
def test_several_queries_are_a_stage_each(collection: Any, spans: Spans, several: dict[str, Any]) -> None:
    with ragvigil.pipeline("ask"):
        found = instrument(collection).query(n_results=3, where={"tenant": "acme"}, **several)
    first, second, answer = spans()
    for span, ids in zip((first, second), found["ids"], strict=True):
        assert list(documents(span)) == ids
        assert span.parent_id == answer.span_id
        assert span.attributes[names.FILTER_STATE] == "known"
    queries = [span.attributes.get(names.RETRIEVAL_QUERY_TEXT) for span in (first, second)]
    assert queries == several.get("query_texts", [None, None])


class Images(Lengths):
    """An embedding of images."""

    @staticmethod
    def name() -> str:
        return "images"

    def __call__(self, input: Any) -> Any:  # noqa: A002 - as Chroma calls it
        return [np.array([1.0, 0.0], dtype=np.float32) for _ in input]


@pytest.mark.parametrize(
    ("images", "count"), [(np.zeros((48, 64)), 1), ([np.zeros((48, 64))] * 2, 2)], ids=["one image", "two"]
)
def test_an_image_is_one_query(client: Any, spans: Spans, images: Any, count: int) -> None:
    collection = client.create_collection(f"images-{uuid.uuid4()}", embedding_function=Images())
    collection.add(ids=["a"], embeddings=[[1.0, 0.0]])
    found = instrument(collection).query(query_images=images, n_results=1)
    assert len(spans()) == len(found["ids"]) == count


def test_a_get_is_a_search_where_it_is_filtered(collection: Any, spans: Spans) -> None:
    instrument(collection)
    collection.get(ids=["d1"])
    collection.get(where={"tenant": "acme"}, limit=2)
    collection.get(where_document={"$contains": "secret"})
    span, empty = spans()
    assert documents(span) == {"d1": None, "d3": None}
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 2
    assert names.SCORE_KIND not in span.attributes
    assert (documents(empty), empty.attributes[names.FILTER_STATE]) == ({}, "partial")


def test_texts_are_recorded_where_they_are_asked_for(collection: Any, configured: Configured) -> None:
    spans = configured(document_texts=True)
    instrument(collection).query(query_embeddings=[1.0, 0.0], n_results=2)
    (span,) = spans()
    assert span.attributes[f"{names.RETRIEVAL_DOCUMENTS}.0.{names.DOCUMENT_CONTENT}"] == "text 0"


def test_what_was_not_included_is_not_told(collection: Any, spans: Spans) -> None:
    instrument(collection).query(query_embeddings=[1.0, 0.0], n_results=2, include=[])
    (span,) = spans()
    assert documents(span) == {"d0": None, "d1": None}


def test_exceptions_of_chroma_pass_through(collection: Any, spans: Spans) -> None:
    instrument(collection)
    with pytest.raises(ValueError, match="exactly one operator"):
        collection.query(query_embeddings=[1.0, 0.0], where={})
    with pytest.raises(ValueError, match="query"):
        collection.query(n_results=3)
    with pytest.raises(TypeError):
        collection.query(unheard_of=1)
    told = spans()
    assert [span.status for span in told] == ["error"] * 3
    assert told[0].attributes[names.FILTER_STATE] == "unknown"


def test_inside_another_search_there_is_one_stage(collection: Any, spans: Spans) -> None:
    instrument(collection)
    with ragvigil.stage("retrieve"):
        collection.query(query_embeddings=[[1.0, 0.0], [1.0, 1.0]], n_results=2, where={"tenant": "acme"})
    (span,) = spans()
    assert list(documents(span)) == ["d1", "d3", "d9", "d11"]
    assert span.attributes[names.FILTER_STATE] == "known"


def test_a_probe_keeps_entitlement_and_tells_what_the_filter_kept_out(collection: Any, configured: Configured) -> None:
    spans = configured(probe_share=1.0)
    instrument(collection, relevance=("lang",))
    collection.query(query_embeddings=[1.0, 0.0], n_results=3, where=BOTH, include=["documents"])
    probe = next(span for span in spans() if names.PROBE_KIND in span.attributes)
    assert list(documents(probe)) == ["d1", "d3", "d5", "d7", "d9", "d11"]
    assert json.loads(probe.attributes[names.PROBE_PASSES]) == [False, True, False, False, True, False]
    assert probe.attributes[names.RETRIEVAL_TOP_K] == 6
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, run=1)


class Remembering(chromadb.Collection):
    """A collection that remembers what really reached it."""

    def query(self, **keywords: Any) -> Any:  # type: ignore[override]  # by name only
        asked = self.__dict__.setdefault("asked", [])
        self.__dict__.setdefault("allowed", []).append(copy.copy(keywords.get("ids")))
        asked.append((copy.deepcopy(keywords.get("where")), keywords["n_results"]))
        return super().query(**keywords)


LEAVES: list[Any] = [
    {"tenant": "acme"},
    {"tenant": {"$ne": "beta"}},
    {"lang": "de"},
    {"lang": {"$in": ["de", "fr"]}},
    {"$or": [{"lang": "de"}, {"lang": "en"}]},
    {"$or": [{"lang": "de"}, {"tenant": "acme"}]},
    {"$and": [{"lang": "de"}, {"tenant": "acme"}]},
    {"#document": {"$contains": "text"}},
]


def test_no_request_of_a_probe_has_lost_entitlement(collection: Any, configured: Configured) -> None:
    configured(probe_share=1.0)
    chance, probed = random.Random(20261130), 0
    collection.__class__ = Remembering
    instrument(collection, relevance=("lang",))
    for _ in range(150):
        parts = chance.choices(LEAVES, k=chance.randrange(1, 5))
        where = parts[0] if len(parts) == 1 else {"$and": parts}
        collection.query(query_embeddings=[1.0, 0.0], n_results=3, where=copy.deepcopy(where))
        assert ragvigil.flush(timeout_s=30)
        (first, k), *probes = collection.__dict__.pop("asked")
        flat = where["$and"] if len(where) == 1 and "$and" in where else [where]
        kept = [part for part in flat if not is_about_language(part)]
        assert (first, k) == (where, 3)
        wanted = {"$and": kept} if len(kept) > 1 else kept[0] if kept else None
        # What is left is sometimes one `$and`, which would say something else at the top; then there is no probe.
        is_writable = len(kept) < len(flat) and not (len(kept) == 1 and "$and" in kept[0])
        assert probes == ([(wanted, 6)] if is_writable else [])
        probed += len(probes)
    assert probed > 50


def test_ids_that_are_added_after_the_search_are_not_asked_for(collection: Any, configured: Configured) -> None:
    configured(probe_share=1.0)
    collection.__class__ = Remembering
    instrument(collection, relevance=("lang",))
    allowed = ["d3", "d9"]
    with ragvigil.pipeline("ask"):
        collection.query(query_embeddings=[[1.0, 0.0]], n_results=3, ids=allowed, where={"lang": "de"})
        allowed.append("d1")
    assert ragvigil.flush(timeout_s=30)
    assert collection.__dict__["allowed"] == [["d3", "d9"], ["d3", "d9"]]


def is_about_language(part: dict[str, Any]) -> bool:
    ((key, value),) = part.items()
    return all(map(is_about_language, value)) if key in {"$and", "$or"} else key == "lang"


def test_several_queries_are_not_probed(collection: Any, configured: Configured) -> None:
    spans = configured(probe_share=1.0)
    instrument(collection, relevance=("lang",)).query(query_embeddings=[[1.0, 0.0], [1.0, 1.0]], where=BOTH)
    assert len(spans()) == 2
    assert ragvigil.counts().probes == ProbeCounts()


def test_another_object_is_refused(client: Any) -> None:
    with pytest.raises(TypeError, match="collection: got Client; expected a Collection"):
        instrument(client)
