"""Searches of Qdrant inside another search: one stage, the outermost, which learns what it was not told."""

from collections.abc import Callable

import pytest
from qdrant_client import QdrantClient, models
from tests.samples.qdrant_docs import ACME, BOTH, documents, equals, scores

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.contribution import Contribution
from ragvigil.integrations.qdrant import instrument
from ragvigil.predicates import eq
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]


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
    assert span.attributes[names.FILTER_STATE] == "partial"
    assert span.attributes[names.RETRIEVAL_TOP_K] == 1
    assert documents(span) == ["mine"]


@pytest.mark.parametrize(
    ("outside", "inside", "state", "opaque"),
    [
        (None, [None], "none", 0),
        (None, [models.Filter(must=[ACME])], "known", 0),
        (None, [models.Filter(must=[ACME]), None], "unknown", 0),
        ({"tenant": "acme"}, [models.Filter(must=[ACME])], "known", 0),
        ({"tenant": "acme"}, [None], "known", 0),
        ({"tenant": "acme"}, [BOTH, BOTH], "partial", 1),
        ({"tenant": "acme"}, [models.Filter(must=[models.HasIdCondition(has_id=[1])])], "partial", 1),
        (eq("tenant", "acme"), [BOTH], "partial", 1),
        (object(), [BOTH], "unknown", 0),
    ],
    ids=["none", "added", "differing", "same", "less", "more", "other", "leaf", "unread"],
)
def test_a_filter_told_outside_never_hides_one_inside(
    client: QdrantClient, spans: Spans, outside: object, inside: list[models.Filter | None], state: str, opaque: int
) -> None:
    instrument(client)

    @ragvigil.retriever(filter="where", top_k="k", relevance=("tenant",))
    def search(where: object = None, k: int = 3) -> list[int]:
        asked = [client.query_points("docs", [1.0, 0.0], query_filter=each, limit=k) for each in inside]
        return [int(point.id) for found in asked for point in found.points]

    search(outside)
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == state
    assert span.attributes.get(names.FILTER_OPAQUE_COUNT, 0) == opaque


def test_a_probe_of_a_search_with_more_inside_keeps_what_is_inside(
    client: QdrantClient, configured: Configured
) -> None:
    spans = configured(probe_share=1.0)
    asked: list[object] = []
    instrument(client)

    @ragvigil.retriever(filter="where", top_k="k", relevance=("meta.lang",))
    def search(where: models.Filter, k: int = 3) -> list[int]:
        native = models.Filter(must=[ACME, where])
        asked.append(native)
        return [int(point.id) for point in client.query_points("docs", [1.0, 0.0], query_filter=native).points]

    search(models.Filter(must=[equals("meta.lang", "de")]))
    probe = next(span for span in spans() if names.PROBE_KIND in span.attributes)
    assert asked[1] == models.Filter(must=[ACME, models.Filter()])
    assert probe.attributes[names.PROBE_DROPPED_CLAUSES] == ["/args/0"]


def test_a_search_inside_that_fails_tells_nothing(client: QdrantClient, spans: Spans) -> None:
    instrument(client)
    with ragvigil.stage("retrieve"), pytest.raises(ValueError, match="nowhere"):
        client.query_points("nowhere", [1.0, 0.0])
    (span,) = spans()
    assert names.DB_COLLECTION not in span.attributes
    assert span.status != "error"
