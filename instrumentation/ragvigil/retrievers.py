"""Functions that search: the decorator that records query, filter, k and what was found."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, overload

from ragvigil.arguments import MISSING, Argument, first_text
from ragvigil.documents import returned
from ragvigil.observation import Arguments, Keywords, Observation
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

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Make every call of `function` a stage `retrieve`."""
        query = _optional(function, self.query)
        top_k = _optional(function, self.top_k)
        filter_ = _optional(function, self.filter)

        def record_arguments(stage: Stage, arguments: Arguments, keywords: Keywords) -> None:
            text = query.of(arguments, keywords) if query else first_text(arguments, keywords)
            stage.set(query=text if isinstance(text, str) else None)
            if top_k and (k := top_k.of(arguments, keywords)) is not MISSING:
                stage.fields["top_k"] = k
            if filter_ and (native := filter_.of(arguments, keywords)) is not MISSING:
                stage.filter(native, self.dialect, self.relevance)

        return wrap(function, Observation(lambda: Stage("retrieve"), record_arguments, self._record_documents))

    def _record_documents(self, stage: Stage, result: object) -> None:
        if stage.is_recording() and "output_documents" not in stage.fields:
            stage.fields["output_documents"] = returned(result, self.documents)


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
) -> Callable[P, R] | Retriever:
    """Record a search function: `@retriever` or `@retriever(filter="where", top_k="k", relevance=("kind",))`.

    `filter`, `query` and `top_k` are names of the function's arguments; without `query` it is the first text. Fields
    in `relevance` may be relaxed by a probe; all others count as entitlement. Without `filter` the state of the
    filter is `unknown`, never `none`. The function returns ids, (id, score) pairs, objects or dictionaries with id
    and score, or a dictionary with ids and scores; `documents` turns anything else into one of these.
    """
    made = Retriever(filter, query, top_k, tuple(relevance), dialect, documents)
    return made if function is None else made(function)


def _optional(function: Callable[..., object], name: str | None) -> Argument | None:
    return None if name is None else Argument(function, name)
