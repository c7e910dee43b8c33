"""Clients of any kind and results of any kind: the caller gets what the client gave; copies record too."""

import asyncio
import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from tests.samples.qdrant_docs import documents

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.qdrant import instrument
from ragvigil.testing import SpanSnapshot

Spans = Callable[[], list[SpanSnapshot]]
Configured = Callable[..., Spans]


class Returning(QdrantClient):
    """A client of somebody's own, that returns what it was made with."""

    def __init__(self, result: object) -> None:
        self.result = result

    def query_points(self, collection_name: str, query: object = None, query_filter: object = None, **_: Any) -> Any:  # type: ignore[override]  # as little as it needs
        return self.result if collection_name and query is not query_filter else None

    def __del__(self) -> None:
        """Close nothing."""


class Hostile:
    """Fails whatever is asked of it."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


NAN = models.ScoredPoint(id=1, version=1, score=float("nan"))


@pytest.mark.parametrize(
    "result",
    [
        None,
        5,
        "text",
        object(),
        Hostile(),
        [Hostile()],
        [models.ScoredPoint(id=1, version=1, score=float("nan"))],
        [{}],
    ],
    ids=["none", "number", "text", "object", "hostile", "hostile point", "nan", "dictionary"],
)
def test_a_result_of_any_kind_reaches_the_caller(spans: Spans, lenient: None, result: object) -> None:
    client: Any = instrument(Returning(result), relevance=("kind",))
    assert client.query_points("docs", [1.0], query_filter=Hostile()) is result
    (span,) = spans()
    assert span.attributes[names.FILTER_STATE] == "unknown"
    assert span.attributes[names.FILTER_RAW] == "<Hostile>"


def test_a_result_that_can_be_read_once_is_left_to_the_caller(spans: Spans, lenient: None) -> None:
    client: Any = instrument(Returning(point for point in [1, 2, 3]))
    assert list(client.query_points("docs", [1.0])) == [1, 2, 3]
    (span,) = spans()
    assert names.STAGE_OUTPUT_DOCUMENTS not in span.attributes


async def test_a_cancelled_search_is_cancelled(async_client: AsyncQdrantClient, spans: Spans) -> None:
    class Waiting(AsyncQdrantClient):
        def __init__(self) -> None:
            """Connect nowhere."""

        async def query_points(self, *_: Any, **__: Any) -> Any:
            await asyncio.Event().wait()

    task = asyncio.create_task(instrument(Waiting()).query_points("docs"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (span,) = await asyncio.to_thread(spans)
    assert span.name == "retrieve"
    assert ragvigil.current_stage().trace is None


async def test_concurrent_searches_are_stages_of_their_own(async_client: AsyncQdrantClient, spans: Spans) -> None:
    instrument(async_client)
    async with ragvigil.pipeline("ask"):
        await asyncio.gather(*(async_client.query_points("docs", [1.0, 0.0], limit=n) for n in range(1, 21)))
    *searches, answer = await asyncio.to_thread(spans)
    assert sorted(len(documents(span)) for span in searches) == [*range(1, 12), *[12] * 9]
    assert {span.parent_id for span in searches} == {answer.span_id}


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
