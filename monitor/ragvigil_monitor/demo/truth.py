"""What only the simulation knows: what each question is about, and whether the filter kept all of it out."""

from dataclasses import dataclass
from datetime import datetime

from ragvigil.predicates import Clause, evaluate, where
from ragvigil_monitor.demo.access import entitlement_of
from ragvigil_monitor.demo.following import Asking
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.reranker import CANDIDATES
from ragvigil_monitor.demo.rewriter import rewrite

DEPTH = 2 * CANDIDATES
"""How deep a probe looks (K)."""


@dataclass(frozen=True, slots=True)
class FilteredQuery:
    """A query whose search had relevance clauses.

    has_evidence: a document that it is about was found by its search or by the same search without these clauses, to
    depth K. is_excluded: there is such evidence, and each such document fails the clauses.
    """

    at: datetime
    has_evidence: bool
    is_excluded: bool


@dataclass(frozen=True, slots=True)
class TrueRate:
    """n: filtered queries with evidence. value: the share whose evidence was excluded; None without any."""

    n: int
    excluded: int

    @property
    def value(self) -> float | None:
        """The share."""
        return self.excluded / self.n if self.n else None


class Truth:
    """Notes every answer of a run, those that the monitor samples and all others."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._about: dict[str, frozenset[str]] = {}
        self._queries: list[FilteredQuery] = []

    def about(self, question: str) -> frozenset[str]:
        """The ids that a question is about; KeyError for one that nobody asked."""
        return self._about[question]

    def note(self, asking: Asking, parts: Parts) -> None:
        """Note a question and, where its search is filtered, what the filter did."""
        about = self._about.setdefault(asking.question.text, frozenset(asking.question.about))
        query = rewrite(asking.question.text)
        if clauses := parts.extract(query):
            evidence = about & self._found(query, asking.visit.team, clauses)
            is_excluded = bool(evidence) and not any(self._passes(each, clauses) for each in evidence)
            self._queries.append(FilteredQuery(asking.at, bool(evidence), is_excluded))

    def rate_between(self, start: datetime, end: datetime) -> TrueRate:
        """False exclusion among the filtered queries of [start, end)."""
        counted = [query for query in self._queries if query.has_evidence and start <= query.at < end]
        return TrueRate(len(counted), sum(query.is_excluded for query in counted))

    def _found(self, query: str, team: str, clauses: tuple[Clause, ...]) -> set[str]:
        """What the search and its relaxed twin return; both keep the entitlement."""
        search, vector, entitled = self._library.index.search, self._library.encoder.encode(query), entitlement_of(team)
        hits = search(vector, where(entitled, *clauses), CANDIDATES) + search(vector, where(entitled), DEPTH)
        return {hit.id for hit in hits}

    def _passes(self, document: str, clauses: tuple[Clause, ...]) -> bool:
        described = self._library.metadata_of(document)
        return all(evaluate(clause.predicate, described) is True for clause in clauses)
