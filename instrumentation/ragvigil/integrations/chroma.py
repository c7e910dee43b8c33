"""Chroma: the queries of one collection, sync or async, embedded or remote."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from ragvigil.integrations.batches import Batch, recording_batch
from ragvigil.integrations.extras import extra
from ragvigil.integrations.instrumented import instrumented, late
from ragvigil.integrations.requests import Call, Parameters, Request, Requests, named_fields
from ragvigil.observation import Arguments, Keywords
from ragvigil.probes.prober import Prober
from ragvigil.results import Results

with extra("chroma"):
    from chromadb.api.models.AsyncCollection import AsyncCollection
    from chromadb.api.models.Collection import Collection

C = TypeVar("C", bound=Collection | AsyncCollection)

_QUERIES: Final = ("query_embeddings", "query_texts", "query_images", "query_uris")
_PARAMETERS: Final = (*_QUERIES, "ids", "n_results", "where", "where_document", "include", "limit")
_BESIDE: Final = ("ids", "where_document")


def instrument(collection: C, *, relevance: Iterable[str] = (), index_version: str | None = None) -> C:
    """Record the queries of this collection, and return it; other collections are left alone.

    Fields in `relevance` may be relaxed by a probe; all others count as entitlement. A call with several queries is one
    stage each, all of the same duration, and is not probed. Raises TypeError for what is no collection.
    """
    if not isinstance(collection, Collection | AsyncCollection):
        raise TypeError(f"collection: got {type(collection).__name__}; expected a Collection or AsyncCollection")
    return instrumented(collection, _Adapter(named_fields(relevance), index_version))


@dataclass(frozen=True, slots=True)
class _Adapter:
    relevance: tuple[str, ...]
    index_version: str | None

    def names(self) -> tuple[str, ...]:
        return ("query", "get")

    def recording(self, plain: type, name: str) -> Callable[..., Any]:
        method = late(plain, name)
        facts = {
            "db_system": "chroma",
            "score_kind": "distance",
            "index_version": self.index_version,
        }
        read = _Reader(Parameters(method, *_PARAMETERS), facts)
        if name == "get":
            return recording_batch(method, Batch(read.listing, _listed, self.relevance))
        prober = Prober(method, Requests(read.first, self.relevance), Results(lambda result: _documents(result)[0]))
        return recording_batch(method, Batch(read.each, _documents, self.relevance), prober)


def _documents(result: Mapping[str, Any]) -> list[dict[str, object]]:
    """The documents that each query found."""
    columns = {"ids": "ids", "scores": "distances", "texts": "documents", "metadata": "metadatas"}
    lists = {name: result.get(column) for name, column in columns.items()}
    return [{name: found[query] for name, found in lists.items() if found} for query in range(len(result["ids"]))]


def _listed(result: Mapping[str, Any]) -> list[dict[str, object]]:
    """The documents of a `get`, which have no scores."""
    return [{"ids": result["ids"], "texts": result.get("documents"), "metadata": result.get("metadatas")}]


@dataclass(frozen=True, slots=True)
class _Reader:
    parameters: Parameters
    facts: Mapping[str, object]

    def each(self, arguments: Arguments, keywords: Keywords) -> list[Request]:
        """What each query of one call asks for."""
        request = self.first(arguments, keywords)
        return [replace(request, query=query) for query in _queries(self.parameters.of(arguments, keywords))]

    def listing(self, arguments: Arguments, keywords: Keywords) -> list[Request]:
        """What a `get` asks for; without a filter it is no search."""
        values = self.parameters.of(arguments, keywords)
        if values["where"] is None and values["where_document"] is None:
            return []
        request = self.first(arguments, keywords)
        return [replace(request, top_k=values["limit"], facts={**request.facts, "score_kind": None}, again=None)]

    def first(self, arguments: Arguments, keywords: Keywords) -> Request:
        """What the first query of one call asks for, and usually the only one."""
        values = self.parameters.of(arguments, keywords)

        def again(native: object, k: int) -> Call:
            include = list({*(values["include"] or ()), "metadatas", "distances"})
            changes = {"where": native, "n_results": k, "include": include}
            return self.parameters.replaced(arguments, keywords, changes)

        return Request(
            filter=values["where"],
            top_k=values["n_results"],
            query=_queries(values)[0],
            dialect="chroma",
            beside=tuple([name for name in _BESIDE if values[name] is not None]),
            facts={**self.facts, "collection": getattr(arguments[0], "name", None)},
            again=again,
        )


def _queries(values: Mapping[str, Any]) -> list[str | None]:
    """The text of each query, None for one that has none; of arrays only one of embeddings holds several."""
    name = next((name for name in _QUERIES if values[name] is not None), _QUERIES[0])
    asked: Any = values[name]
    if isinstance(asked, str):
        return [asked]
    are_rows = name == "query_embeddings" and getattr(asked, "ndim", 0) == 2
    is_several = (isinstance(asked, list | tuple) or are_rows) and len(asked) > 0 and hasattr(asked[0], "__len__")
    return [one if isinstance(one, str) else None for one in asked] if is_several else [None]
