"""The filter extractor: rules that read relevance clauses out of a question."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from ragvigil.predicates import Clause, eq, relevance
from ragvigil_monitor.demo.corpus import Entry

_KIND = re.compile(r"\bthe (function|method|class) [A-Za-z_]")
_PACKAGE = re.compile(r"\b(?:in the|from the|from|of|with) ([a-z_0-9]+)(?: module)?[?.,]?(?:$| raise| module)")
_MODULE = re.compile(r"\bthe ([a-z_0-9.]+) module\b")


@dataclass(frozen=True, slots=True)
class Extractor:
    """Knows the names of packages and modules, and believes a question that mentions one in so many words."""

    packages: frozenset[str]
    modules: frozenset[str]

    @classmethod
    def knowing(cls, corpus: Iterable[Entry]) -> Self:
        """An extractor for the names that occur in a corpus."""
        entries = list(corpus)
        return cls(frozenset(e.package for e in entries), frozenset(e.module for e in entries))

    def extract(self, question: str) -> tuple[Clause, ...]:
        """The clauses that the question implies, none for most questions."""
        found = (self._place(question), self._kind(question))
        return tuple(clause for clause in found if clause is not None)

    def _place(self, question: str) -> Clause | None:
        if (package := _PACKAGE.search(question)) and package[1] in self.packages:
            return relevance(eq("package", package[1]), origin="rule")
        if (module := _MODULE.search(question)) and module[1] in self.modules:
            return relevance(eq("module", module[1]), origin="rule")
        return None

    def _kind(self, question: str) -> Clause | None:
        kind = _KIND.search(question)
        return relevance(eq("kind", kind[1]), origin="rule") if kind else None
