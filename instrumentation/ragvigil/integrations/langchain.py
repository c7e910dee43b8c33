"""LangChain: the searches of one vector store, and those of retrievers of any kind."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ragvigil.arguments import MISSING, Argument
from ragvigil.fields import ScoreKind
from ragvigil.integrations.extras import extra
from ragvigil.integrations.instrumented import instrumented, late
from ragvigil.integrations.payloads import Text, flat
from ragvigil.integrations.requests import Call, Each, Parameters, Request, Requests, listed, named_fields, recording
from ragvigil.observation import Arguments, Keywords

with extra("langchain"):
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore, VectorStoreRetriever

S = TypeVar("S", bound=VectorStore | BaseRetriever)

_WITH_VECTORS: Final = "similarity_search_with_vectors"
_SEARCHES: Final = (
    "similarity_search",
    "similarity_search_with_score",
    "similarity_search_with_relevance_scores",
    "similarity_search_by_vector",
    "similarity_search_with_score_by_vector",
    "similarity_search_by_vector_with_relevance_scores",
    "max_marginal_relevance_search",
    "max_marginal_relevance_search_by_vector",
    "max_marginal_relevance_search_with_score_by_vector",
    _WITH_VECTORS,
)
_STORE_METHODS: Final = (*_SEARCHES, *(f"a{name}" for name in _SEARCHES))
_RESTRICTS_NOTHING: Final = frozenset(
    {
        *("self", "query", "embedding", "k", "filter", "fetch_k", "lambda_mult"),
        *("search_params", "consistency", "offset", "hybrid_fusion", "timeout", "callbacks", "verbose"),
    }
)
_DIALECTS: Final = {"Chroma": "chroma"}
_SYSTEMS: Final = {"Chroma": "chroma", "QdrantVectorStore": "qdrant"}
_SCORE_KINDS: Final[Mapping[str, ScoreKind]] = {"Chroma": "distance"}


def instrument(
    searched: S,
    *,
    relevance: Iterable[str] = (),
    dialect: str | None = None,
    id: Text = None,  # noqa: A002 - what callers look for
    score_kind: ScoreKind | None = None,
    index_version: str | None = None,
) -> S:
    """Record the searches of this vector store or retriever, and return it; others are left alone.

    Of the retriever of a vector store it is the store whose searches are recorded. Of any other retriever the filter
    is `unknown`, unless something instrumented below it tells it.

    Fields in `relevance`, named as in filters, may be relaxed by a probe; all others count as entitlement. `dialect` is
    the language of filters that are dictionaries ("mapping": every field equals its value, or one of its values); it
    is known of Chroma, and without it such a filter of another store is `unknown`. `id` names the key in the metadata
    that identifies a document, or is a function from a document to it, where `Document.id` does not. Raises TypeError
    for what is neither a vector store nor a retriever.
    """
    target = searched.vectorstore if isinstance(searched, VectorStoreRetriever) else searched
    if not isinstance(target, VectorStore | BaseRetriever):
        raise TypeError(f"searched: got {type(target).__name__}; expected a VectorStore or a BaseRetriever")
    made = _StoreAdapter if isinstance(target, VectorStore) else _RetrieverAdapter
    prefix = getattr(target, "metadata_payload_key", None)
    instrumented(target, made(named_fields(relevance), dialect, id, score_kind, index_version, prefix))
    return searched


@dataclass(frozen=True, slots=True)
class _Adapter:
    relevance: tuple[str, ...]
    dialect: str | None
    id: Text
    score_kind: ScoreKind | None
    index_version: str | None
    prefix: str | None
    """Where metadata lie, as filters see them; None for no place of their own."""

    def _documents(self, result: Any) -> dict[str, object]:
        pairs = [found if isinstance(found, tuple) else (found, None) for found in listed(result)]
        scores = [score for _, score in pairs]
        return {
            "ids": [_identity(document, self.id) for document, _ in pairs],
            "scores": None if None in scores else scores,
            "texts": Each(pairs, lambda pair: pair[0].page_content),
            "metadata": Each(pairs, self._metadata),
        }

    def _metadata(self, pair: Any) -> Mapping[str, object]:
        metadata: Mapping[str, object] = pair[0].metadata
        return metadata if self.prefix is None else flat({self.prefix: metadata})


@dataclass(frozen=True, slots=True)
class _StoreAdapter(_Adapter):
    def names(self) -> tuple[str, ...]:
        return _STORE_METHODS

    def recording(self, plain: type, name: str) -> Callable[..., Any]:
        method = late(plain, name)
        known = {base.__name__ for base in plain.__mro__}
        kind = "similarity" if "relevance_scores" in name else _first(_SCORE_KINDS, known)
        facts = {
            "db_system": _first(_SYSTEMS, known),
            "score_kind": self.score_kind or kind,
            "index_version": self.index_version,
        }
        dialect = self.dialect or _first(_DIALECTS, known) or "langchain"
        documents = self._without_vectors if name.endswith(_WITH_VECTORS) else self._documents
        return recording(method, Requests(_StoreReader(plain, name, dialect, facts), self.relevance), documents)

    def _without_vectors(self, result: Any) -> dict[str, object]:
        """Of documents with their vectors, which are no scores."""
        return self._documents([document for document, _ in listed(result)])


@dataclass(frozen=True, slots=True)
class _RetrieverAdapter(_Adapter):
    def names(self) -> tuple[str, ...]:
        return ("invoke", "ainvoke")

    def recording(self, plain: type, name: str) -> Callable[..., Any]:
        method, facts = late(plain, name), {"score_kind": self.score_kind, "index_version": self.index_version}
        parameters = Parameters(method, "input")

        def read(arguments: Arguments, keywords: Keywords) -> Request:
            k = getattr(arguments[0], "k", MISSING)
            return Request(query=parameters.of(arguments, keywords)["input"], top_k=k, facts=facts)

        return recording(method, Requests(read), self._documents, probe=False)


class _StoreReader:
    """Reads the calls of one search method of a store."""

    def __init__(self, plain: type, name: str, dialect: str, facts: Mapping[str, object]) -> None:
        self._dialect = dialect
        self._facts = facts
        method = _described(plain, name)
        self._named_positions = _named_positions(method)
        self._filter = Argument(method, "filter")
        self._is_overridden = _is_overridden(plain, name)
        self._knows_filter = _takes_filter(plain)
        self._parameters = Parameters(method, "query", "k", "filter")
        named = inspect.signature(method).parameters.values()
        self._others = {
            parameter.name: Argument(method, parameter.name)
            for parameter in named
            if parameter.kind not in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}
            and parameter.name not in _RESTRICTS_NOTHING
        }

    def __call__(self, arguments: Arguments, keywords: Keywords) -> Request:
        values = self._parameters.of(arguments, keywords)
        native = self._filter.of(arguments, keywords)

        def again(relaxed: object, k: int) -> Call:
            return self._parameters.replaced(arguments, keywords, {"filter": relaxed, "k": k})

        return Request(
            filter=self._told(native, arguments),
            top_k=values["k"],
            query=values["query"],
            dialect=self._dialect if isinstance(native, Mapping) else None,
            beside=self._beside(arguments, keywords),
            facts=self._facts,
            again=again,
        )

    def _told(self, native: object, arguments: Arguments) -> object:
        """The filter; MISSING where nobody knows whether there is one."""
        if native is None and self._is_overridden:
            return MISSING
        if native is not MISSING or not self._knows_filter or self._is_overridden:
            return native
        return MISSING if len(arguments) > self._named_positions else None

    def _beside(self, arguments: Arguments, keywords: Keywords) -> tuple[str, ...]:
        """What else may restrict a search: every argument whose meaning is not known."""
        given = {name for name, value in keywords.items() if value is not None} - _RESTRICTS_NOTHING
        told = {
            name: other for name, other in self._others.items() if other.of(arguments, keywords) is not other.default
        }
        given |= {name for name, other in told.items() if other.of(arguments, keywords) is not None}
        if len(arguments) > self._named_positions:
            given.add("arguments")
        if self._is_overridden:
            given.add("override")
        return tuple(sorted(given))


def _described(plain: type, name: str) -> Callable[..., Any]:
    """The method that names the parameters: an async one with `*args` hands them to the sync one of its name."""
    method: Callable[..., Any] = getattr(plain, name)
    has_any = any(each.kind is each.VAR_POSITIONAL for each in inspect.signature(method).parameters.values())
    described: Callable[..., Any] = getattr(plain, name.removeprefix("a"), method) if has_any else method
    return described


def _named_positions(method: Callable[..., Any]) -> int:
    """How many arguments by position have a name."""
    known = inspect.signature(method).parameters.values()
    return len([each for each in known if each.kind in {each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD}])


def _is_overridden(plain: type, name: str) -> bool:
    """Whether somebody else's store was given another search, which may hand on another filter than it is given."""
    owners = [cls for cls in plain.__mro__ if name in vars(cls)]
    packages = [cls.__module__.partition(".")[0] for cls in owners if cls is not VectorStore]
    return len(packages) > 1 and packages[0] != packages[1]


def _takes_filter(plain: type) -> bool:
    """Whether the store takes a `filter` in any of its searches, so that none given is none."""
    searches = [getattr(plain, name) for name in dir(plain) if "search" in name]
    return any("filter" in inspect.signature(search).parameters for search in searches if inspect.isfunction(search))


def _identity(document: Any, where: Text) -> object:
    told = document.id if where is None else where(document) if callable(where) else document.metadata.get(where)
    identity = document.metadata.get("_id") if told is None else told
    if identity is None:
        raise TypeError("a document has no id; say where it is by instrument(..., id=...)")
    return identity


def _first(known: Mapping[str, Any], names: set[str]) -> Any:
    return next((value for name, value in known.items() if name in names), None)
