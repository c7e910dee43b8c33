"""Searches of a real Qdrant client in local mode, and what is recorded of them."""

import copy
import json
import pickle
import random
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from tests.samples.qdrant_filters import random_field, random_payload

import ragvigil
from ragvigil import ProbeCounts
from ragvigil import attributes as names
from ragvigil.integrations.contribution import Contribution
from ragvigil.integrations.qdrant import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]

LANGS = ["de", "fr", "en"]
POINTS = [
    models.PointStruct(
        id=number,
        vector=[1.0, number / 10],
        payload={
            "text": f"text {number}",
            "tenant": "acme" if number % 2 else "beta",
            "meta": {"lang": LANGS[number % 3]},
        },
    )
    for number in range(12)
]
VECTORS = models.VectorParams(size=2, distance=models.Distance.COSINE)


def equals(key: str, value: str) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


ACME = equals("tenant", "acme")
GERMAN = equals("meta.lang", "de")
BOTH = models.Filter(must=[ACME, GERMAN])


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    made = QdrantClient(":memory:")
    made.create_collection("docs", vectors_config=VECTORS)
    made.upsert("docs", POINTS)
    yield made
    made.close()


@pytest.fixture
async def async_client() -> AsyncIterator[AsyncQdrantClient]:
    made = AsyncQdrantClient(":memory:")
    await made.create_collection("docs", vectors_config=VECTORS)
    await made.upsert("docs", POINTS)
    yield made
    await made.close()


def documents(span: SpanSnapshot) -> list[str]:
    return [document["id"] for document in json.loads(span.attributes[names.STAGE_OUTPUT_DOCUMENTS])]


def scores(span: SpanSnapshot) -> list[float | None]:
    return [document["score"] for document in json.loads(span.attributes[names.STAGE_OUTPUT_DOCUMENTS])]


def test_a_search_is_a_stage_with_everything_about_it(client: QdrantClient, spans: Spans) -> None:
    searched = instrument(client, relevance=("meta.lang",), score_kind="similarity", index_version="2026-06-01")
    assert searched is client
    with ragvigil.pipeline("ask"):
        found = client.query_points("docs", [1.0, 0.0], query_filter=BOTH, limit=5)
    span, answer = spans()
    attributes = span.attributes
    assert documents(span) == [str(point.id) for point in found.points] == ["3", "9"]
    assert scores(span) == [point.score for point in found.points]
    assert attributes[names.STAGE] == "retrieve"
    assert attributes[names.RETRIEVAL_TOP_K] == 5
    assert attributes[names.DB_SYSTEM] == "qdrant"
    assert attributes[names.DB_COLLECTION] == "docs"
    assert attributes[names.SCORE_KIND] == "similarity"
    assert attributes[names.INDEX_VERSION] == "2026-06-01"
    assert attributes[names.FILTER_STATE] == "known"
    assert attributes[names.FILTER_DIALECT] == "qdrant"
    clauses = json.loads(attributes[names.FILTER_CLAUSES])
    assert [(clause["path"], clause["role"]) for clause in clauses] == [("/args/1", "relevance")]
    assert "acme" not in str(attributes)
    assert attributes[names.ANSWER_SPAN_ID] == answer.span_id


async def test_an_async_search_records_the_same(async_client: AsyncQdrantClient, spans: Spans) -> None:
    instrument(async_client, relevance=("meta.lang",))
    await async_client.query_points("docs", query=[1.0, 0.0], query_filter=BOTH, limit=1)
    (span,) = spans()
    assert documents(span) == ["3"]
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 1


def test_no_filter_is_none_and_defaults_are_known(client: QdrantClient, spans: Spans) -> None:
    instrument(client).query_points("docs", [1.0, 0.0])
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "none"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 10
    assert names.ANSWER_SPAN_ID not in span.attributes


@pytest.mark.parametrize(
    ("options", "state", "opaque"),
    [
        ({"score_threshold": 0.5}, "partial", 1),
        ({"prefetch": models.Prefetch(query=[1.0, 0.0], limit=5)}, "known", 0),
        ({"prefetch": models.Prefetch(query=[1.0, 0.0], score_threshold=0.1)}, "partial", 1),
        ({"prefetch": [models.Prefetch(query=[1.0, 0.0], filter=models.Filter(must=[ACME]))]}, "partial", 1),
        (
            {"prefetch": models.Prefetch(query=[0.0, 1.0], prefetch=[models.Prefetch(query=[1.0, 0.0], filter=BOTH)])},
            "partial",
            1,
        ),
    ],
    ids=["score threshold", "prefetch", "scored prefetch", "filtered prefetch", "filtered prefetch below"],
)
def test_what_restricts_beside_the_filter_is_not_understood_and_told(
    client: QdrantClient, spans: Spans, options: dict[str, Any], state: str, opaque: int
) -> None:
    instrument(client).query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), **options)
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == state
    assert span.attributes[names.FILTER_OPAQUE_COUNT] == opaque


def test_a_filter_of_another_kind_is_unknown(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with pytest.raises(Exception, match="must"):
        client.query_points("docs", [1.0, 0.0], query_filter={"must": "secret"})  # type: ignore[arg-type]  # wrong
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "unknown"
    assert "secret" not in str(span.attributes[names.FILTER_RAW])


def test_exceptions_of_the_client_pass_through(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with pytest.raises(ValueError, match="nowhere"):
        client.query_points("nowhere", [1.0, 0.0])
    (span,) = spans()
    assert span.status == "error"
    assert names.STAGE_OUTPUT_DOCUMENTS not in span.attributes


def test_groups_are_recorded_as_their_documents(client: QdrantClient, spans: Spans) -> None:
    found = instrument(client).query_points_groups("docs", group_by="tenant", query=[1.0, 0.0], group_size=2, limit=2)
    (span,) = spans()
    assert documents(span) == [str(hit.id) for group in found.groups for hit in group.hits]
    assert len(documents(span)) == 4


def test_a_batch_is_a_stage_for_each_of_its_searches(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    requests = [
        models.QueryRequest(query=[1.0, 0.0], filter=models.Filter(must=[ACME]), limit=2),
        models.QueryRequest(query=[1.0, 0.0], score_threshold=0.1),
    ]
    with ragvigil.pipeline("ask"):
        client.query_batch_points("docs", requests)
    first, second, answer = spans()
    assert documents(first) == ["1", "3"]
    assert (first.attributes[names.FILTER_STATE], first.attributes[names.RETRIEVAL_TOP_K]) == ("known", 2)
    assert (second.attributes[names.FILTER_STATE], second.attributes[names.RETRIEVAL_TOP_K]) == ("partial", 10)
    assert first.parent_id == second.parent_id == answer.span_id
    assert second.attributes[names.DB_COLLECTION] == "docs"


def test_a_page_of_points_is_a_search_where_it_is_filtered(client: QdrantClient, spans: Spans) -> None:
    instrument(client, score_kind="similarity")
    client.scroll("docs", limit=2)
    client.scroll("docs", scroll_filter=models.Filter(must=[ACME]), limit=2)
    (span,) = spans()
    assert documents(span) == ["1", "3"]
    assert scores(span) == [None, None]
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 2
    assert names.SCORE_KIND not in span.attributes


@pytest.mark.parametrize("text", ["text", lambda payload: payload["text"]], ids=["key", "function"])
def test_texts_are_recorded_where_they_are_asked_for(client: QdrantClient, configured: Configured, text: Any) -> None:
    spans = configured(document_texts=True)
    instrument(client, text=text).query_points("docs", [1.0, 0.0], limit=2)
    (span,) = spans()
    content = [span.attributes[f"{names.RETRIEVAL_DOCUMENTS}.{rank}.{names.DOCUMENT_CONTENT}"] for rank in (0, 1)]
    assert content == ["text 0", "text 1"]


def test_only_this_client_is_recorded_and_nothing_else_changes(client: QdrantClient, spans: Spans) -> None:
    other = QdrantClient(":memory:")
    other.create_collection("docs", vectors_config=VECTORS)
    plain = type(client)
    instrument(client)
    assert isinstance(client, plain)
    assert type(client).__name__ == "QdrantClient"
    assert type(other) is plain
    assert "query_points" not in vars(client)
    other.query_points("docs", [1.0, 0.0])
    client.get_collections()
    assert spans() == []
    other.close()


def test_instrumented_twice_it_records_once_and_as_told_last(client: QdrantClient, spans: Spans) -> None:
    instrument(instrument(client, index_version="1"), index_version="2").query_points("docs", [1.0, 0.0])
    (span,) = spans()
    assert span.attributes[names.INDEX_VERSION] == "2"


def test_nothing_is_recorded_before_configure(client: QdrantClient) -> None:
    assert len(instrument(client).query_points("docs", [1.0, 0.0], limit=3).points) == 3


def test_another_object_is_refused() -> None:
    with pytest.raises(TypeError, match="client: got str; expected a QdrantClient"):
        instrument("http://localhost:6333")  # type: ignore[type-var]  # wrong on purpose


# --- inside another search ----------------------------------------------------------------------------------------


def test_inside_another_search_there_is_one_stage_that_learns_the_filter(client: QdrantClient, spans: Spans) -> None:
    instrument(client, relevance=("meta.lang",))

    @ragvigil.retriever
    def search(question: str) -> list[int]:
        found = client.query_points("docs", [1.0, 0.0], query_filter=BOTH, limit=5)
        return [int(point.id) for point in found.points[:1]]

    assert search("where?") == [3]
    (span,) = spans()
    assert span.attributes[names.RETRIEVAL_QUERY_TEXT] == "where?"
    assert span.attributes[names.FILTER_STATE] == "known"
    assert span.attributes[names.DB_COLLECTION] == "docs"
    assert documents(span) == ["3"]
    assert len(scores(span)) == 1


def test_a_stage_that_tells_nothing_learns_everything(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with ragvigil.stage("retrieve"):
        client.query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), limit=2)
        client.query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), limit=3)
    (span,) = spans()
    assert documents(span) == ["1", "3", "5"]
    assert span.attributes[names.FILTER_STATE] == "known"


def test_searches_inside_that_differ_leave_the_filter_unknown(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with ragvigil.stage("retrieve"):
        client.query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), limit=2)
        client.query_points("docs", [1.0, 0.0], limit=2)
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "unknown"


def test_one_search_inside_whose_filter_cannot_be_seen_leaves_it_unknown(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with ragvigil.stage("retrieve"):
        client.query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[ACME]), limit=2)
        with Contribution(ragvigil.current_stage(), ragvigil.current_stage()):
            pass
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "unknown"


def test_what_the_outer_search_tells_is_believed(client: QdrantClient, spans: Spans) -> None:
    instrument(client)

    @ragvigil.retriever(filter="where", top_k="k")
    def search(question: str, where: dict[str, str], k: int) -> list[str]:
        client.query_points("docs", [1.0, 0.0], query_filter=BOTH, limit=50)
        return ["mine"]

    search("where?", {"a": "b"}, 1)
    (span,) = spans()
    assert span.attributes[names.FILTER_DIALECT] == "mapping"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 1
    assert documents(span) == ["mine"]


def test_a_search_inside_that_fails_tells_nothing(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with ragvigil.stage("retrieve"), pytest.raises(ValueError, match="nowhere"):
        client.query_points("nowhere", [1.0, 0.0])
    (span,) = spans()
    assert names.DB_COLLECTION not in span.attributes
    assert span.status != "error"


# --- probes ---------------------------------------------------------------------------------------------------------


class Remembering(QdrantClient):
    """A client that remembers what really reached it."""

    asked: list[tuple[Any, int]]

    def query_points(self, collection_name: str, *arguments: Any, **keywords: Any) -> Any:
        self.asked.append((keywords.get("query_filter"), keywords.get("limit", 10)))
        return super().query_points(collection_name, *arguments, **keywords)


@pytest.fixture
def remembering() -> Iterator[Remembering]:
    made = Remembering(":memory:")
    made.asked = []
    made.create_collection("docs", vectors_config=VECTORS)
    made.upsert("docs", POINTS)
    yield made
    made.close()


def test_a_probe_keeps_entitlement_and_tells_what_the_filter_kept_out(
    remembering: Remembering, configured: Configured
) -> None:
    spans = configured(probe_share=1.0)
    client = instrument(remembering, relevance=("meta.lang",))
    with ragvigil.pipeline("ask"):
        client.query_points("docs", [1.0, 0.0], query_filter=BOTH, limit=3, with_payload=False)
    probe = next(span for span in spans() if names.PROBE_KIND in span.attributes)
    assert remembering.asked == [(BOTH, 3), (models.Filter(must=[ACME]), 6)]
    assert documents(probe) == ["1", "3", "5", "7", "9", "11"]
    assert json.loads(probe.attributes[names.PROBE_PASSES]) == [False, True, False, False, True, False]
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, run=1)


async def test_an_async_search_is_probed_in_its_loop(async_client: AsyncQdrantClient, configured: Configured) -> None:
    import asyncio

    spans = configured(probe_share=1.0)
    instrument(async_client, relevance=("meta.lang",))
    await async_client.query_points("docs", [1.0, 0.0], query_filter=BOTH, limit=3)
    probe = next(span for span in await asyncio.to_thread(spans) if names.PROBE_KIND in span.attributes)
    assert json.loads(probe.attributes[names.PROBE_PASSES]) == [False, True, False, False, True, False]


def test_merged_candidates_are_not_probed(client: QdrantClient, configured: Configured) -> None:
    spans = configured(probe_share=1.0)
    instrument(client, relevance=("meta.lang",))
    client.query_points(
        "docs",
        models.FusionQuery(fusion=models.Fusion.RRF),
        query_filter=BOTH,
        prefetch=[models.Prefetch(query=[1.0, 0.0], limit=5)],
    )
    assert len(spans()) == 1
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, unsupported=1)


def random_filter(chance: random.Random) -> models.Filter:
    """A filter in which entitlement and relevance lie in any clause."""

    def some(kinds: list[Any]) -> list[Any]:
        return [chance.choice(kinds) for _ in range(chance.randrange(4))]

    leaves = [ACME, GERMAN, equals("tenant", "beta"), equals("meta.lang", "fr"), models.HasIdCondition(has_id=[1, 2])]
    below = [models.Filter(**{chance.choice(["must", "should", "must_not"]): some(leaves)}) for _ in range(2)]
    return models.Filter(must=some([*leaves, *below]), should=some(leaves), must_not=some([*leaves, *below]))


def entitled(conditions: list[Any] | None) -> list[Any]:
    """The conditions that a probe must keep: those of which any part is not about the language."""
    return [condition for condition in conditions or [] if not is_relevance(condition)]


def is_relevance(condition: Any) -> bool:
    if isinstance(condition, models.Filter):
        parts = [*(condition.must or []), *(condition.should or []), *(condition.must_not or [])]
        return bool(parts) and all(map(is_relevance, parts))
    return getattr(condition, "key", None) == "meta.lang"


def test_no_request_of_a_probe_has_lost_entitlement(remembering: Remembering, configured: Configured) -> None:
    configured(probe_share=1.0, max_waiting_probes=1000)
    chance = random.Random(20261130)
    client, probed = instrument(remembering, relevance=("meta.lang",)), 0
    for _ in range(300):
        native, before = random_filter(chance), len(remembering.asked)
        with ragvigil.pipeline("ask"):
            client.query_points("docs", [1.0, 0.0], query_filter=native, limit=3)
        assert ragvigil.flush(timeout_s=30)
        for asked, k in remembering.asked[before + 1 :]:
            assert k == 6
            assert (asked.must or []) == entitled(native.must)  # type: ignore[arg-type]  # always lists here
            assert (asked.must_not or []) == entitled(native.must_not)  # type: ignore[arg-type]
            keeps = not all(map(is_relevance, native.should))  # type: ignore[arg-type]
            assert (asked.should or []) == (native.should if keeps else [])
            probed += 1
    assert probed > 100
    assert ragvigil.counts().probes.run == probed


def test_what_a_probe_tells_of_a_document_is_what_qdrant_would_say(configured: Configured) -> None:
    spans = configured(probe_share=1.0, max_waiting_probes=1000)
    chance, told = random.Random(20261130), {True: 0, False: 0, None: 0}
    client = QdrantClient(":memory:")
    client.create_collection("docs", vectors_config=VECTORS)
    payloads = [{**random_payload(chance), "tenant": "acme"} for _ in range(60)]
    client.upsert(
        "docs", [models.PointStruct(id=n, vector=[1.0, 0.5], payload=each) for n, each in enumerate(payloads)]
    )
    relevant = ("kind", "deep.lang", "absent")
    instrument(client, relevance=relevant)
    asked = [random_relevance(chance) for _ in range(200)]
    for native in asked:
        client.query_points("docs", [1.0, 0.0], query_filter=native, limit=30)
        assert ragvigil.flush(timeout_s=30)
    searches = [span for span in spans() if names.PROBE_KIND not in span.attributes]
    probes = {span.links[0][1]: span for span in spans() if names.PROBE_KIND in span.attributes}
    for native, search in zip(asked, searches, strict=True):
        if (probe := probes.get(search.span_id)) is None:
            continue
        passing = {str(n) for n in found_by_qdrant(client, native)}
        for identity, verdict in zip(documents(probe), json.loads(probe.attributes[names.PROBE_PASSES]), strict=True):
            assert verdict is None or verdict == (identity in passing), (native, payloads[int(identity)])
            told[verdict] += 1
    client.close()
    assert told[True] > 500
    assert told[False] > 500
    assert 0 < told[None] < 1500


def random_relevance(chance: random.Random) -> models.Filter:
    """Entitlement, and conditions on what is only wanted."""
    fields = [random_field(chance, two_bounds=0.7) for _ in range(20)]
    wanted = [each for each in fields if getattr(each, "key", "tenant") != "tenant"]
    return models.Filter(must=[ACME, *wanted[:1]], must_not=wanted[1 : 1 + chance.randrange(2)])


def found_by_qdrant(client: QdrantClient, native: models.Filter) -> list[Any]:
    return [
        point.id
        for point in QdrantClient.query_points(client, "docs", [1.0, 0.0], query_filter=native, limit=100).points
    ]


def test_a_function_that_takes_such_a_filter_is_probed_too(remembering: Remembering, configured: Configured) -> None:
    spans = configured(probe_share=1.0)

    @ragvigil.retriever(filter="where", top_k="k", relevance=("meta.lang",))
    def search(where: models.Filter, k: int) -> list[int]:
        found = remembering.query_points("docs", [1.0, 0.0], query_filter=where, limit=k)
        return [int(point.id) for point in found.points]

    assert search(BOTH, 3) == [3, 9]
    assert len(spans()) == 2
    assert remembering.asked == [(BOTH, 3), (models.Filter(must=[ACME]), 6)]


# --- copies ---------------------------------------------------------------------------------------------------------


class Settings(QdrantClient):
    """A client that can be copied and pickled, which local mode cannot."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def query_points(self, *arguments: Any, **keywords: Any) -> Any:
        self.asked.append((arguments, keywords))
        return []

    def __del__(self) -> None:
        """Close nothing."""


def pickled(client: Settings) -> Settings:
    made: Settings = pickle.loads(pickle.dumps(client))  # noqa: S301 - our own bytes
    return made


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, pickled],
    ids=["copy", "deep", "pickle"],
)
def test_copies_record_by_themselves(spans: Spans, duplicate: Callable[[Settings], Settings]) -> None:
    original = instrument(Settings(), index_version="7")
    duplicated = duplicate(original)
    assert isinstance(duplicated, Settings)
    duplicated.query_points("docs", query_filter=None, limit=1)
    (span,) = spans()
    assert span.attributes[names.INDEX_VERSION] == "7"
