"""Functions by which an application states a filter: clauses, each with the role it plays; they never raise."""

from typing import Final

from ragvigil.predicates.ast import And, Leaf, Predicate
from ragvigil.predicates.clauses import Filter
from ragvigil.predicates.nesting import parts
from ragvigil.predicates.roles import Clause, Label, Origin


def entitlement(predicate: Predicate, *, origin: Origin = "caller", kind: str | None = None) -> Clause:
    """A clause that decides what the user may see; it is never relaxed, and its values leave only as HMAC."""
    return _new(Clause, (predicate, "entitlement", origin, kind))


def relevance(predicate: Predicate, *, origin: Origin = "caller", kind: str | None = None) -> Clause:
    """A clause that guesses what the user wants, by a caller, a rule or an LLM; a probe may drop it."""
    return _new(Clause, (predicate, "relevance", origin, kind))


def where(*clauses: Clause | Predicate | Filter) -> Filter:
    """All of `clauses`. A bare predicate has no declared role and counts as entitlement; no clause is no filter.

    The clauses of another filter keep their roles. What is no predicate becomes an opaque part, which no probe drops.
    """
    predicates: list[Predicate] = []
    labels: list[Label] = []
    for index, clause in enumerate(clauses):
        if type(clause) is Clause:
            predicate, role, origin, kind = clause
            if type(predicate) is not Leaf:
                return _where(clauses)
            predicates.append(predicate)
            labels.append(
                _new(Label, (_PATHS[index] if index < _USUAL_COUNT else f"/args/{index}", role, origin, kind))
            )
        elif type(clause) is Leaf:
            predicates.append(clause)
        else:
            return _where(clauses)
    return Filter(And(tuple(predicates)), tuple(labels))


def _where(clauses: tuple[object, ...]) -> Filter:
    """The same for clauses of any form; nearly all are leaves, in every request, and need not be looked into."""
    conjuncts = [part for clause in clauses for part in parts(clause)]
    labels: list[Label] = []
    for index, (_, below) in enumerate(conjuncts):
        labels += [label._replace(path=f"/args/{index}{label.path}") for label in below]
    return Filter(And(tuple([predicate for predicate, _ in conjuncts])), tuple(labels))


_USUAL_COUNT: Final = 16
_PATHS: Final = tuple([f"/args/{index}" for index in range(_USUAL_COUNT)])
_new = tuple.__new__
"""Makes named tuples in half the time that calling their class takes; clauses are built for every request."""
