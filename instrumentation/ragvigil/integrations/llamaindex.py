"""LlamaIndex: the retrievals of one retriever."""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar

from ragvigil.arguments import MISSING
from ragvigil.fields import ScoreKind
from ragvigil.integrations.extras import extra
from ragvigil.integrations.instrumented import instrumented, late
from ragvigil.integrations.requests import Call, Each, Parameters, Request, Requests, listed, named_fields, recording
from ragvigil.observation import Arguments, Keywords
from ragvigil.probes.snapshot import snapshot

with extra("llamaindex"):
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.indices.vector_store.retrievers.retriever import VectorIndexRetriever

R = TypeVar("R", bound=BaseRetriever)


def instrument(
    retriever: R,
    *,
    relevance: Iterable[str] = (),
    score_kind: ScoreKind | None = None,
    index_version: str | None = None,
) -> R:
    """Record the retrievals of this retriever, and return it; other retrievers are left alone.

    The filter and k of a `VectorIndexRetriever` are recorded; those of any other are `unknown`, unless something
    instrumented below it tells them. Keys in `relevance` may be relaxed by a probe; all others count as entitlement.
    Raises TypeError for what is no retriever.
    """
    if not isinstance(retriever, BaseRetriever):
        raise TypeError(f"retriever: got {type(retriever).__name__}; expected a BaseRetriever")
    return instrumented(retriever, _Adapter(named_fields(relevance), score_kind, index_version))


@dataclass(frozen=True, slots=True)
class _Adapter:
    relevance: tuple[str, ...]
    score_kind: ScoreKind | None
    index_version: str | None

    def names(self) -> tuple[str, ...]:
        return ("retrieve", "aretrieve")

    def recording(self, plain: type, name: str) -> Callable[..., Any]:
        method = late(plain, name)
        parameters = Parameters(method, "str_or_query_bundle")
        facts = {"score_kind": self.score_kind, "index_version": self.index_version}

        def read(arguments: Arguments, keywords: Keywords) -> Request:
            asked = parameters.of(arguments, keywords)["str_or_query_bundle"]
            query = asked if isinstance(asked, str) else getattr(asked, "query_str", None)
            return _request(arguments, keywords, query, facts)

        return recording(method, Requests(read, self.relevance), _documents)


def _request(arguments: Arguments, keywords: Keywords, query: str | None, facts: Mapping[str, object]) -> Request:
    retriever: Any = arguments[0]
    if not isinstance(retriever, VectorIndexRetriever):
        return Request(top_k=getattr(retriever, "similarity_top_k", MISSING), query=query, facts=facts)

    def again(native: Any, k: int) -> Call:
        deep = copy(retriever)
        deep._filters, deep._similarity_top_k = native, k  # noqa: SLF001 - it has no other way to say so
        deep._node_ids, deep._doc_ids = _listed_again(deep._node_ids), _listed_again(deep._doc_ids)  # noqa: SLF001
        _, deep._kwargs = snapshot((), deep._kwargs or {})  # noqa: SLF001
        return (deep, *arguments[1:]), dict(keywords)

    return Request(
        filter=getattr(retriever, "_filters", MISSING),
        top_k=retriever.similarity_top_k,
        query=query,
        beside=_beside(retriever),
        facts=facts,
        again=again,
    )


def _listed_again(ids: Any) -> Any:
    """A copy of ids, of which an index may hand over a great many."""
    return None if ids is None else list(ids)


def _beside(retriever: Any) -> tuple[str, ...]:
    """What else restricts it; an index hands all of its nodes to its retriever, and these are no restriction."""
    nodes, of_index = getattr(retriever, "_node_ids", None), retriever._index.index_struct.nodes_dict  # noqa: SLF001
    is_whole = nodes is None or len(nodes) == len(of_index) == 0 or 0 < len(of_index) <= len(nodes)
    given = {
        "node_ids": not is_whole,
        "doc_ids": getattr(retriever, "_doc_ids", None) is not None,
        "vector_store_kwargs": bool(getattr(retriever, "_kwargs", None)),
    }
    return tuple([name for name, is_given in given.items() if is_given])


def _documents(result: Any) -> dict[str, object]:
    nodes = listed(result)
    scores = [found.score for found in nodes]
    return {
        "ids": [found.node.node_id for found in nodes],
        "scores": None if None in scores else scores,
        "texts": Each(nodes, lambda found: found.node.get_content()),
        "metadata": Each(nodes, lambda found: found.node.metadata),
    }
