"""Functions that search: the decorator that records query, filter, k and what was found."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, overload

from ragvigil.arguments import Argument
from ragvigil.observation import Observation
from ragvigil.probes.prober import Prober
from ragvigil.results import Results
from ragvigil.searches import SearchArguments
from ragvigil.stages import Stage
from ragvigil.wrapping import wrap

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Retriever:
    """How the arguments and the result of a search function are read; a decorator."""

    filter: str | None = None
    query: str | None = None
    top_k: str | None = None
    relevance: tuple[str, ...] = ()
    dialect: str | None = None
    documents: Callable[[Any], Any] | None = None
    probe: bool = True

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Make every call of `function` a stage `retrieve`."""
        arguments = SearchArguments(
            query=_optional(function, self.query),
            filter=_optional(function, self.filter),
            top_k=_optional(function, self.top_k),
            relevance=self.relevance,
            dialect=self.dialect,
        )
        results = Results(self.documents)
        follow_up = Prober(function, arguments, results).consider if self.probe else None
        return wrap(function, Observation(lambda: Stage("retrieve"), arguments.record, results.record, follow_up))


@overload
def retriever(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def retriever(
    *,
    filter: str | None = None,
    query: str | None = None,
    top_k: str | None = None,
    relevance: Iterable[str] = (),
    dialect: str | None = None,
    documents: Callable[[Any], Any] | None = None,
    probe: bool = True,
) -> Retriever: ...
def retriever(
    function: Callable[P, R] | None = None,
    /,
    *,
    filter: str | None = None,  # noqa: A002 - the word that callers look for
    query: str | None = None,
    top_k: str | None = None,
    relevance: Iterable[str] = (),
    dialect: str | None = None,
    documents: Callable[[Any], Any] | None = None,
    probe: bool = True,
) -> Callable[P, R] | Retriever:
    """Record a search function: `@retriever` or `@retriever(filter="where", top_k="k", relevance=("kind",))`.

    `filter`, `query` and `top_k` are names of the function's arguments; without `query` it is the first text. Fields
    in `relevance` may be relaxed by a probe; all others count as entitlement. Without `filter` the state of the
    filter is `unknown`, never `none`.

    The function returns ids, (id, score) pairs, objects or dictionaries with `id`, `score`, `text` (or `page_content`
    or `content`) and `metadata` (or `payload`), or a dictionary with `ids`, `scores`, `texts` and `metadata`; only ids
    are needed. `documents` turns anything else into one of these. Texts are recorded where
    `configure(document_texts=True)` asks for them. Metadata are never recorded: a probe asks them whether a document
    passes the clauses that it dropped.

    Where `configure(probe_share=...)` asks for probes, some calls are done again after their answer, without relevance
    clauses and for 2 k documents. The function must then be one that can be called at any time and from another thread,
    and that learns who may see what from its arguments or from context variables; else say `probe=False`. A coroutine
    function is called in its own event loop. Generators are not probed.
    """
    made = Retriever(filter, query, top_k, tuple(relevance), dialect, documents, probe)
    return made if function is None else made(function)


def _optional(function: Callable[..., object], name: str | None) -> Argument | None:
    return None if name is None else Argument(function, name)
