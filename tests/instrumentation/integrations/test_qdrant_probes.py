"""Probes of a real Qdrant client: entitlement kept, and the truth about each document."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from tests.samples.qdrant_docs import ACME, BOTH, GERMAN, POINTS, VECTORS, documents, equals
from tests.samples.qdrant_filters import random_field, random_payload

import ragvigil
from ragvigil import ProbeCounts
from ragvigil import attributes as names
from ragvigil.integrations.qdrant import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]


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
    spans = configured(probe_share=1.0)
    instrument(async_client, relevance=("meta.lang",))
    await async_client.query_points("docs", [1.0, 0.0], query_filter=BOTH, limit=3)
    probe = next(span for span in await asyncio.to_thread(spans) if names.PROBE_KIND in span.attributes)
    assert json.loads(probe.attributes[names.PROBE_PASSES]) == [False, True, False, False, True, False]


class Slow(AsyncQdrantClient):
    """An async client that remembers what reached it, and waits before it answers."""

    asked: list[Any]
    begun: asyncio.Event
    answer: asyncio.Event

    async def query_points(self, collection_name: str, *arguments: Any, **keywords: Any) -> Any:
        self.asked.append(keywords["query_filter"].model_copy(deep=True))
        found = await super().query_points(collection_name, *arguments, **keywords)
        self.begun.set()
        await self.answer.wait()
        return found


async def test_an_opaque_clause_that_grows_while_it_is_awaited_is_not_asked_for(configured: Configured) -> None:
    configured(probe_share=1.0)
    slow = instrument(Slow(":memory:"), relevance=("meta.lang",))
    slow.asked, slow.begun, slow.answer = [], asyncio.Event(), asyncio.Event()
    await slow.create_collection("docs", vectors_config=VECTORS)
    await slow.upsert("docs", POINTS)
    mine = models.HasIdCondition(has_id=[3])
    searching = asyncio.create_task(
        slow.query_points("docs", [1.0, 0.0], query_filter=models.Filter(must=[GERMAN, mine]), limit=3)
    )
    await slow.begun.wait()
    mine.has_id.append(1)
    slow.answer.set()
    await searching
    assert await asyncio.to_thread(ragvigil.flush, timeout_s=30)
    await slow.close()
    assert [asked.must for asked in slow.asked] == [
        [GERMAN, models.HasIdCondition(has_id=[3])],
        [models.HasIdCondition(has_id=[3])],
    ]


def test_of_groups_twice_as_many_are_asked_for(client: QdrantClient, configured: Configured) -> None:
    spans = configured(probe_share=1.0)
    instrument(client, relevance=("meta.lang",)).query_points_groups(
        "docs", "meta.lang", [1.0, 0.0], query_filter=BOTH, limit=1, group_size=2
    )
    probe = next(span for span in spans() if names.PROBE_KIND in span.attributes)
    assert probe.attributes[names.RETRIEVAL_TOP_K] == 4
    assert documents(probe) == ["1", "7", "3", "9"]


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
