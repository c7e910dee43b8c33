"""Qdrant: the searches of one client, sync or async, remote or local."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from ragvigil.fields import ScoreKind
from ragvigil.guard import GUARD
from ragvigil.integrations.batches import Batch, recording_batch
from ragvigil.integrations.extras import extra
from ragvigil.integrations.instrumented import instrumented, late
from ragvigil.integrations.payloads import Text, flat, text_of
from ragvigil.integrations.requests import Call, Each, Parameters, Request, Requests, listed, named_fields, recording
from ragvigil.observation import Arguments, Keywords

with extra("qdrant"):
    from qdrant_client import AsyncQdrantClient, QdrantClient

C = TypeVar("C", bound=QdrantClient | AsyncQdrantClient)

_SYSTEM: Final = "qdrant"
_DEFAULT_LIMIT: Final = 10
_METHODS: Final = ("query_points", "query_points_groups", "search", "search_groups", "recommend", "recommend_groups")
_BATCH: Final = "query_batch_points"
_LISTING: Final = "scroll"
_PARAMETERS: Final = (
    *("collection_name", "query", "query_filter", "limit", "with_payload"),
    *("prefetch", "score_threshold", "shard_key_selector", "group_size"),
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
    return instrumented(client, _Adapter(named_fields(relevance), text, score_kind, index_version))


@dataclass(frozen=True, slots=True)
class _Adapter:
    relevance: tuple[str, ...]
    text: Text
    score_kind: ScoreKind | None
    index_version: str | None

    def names(self) -> tuple[str, ...]:
        return (*_METHODS, _BATCH, _LISTING)

    def recording(self, plain: type, name: str) -> Callable[..., Any]:
        method = late(plain, name)
        facts = {"db_system": _SYSTEM, "score_kind": self.score_kind, "index_version": self.index_version}
        if name == _BATCH:
            read_batch = partial(_batch, Parameters(method, "collection_name", "requests"), facts)
            return recording_batch(method, Batch(read_batch, partial(map, self._documents), self.relevance))
        if name == _LISTING:
            read_listing = partial(_listing, Parameters(method, "collection_name", "scroll_filter", "limit"), facts)
            return recording_batch(method, Batch(read_listing, self._listed, self.relevance))
        read = _Reader(Parameters(method, *_PARAMETERS), facts)
        return recording(method, Requests(read, self.relevance), self._documents)

    def _documents(self, result: Any) -> dict[str, object]:
        points = _points(result)
        return {**self._records(points), "scores": [point.score for point in points]}

    def _listed(self, result: Any) -> list[dict[str, object]]:
        return [self._records(result[0])]

    def _records(self, points: Sequence[Any]) -> dict[str, object]:
        return {
            "ids": [point.id for point in points],
            "texts": Each(points, lambda point: text_of(point.payload, self.text)),
            "metadata": Each(points, lambda point: flat(point.payload)),
        }


def _batch(
    parameters: Parameters, facts: Mapping[str, object], arguments: Arguments, keywords: Keywords
) -> list[Request]:
    """What each query of a batch asks for; nothing is known of an iterator, which can be read only once."""
    values = parameters.of(arguments, keywords)
    known = {**facts, "collection": values["collection_name"]}
    asked = values["requests"]
    if not isinstance(asked, list | tuple):
        GUARD.report(f"the searches of a batch cannot be seen in {type(asked).__name__}")
        return []
    return [_batched(request, known) for request in asked]


def _listing(
    parameters: Parameters, facts: Mapping[str, object], arguments: Arguments, keywords: Keywords
) -> list[Request]:
    """What a page of points asks for; without a filter it is no search."""
    values = parameters.of(arguments, keywords)
    if values["scroll_filter"] is None:
        return []
    known = {**facts, "collection": values["collection_name"], "score_kind": None}
    return [Request(filter=values["scroll_filter"], top_k=values["limit"], dialect=_SYSTEM, facts=known)]


def _batched(asked: Any, facts: Mapping[str, object]) -> Request:
    beside = [name for name in ("score_threshold", "shard_key") if getattr(asked, name) is not None]
    return Request(
        filter=asked.filter,
        top_k=_DEFAULT_LIMIT if asked.limit is None else asked.limit,
        query=_text(asked.query),
        dialect=_SYSTEM,
        beside=(*beside, *_candidates(asked.prefetch)),
        facts=facts,
    )


def _points(result: Any) -> list[Any]:
    """The points of an answer, those of groups one group after the other."""
    if hasattr(result, "groups"):
        return [point for group in result.groups for point in group.hits]
    return listed(getattr(result, "points", result))


@dataclass(frozen=True, slots=True)
class _Reader:
    parameters: Parameters
    facts: Mapping[str, object]

    def __call__(self, arguments: Arguments, keywords: Keywords) -> Request:
        values = self.parameters.of(arguments, keywords)
        beside = [name for name in _BESIDE if values[name] is not None]

        group_size = _group_size(values["group_size"])

        def again(native: object, k: int) -> Call:
            changes = {"query_filter": native, "limit": k // group_size, "with_payload": True}
            return self.parameters.replaced(arguments, keywords, changes)

        return Request(
            filter=values["query_filter"],
            top_k=values["limit"] * group_size if isinstance(values["limit"], int) else values["limit"],
            dialect=_SYSTEM,
            query=_text(values["query"]),
            beside=(*beside, *_candidates(values["prefetch"])),
            facts={**self.facts, "collection": values["collection_name"]},
            again=None if values["prefetch"] else again,
        )


def _group_size(asked: object) -> int:
    """How many points one group may have; a search without groups has groups of one."""
    return asked if isinstance(asked, int) and asked > 0 else 1


def _text(query: Any) -> str | None:
    """The text that the client embeds itself; a vector has none."""
    text = getattr(query, "text", None)
    return text if isinstance(text, str) else None


def _candidates(prefetch: Any) -> list[str]:
    return ["prefetch"] if _is_filtered(prefetch) else []


def _is_filtered(prefetch: Any) -> bool:
    """Whether candidates are restricted before they are merged."""
    each = prefetch if isinstance(prefetch, list) else [] if prefetch is None else [prefetch]
    return any(one.filter is not None or one.score_threshold is not None or _is_filtered(one.prefetch) for one in each)
