"""Qdrant: the searches of one client, sync or async, remote or local."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from qdrant_client import AsyncQdrantClient, QdrantClient

from ragvigil.fields import ScoreKind
from ragvigil.integrations.instrumented import instrumented
from ragvigil.integrations.payloads import Text, flat, text_of
from ragvigil.integrations.requests import Call, Each, Parameters, Request, Requests, recording
from ragvigil.observation import Arguments, Keywords

C = TypeVar("C", bound=QdrantClient | AsyncQdrantClient)

_METHODS: Final = ("query_points", "query_points_groups", "search", "search_groups", "recommend", "recommend_groups")
_PARAMETERS: Final = (
    *("collection_name", "query", "query_filter", "limit", "with_payload"),
    *("prefetch", "score_threshold", "shard_key_selector"),
)
_BESIDE: Final = ("score_threshold", "shard_key_selector")


def instrument(
    client: C,
    *,
    relevance: Iterable[str] = (),
    text: Text = None,
    score_kind: ScoreKind | None = None,
    index_version: str | None = None,
) -> C:
    """Record the searches of this client, and return it; other clients are left alone.

    Fields in `relevance`, named as in filters (`metadata.lang`), may be relaxed by a probe; all others count as
    entitlement. `text` names the field of the payload that holds the text, or is a function from a payload to it; it is
    recorded where `configure(document_texts=True)` asks for texts. `score_kind` is "distance" for the metrics Euclid
    and Manhattan, else "similarity". Raises TypeError for what is no client.
    """
    if not isinstance(client, QdrantClient | AsyncQdrantClient):
        raise TypeError(f"client: got {type(client).__name__}; expected a QdrantClient or AsyncQdrantClient")
    return instrumented(client, _Adapter(tuple(relevance), text, score_kind, index_version))


@dataclass(frozen=True, slots=True)
class _Adapter:
    relevance: tuple[str, ...]
    text: Text
    score_kind: ScoreKind | None
    index_version: str | None

    def names(self) -> tuple[str, ...]:
        return _METHODS

    def recording(self, plain: type, name: str) -> Callable[..., Any]:
        method = getattr(plain, name)
        facts = {"db_system": "qdrant", "score_kind": self.score_kind, "index_version": self.index_version}
        read = _Reader(Parameters(method, *_PARAMETERS), facts)
        return recording(method, Requests(read, self.relevance), self._documents)

    def _documents(self, result: Any) -> dict[str, object]:
        points = _points(result)
        return {
            "ids": [point.id for point in points],
            "scores": [point.score for point in points],
            "texts": Each(points, lambda point: text_of(point.payload, self.text)),
            "metadata": Each(points, lambda point: flat(point.payload)),
        }


def _points(result: Any) -> list[Any]:
    """The points of an answer, those of groups one group after the other."""
    if hasattr(result, "groups"):
        return [point for group in result.groups for point in group.hits]
    return list(getattr(result, "points", result))


@dataclass(frozen=True, slots=True)
class _Reader:
    parameters: Parameters
    facts: Mapping[str, object]

    def __call__(self, arguments: Arguments, keywords: Keywords) -> Request:
        values = self.parameters.of(arguments, keywords)
        text = getattr(values["query"], "text", None)
        beside = [name for name in _BESIDE if values[name] is not None]

        def again(native: object, k: int) -> Call:
            changes = {"query_filter": native, "limit": k, "with_payload": True}
            return self.parameters.replaced(arguments, keywords, changes)

        return Request(
            filter=values["query_filter"],
            top_k=values["limit"],
            dialect="qdrant",
            query=text if isinstance(text, str) else None,
            beside=(*beside, *(["prefetch"] if _is_filtered(values["prefetch"]) else [])),
            facts={**self.facts, "collection": values["collection_name"]},
            again=None if values["prefetch"] else again,
        )


def _is_filtered(prefetch: Any) -> bool:
    """Whether candidates are restricted before they are merged."""
    each = prefetch if isinstance(prefetch, list) else [] if prefetch is None else [prefetch]
    return any(one.filter is not None or _is_filtered(one.prefetch) for one in each)
