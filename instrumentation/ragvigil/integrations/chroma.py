"""Chroma: the queries of one collection, sync or async, embedded or remote."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from chromadb.api.models.AsyncCollection import AsyncCollection
from chromadb.api.models.Collection import Collection

from ragvigil.integrations.instrumented import instrumented
from ragvigil.integrations.requests import Call, Parameters, Request, Requests, recording
from ragvigil.observation import Arguments, Keywords

C = TypeVar("C", bound=Collection | AsyncCollection)

_QUERIES: Final = ("query_embeddings", "query_texts", "query_images", "query_uris")
_PARAMETERS: Final = (*_QUERIES, "ids", "n_results", "where", "where_document", "include")
_BESIDE: Final = ("ids", "where_document")


def instrument(collection: C, *, relevance: Iterable[str] = (), index_version: str | None = None) -> C:
    """Record the queries of this collection, and return it; other collections are left alone.

    Fields in `relevance` may be relaxed by a probe; all others count as entitlement. A call with several queries is one
    stage each, all of the same duration, and is not probed. Raises TypeError for what is no collection.
    """
    if not isinstance(collection, Collection | AsyncCollection):
        raise TypeError(f"collection: got {type(collection).__name__}; expected a Collection or AsyncCollection")
    return instrumented(collection, _Adapter(tuple(relevance), collection.name, index_version))


@dataclass(frozen=True, slots=True)
class _Adapter:
    relevance: tuple[str, ...]
    collection: str
    index_version: str | None

    def names(self) -> tuple[str, ...]:
        return ("query",)

    def recording(self, plain: type, name: str) -> Callable[..., Any]:
        method = getattr(plain, name)
        facts = {
            "db_system": "chroma",
            "collection": self.collection,
            "score_kind": "distance",
            "index_version": self.index_version,
        }
        read = _Reader(Parameters(method, *_PARAMETERS), facts)
        return recording(method, Requests(read, self.relevance), _documents)


def _documents(result: Mapping[str, Any]) -> dict[str, object]:
    """The documents of the first query."""
    columns = {"ids": "ids", "scores": "distances", "texts": "documents", "metadata": "metadatas"}
    lists = {name: result.get(column) for name, column in columns.items()}
    return {name: found[0] for name, found in lists.items() if found}


@dataclass(frozen=True, slots=True)
class _Reader:
    parameters: Parameters
    facts: Mapping[str, object]

    def __call__(self, arguments: Arguments, keywords: Keywords) -> Request:
        values = self.parameters.of(arguments, keywords)

        def again(native: object, k: int) -> Call:
            include = list({*(values["include"] or ()), "metadatas", "distances"})
            changes = {"where": native, "n_results": k, "include": include}
            return self.parameters.replaced(arguments, keywords, changes)

        return Request(
            filter=values["where"],
            top_k=values["n_results"],
            query=_only_text(values["query_texts"]),
            dialect="chroma",
            beside=tuple([name for name in _BESIDE if values[name] is not None]),
            facts=self.facts,
            again=again,
        )


def _only_text(texts: object) -> str | None:
    if isinstance(texts, list) and len(texts) == 1:
        (texts,) = texts
    return texts if isinstance(texts, str) else None
