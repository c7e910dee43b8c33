"""Where a search function has its query, its filter and its k."""

import operator
from dataclasses import dataclass
from typing import Any, Final, Protocol, SupportsIndex

from ragvigil.arguments import MISSING, Argument, first_text
from ragvigil.dialects import relaxed_native
from ragvigil.observation import Arguments, Keywords
from ragvigil.predicates import Filter
from ragvigil.stages import Stage

DEPTH_FACTOR: Final = 2
"""How much deeper a probe looks: what a clause keeps out must not be cut off by k as well."""


class Asked(Protocol):
    """Reads what the calls of one search function ask for."""

    def record(self, stage: Stage, arguments: Arguments, keywords: Keywords) -> None:
        """Record what one call asks for."""
        ...

    def relaxed(self, said: Filter, arguments: Arguments, keywords: Keywords) -> tuple[Arguments, dict[str, Any]]:
        """The arguments of the same search without relevance clauses and deeper; `said` is what its filter says.

        Raises ValueError or TypeError where such a search cannot be asked for.
        """
        ...


def deeper(k: object) -> int:
    """How many documents a probe of a search for `k` asks for; raises ValueError where k is not a number of them."""
    if not isinstance(k, SupportsIndex) or operator.index(k) < 1:
        raise ValueError("k is not a number of documents")
    return DEPTH_FACTOR * operator.index(k)


@dataclass(frozen=True, slots=True)
class SearchArguments:
    """The arguments of one search function that are recorded; None for one that it does not have."""

    query: Argument | None
    filter: Argument | None
    top_k: Argument | None
    relevance: tuple[str, ...]
    dialect: str | None

    def record(self, stage: Stage, arguments: Arguments, keywords: Keywords) -> None:
        """Record those of one call."""
        text = self.query.of(arguments, keywords) if self.query else first_text(arguments, keywords)
        stage.set(query=text if isinstance(text, str) else None)
        if self.top_k and (k := self.top_k.of(arguments, keywords)) is not MISSING:
            stage.fields["top_k"] = k
        if self.filter and (native := self.filter.of(arguments, keywords)) is not MISSING:
            stage.filter(native, self.dialect, self.relevance)

    def relaxed(self, said: Filter, arguments: Arguments, keywords: Keywords) -> tuple[Arguments, dict[str, Any]]:
        """The arguments of the same search without relevance clauses and deeper; `said` is what its filter says.

        Raises ValueError or TypeError where such a search cannot be asked for.
        """
        if self.filter is None or self.top_k is None:
            raise ValueError("@retriever(filter=..., top_k=...) must name both arguments")
        deep_k = deeper(self.top_k.of(arguments, keywords))
        native = relaxed_native(self.filter.of(arguments, keywords), said, self.dialect, self.relevance)
        if native == {} and self.filter.default is None:
            native = None  # some databases refuse an empty mapping; the function says that it takes None
        asked, named = self.filter.replaced(arguments, keywords, native)
        return self.top_k.replaced(asked, named, deep_k)
